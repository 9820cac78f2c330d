#include "core/text.hpp"
#include "runtime/communicator.hpp"
#include "runtime/dealing.hpp"
#include "runtime/plans.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

/// Adds a plan from before a change, whose calls take `now`, and took what `was` before, to those
/// among which calls decide.
void keep(const Plans::Plan& before, Bandit::Variant variant, Seconds now, Seconds was,
          double slower, Plans::Plan& plan) {
    if (plan.share.is_native()) return;
    PlannedCollective kept = before.of(variant);
    kept.others.clear();
    kept.predicted = *kept.predicted * slower;
    kept.prior = {now, 0, 1.0, true, was};
    plan.share.others.push_back(std::move(kept));
    plan.written.push_back(before.written[variant]);
    if (!before.schedules.empty()) plan.schedules.push_back(before.schedules[variant]);
}

/// The other plan that was the fastest before an earlier change, if it was faster than calls are
/// now.
std::optional<Bandit::Variant> may_return(const Plans::Entry& entry) {
    std::optional<Bandit::Variant> best;
    Seconds least = entry.bandit.now();
    if (!entry.kept) return best;
    for (Bandit::Variant plan = *entry.kept; plan <= entry.plan->share.others.size(); ++plan) {
        const auto before = entry.bandit.before_of(plan);
        if (plan == entry.bandit.changed() || plan == entry.bandit.next() || !before ||
            *before >= least)
            continue;
        best = plan;
        least = *before;
    }
    return best;
}

/// The leader's: what a call that took another time than before may tell of the network.
std::vector<Learning::Lesson> lessons_of(const Plans::Plan& plan, const Bandit& bandit,
                                         std::vector<Stream> streams, std::vector<RoundTrip> trips,
                                         Communicator& communicator, Process& process) {
    const Bandit::Variant variant = bandit.changed();
    const Seconds predicted = *plan.of(variant).predicted;
    if (bandit.has_returned()) {
        communicator.learning().forget();
        return {{communicator.network(), bandit.before() / predicted, {}}};
    }
    try {
        return communicator.learning().learn(communicator.network(), communicator.believed(),
                                             communicator.places(),
                                             {plan.schedules[variant], predicted, bandit.before(),
                                              bandit.now(), std::move(streams), std::move(trips)},
                                             bandit.may_follow());
    } catch (const std::exception& error) {
        // The others wait for a plan.
        process.log().warn(fmt::format("what has changed can't be found: {}", error.what()));
        return {{communicator.believed(), bandit.now() / predicted, {}}};
    }
}

}  // namespace

/// Its calls take another time than they did: the leader asks what of the network has changed, and
/// plans anew. Collective. Throws MpiFailure.
void Plans::learn(Entry& entry, const Call& call, const Signature& signature,
                  const BlockSizes& sizes, Communicator& communicator, Process& process) {
    const std::shared_ptr<const Plan> before = entry.plan;
    const Bandit bandit = entry.bandit;
    std::vector<Stream> streams = gather_streams(std::move(entry.heard), communicator, call.comm);
    std::vector<RoundTrip> trips;
    if (communicator.leads())
        trips = round_trips_of(*before->schedules[bandit.changed()], communicator.places());
    measure_round_trips(trips, communicator.await_seat(call.comm, process));
    std::vector<Learning::Lesson> lessons;
    if (communicator.leads()) {
        lessons = lessons_of(*before, bandit, std::move(streams), std::move(trips), communicator,
                             process);
        entry.told = Process::now();
    }
    ++entry.changes;
    // Other calls are planned on it when these have shown that it is so.
    auto plan = make(call, signature, sizes, entry, communicator, process, lessons);
    if (communicator.leads()) {
        const network::GridNetwork& measured = communicator.network()->view().grid();
        std::string words;
        for (const Learning::Lesson& lesson : lessons)
            words += (words.empty() ? "" : "; or ") + network::in_words(lesson.changes, measured);
        process.log().debug(fmt::format(
            "{}: took {}, takes {}: {}{}", call.name(), format_seconds(bandit.before()),
            format_seconds(bandit.now()),
            words.empty() ? "nothing has changed since it was measured" : words,
            lessons.size() == 1
                ? ""
                : "; planned as if " + network::in_words(entry.supposed->changes, measured)));
    }
    // What other plans took before the change means nothing now, but for what they may take again.
    const Bandit::Variant told = bandit.changed();
    keep(*before, told, bandit.now(), bandit.before(), bandit.now() / bandit.before(), *plan);
    if (const auto now = bandit.next(); now != told && now != Bandit::native)
        keep(*before, now, bandit.time_of(now), bandit.time_of(now), 1, *plan);
    if (const auto other = may_return(entry))
        keep(*before, *other, bandit.time_of(*other), *bandit.before_of(*other), 1, *plan);
    entry.bandit = Bandit::without(Bandit::native);
    entry.adopt(std::move(plan));
    if (!entry.bandit.chooses() || entry.plan->share.is_native()) return;
    entry.bandit.deviate_as(bandit, entry.plan->share.prior.unexplained);
    entry.is_supposed = true;
    entry.is_faster = bandit.now() < bandit.before();
}

/// Calls take what was expected after a change. If they do by a new plan, the network is what was
/// supposed, or at least good enough for plans. When something is fast again that plans avoid, the
/// plan from before may be the best there is.
void Plans::conclude(Entry& entry, Communicator& communicator, Process& process) {
    const bool is_new = entry.bandit.next() < *entry.kept;
    const auto supposed = std::move(entry.supposed);
    entry.supposed.reset();
    entry.is_supposed = false;
    if (!is_new && !entry.is_faster) return;
    if (communicator.leads()) {
        communicator.believe(supposed->network);
        if (RememberedChanges* changes = process.changes())
            changes->conclude(supposed->changes, communicator.places(), entry.told, Process::now());
    }
    entry.known_changes = ++changes_;
}

}  // namespace espalier::runtime
