#include "plan/exchange/list_search.hpp"

#include "core/random.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/exact.hpp"
#include "plan/exchange/objective.hpp"
#include "plan/exchange/optimal.hpp"
#include "plan/exchange/scheduler.hpp"
#include "plan/meter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::plan::exchange {

namespace {

/// Steps that starting a message counts as, and a pass beside its messages.
constexpr std::uint64_t steps_a_message = 16;
constexpr std::uint64_t steps_a_pass = 500;
/// So many times as much where messages share capacities, whose flows are simulated.
constexpr std::uint64_t cost_of_sharing = 16;
/// Steps without success before a search may give up: some tenths of a second.
constexpr std::uint64_t usual_patience = 40'000'000;
/// So many branch and bound can do in milliseconds: 6 nodes.
constexpr std::size_t few_messages = 30;

class ListSearch {
public:
    ListSearch(const Problem& problem, Scheduler& scheduler, Meter& meter, std::uint64_t patience)
        : problem_(problem),
          scheduler_(scheduler),
          meter_(meter),
          patience_(patience),
          bound_(exchange_bound(problem) * (1 + 1e-12)),
          best_(Preferences::plain(problem, 0)) {}

    /// The messages in the order of the best schedule.
    std::vector<std::uint32_t> run() {
        try_out(Preferences::plain(problem_, 0.95));
        if (!finished()) try_out(Preferences::plain(problem_, 0));
        while (!finished()) try_out(random_.uniform() < 0.6 ? near_best() : anywhere());
        return messages_;
    }

private:
    [[nodiscard]] bool finished() const {
        return makespan_ <= bound_ || meter_.over() ||
               meter_.spent() - best_at_ > std::max(patience_, best_at_);
    }

    void try_out(const Preferences& preferences) {
        const double makespan = schedule(preferences);
        const std::uint64_t steps = scheduler_.messages().size() * steps_a_message;
        meter_.spend(steps_a_pass + steps * (problem_.shares() ? cost_of_sharing : 1));
        if (makespan >= makespan_) return;
        makespan_ = makespan;
        best_ = preferences;
        messages_ = scheduler_.messages();
        best_at_ = meter_.spent();
    }

    double schedule(const Preferences& preferences) {
        if (!problem_.shares()) return scheduler_.pass(preferences, makespan_);
        // Estimates may be too high too.
        scheduler_.pass(preferences, std::numeric_limits<double>::infinity());
        const auto ends = ends_of(problem_, in_order(problem_, scheduler_.messages()));
        return *std::ranges::max_element(ends);
    }

    Preferences anywhere() {
        const double pace = random_.uniform() < 0.2 ? 0 : random_.uniform(0.9, 1);
        Preferences preferences = Preferences::plain(problem_, pace);
        preferences.length = random_.uniform(0, 2);
        disturb(preferences, 0.003 * std::pow(100, random_.uniform()));
        return preferences;
    }

    Preferences near_best() {
        Preferences preferences = best_;
        preferences.length += random_.uniform(-0.3, 0.3);
        if (preferences.pace > 0)
            preferences.pace =
                std::clamp(preferences.pace + random_.uniform(-0.02, 0.02), 0.5, 1.0);
        disturb(preferences, 0.05 * std::pow(0.01, random_.uniform()));
        return preferences;
    }

    void disturb(Preferences& preferences, double most) {
        for (auto* factors : {&preferences.sender, &preferences.receiver, &preferences.capacity})
            for (double& factor : *factors) factor *= 1 + most * random_.uniform(-1, 1);
    }

    const Problem& problem_;
    Scheduler& scheduler_;
    Meter& meter_;
    std::uint64_t patience_;
    double bound_;
    Random random_{1};
    Preferences best_;
    double makespan_ = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> messages_;
    std::uint64_t best_at_ = 0;
};

}  // namespace

Order search_lists(const Problem& problem, Meter& meter, std::uint64_t patience) {
    if (problem.messages.empty()) return {};
    const auto scheduler = make_scheduler(problem);
    return in_order(problem, ListSearch(problem, *scheduler, meter, patience).run());
}

Found list_search(const Problem& problem, const Limits& limits) {
    if (problem.messages.size() <= few_messages && can_search_exactly(problem))
        return optimal(problem, limits);
    Meter meter(limits);
    return {.order = search_lists(problem, meter, usual_patience)};
}

}  // namespace espalier::plan::exchange
