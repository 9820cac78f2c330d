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

/// Adds a plan from before a change, whose calls take `now`, `slower` times as long as until then,
/// to those among which calls decide.
void keep(const Plans::Plan& before, Bandit::Variant variant, Seconds now, double slower,
          Plans::Plan& plan) {
    if (plan.share.is_native()) return;
    PlannedCollective kept = before.of(variant);
    kept.others.clear();
    kept.predicted = *kept.predicted * slower;
    kept.prior = {now, 0, 1.0, true};
    plan.share.others.push_back(std::move(kept));
    plan.written.push_back(before.written[variant]);
    if (!before.schedules.empty()) plan.schedules.push_back(before.schedules[variant]);
}

/// The leader's: what a call that took another time than before tells of the network.
Learning::Lesson lesson_of(const Plans::Plan& plan, const Bandit& bandit,
                           std::vector<Stream> streams, Communicator& communicator,
                           Process& process) {
    const Bandit::Variant variant = bandit.next();
    const Seconds predicted = *plan.of(variant).predicted;
    try {
        return communicator.learning().learn(
            communicator.believed(), communicator.places(),
            {plan.schedules[variant], predicted, bandit.before(), bandit.now(), std::move(streams)},
            !bandit.was_as_before());
    } catch (const std::exception& error) {
        // The others wait for a plan.
        process.log().warn(fmt::format("what has changed can't be found: {}", error.what()));
        return {communicator.believed(), bandit.now() / predicted, ""};
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
    std::optional<double> usual;
    const auto believed = communicator.leads() ? communicator.believed() : nullptr;
    if (communicator.leads()) {
        Learning::Lesson lesson =
            lesson_of(*before, bandit, std::move(streams), communicator, process);
        process.log().debug(fmt::format(
            "{}: took {}, takes {}: {}", call.name(), format_seconds(bandit.before()),
            format_seconds(bandit.now()),
            lesson.changes.empty() ? "no rate has changed since the start" : lesson.changes));
        usual = lesson.usual;
        entry.supposed = lesson.network;
        communicator.believe(std::move(lesson.network));
    }
    ++entry.changes;
    auto plan = make(call, signature, sizes, entry, communicator, process, usual);
    // Other calls are planned on it when these have shown that it is so.
    if (communicator.leads()) communicator.believe(believed);
    // What other plans took before the change means nothing now.
    if (entry.kept && bandit.time_of(*entry.kept) < bandit.now())
        keep(*before, *entry.kept, bandit.time_of(*entry.kept), 1, *plan);
    else
        keep(*before, bandit.next(), bandit.now(), bandit.now() / bandit.before(), *plan);
    entry.bandit = Bandit::without(Bandit::native);
    entry.adopt(std::move(plan));
    if (entry.bandit.chooses() && !entry.plan->share.is_native())
        entry.kept = entry.plan->share.others.size();
}

/// Calls take what was expected after a change. If they do by a new plan, the network is what was
/// supposed, or at least good enough for plans.
void Plans::conclude(Entry& entry, Communicator& communicator) {
    const bool is_new = entry.bandit.next() != *entry.kept;
    const auto supposed = std::move(entry.supposed);
    entry.kept.reset();
    if (!is_new) return;
    if (communicator.leads()) communicator.believe(supposed);
    entry.known_changes = ++changes_;
}

}  // namespace espalier::runtime
