#pragma once

#include "core/limits.hpp"
#include "plan/explanation.hpp"
#include "plan/job.hpp"
#include "plan/race_effort.hpp"
#include "plan/request.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace espalier::plan {

/// The budget of planning for so many ranks unless somebody says otherwise; `robust`: for a
/// percentile of the makespan. It is counted work alone, so that the same request has the same plan
/// on every machine, however busy.
[[nodiscard]] constexpr Limits standard_budget(std::size_t ranks, bool robust = false) {
    return {Seconds(1e8), std::min(race_effort.most_steps, race_effort.steps_a_rank * ranks) *
                              (robust ? race_effort.times_robust : 1)};
}

/// A plan, as far as the race went for it.
struct Ranked {
    /// The plan between the job's ranks; or between clusters, if the inside of one is known by its
    /// broadcast time alone. It has no timeline unless it was simulated.
    schedule::Plan plan;
    /// The same plan between clusters, if it is a tree between them.
    std::optional<schedule::Plan> clusters;
    /// What plans are compared by: the makespan, or the percentile of it that the request asks for,
    /// and what messages cost beside it (overhead_of).
    Seconds time;
    bool simulated = true;

    [[nodiscard]] const schedule::Plan& by_cluster() const { return clusters ? *clusters : plan; }
};

struct Race {
    /// The best plan first, each of another algorithm: those that are predicted to take longer
    /// than the best by no more than the network's uncertainty. Never empty.
    std::vector<Ranked> ranked;
    std::vector<Considered> considered;  ///< best first
    /// Whether more would have been looked at with twice the budget.
    bool ran_short = false;
    /// Set if the best plan would take another time without what is presumed.
    std::optional<Presumption> presumption;

    [[nodiscard]] const Ranked& best() const { return ranked.front(); }
};

/// Plans a collective between the ranks of a job: every algorithm of the table that the request
/// admits makes candidates, and those that look best are simulated until no other can be better or
/// the budget is used up. It is the only place that compares candidates; whoever wants a plan asks
/// it. Where a percentile is asked for (Request::robust), planners are asked for plans at the
/// stated costs, at the mean costs and at those of this percentile, and what looks best at the
/// stated costs is simulated in all scenarios. Every schedule is valid (schedule::find_violation),
/// and every timeline simulated on the job's fabric. A budget of nothing still gives a plan, the
/// first one that needs no search; left out, it is standard_budget().
///
/// Throws InputError for an algorithm that does not serve the collective, where a cost is needed
/// and not known, and where no plan keeps what the request demands.
[[nodiscard]] Race race(const Job& job, const Request& request,
                        const std::optional<Limits>& budget = std::nullopt);

/// The fabric on which the race simulates plans: between the job's ranks, or between one rank of
/// each cluster if the inside of one is known by its broadcast time alone.
[[nodiscard]] std::unique_ptr<const simulate::Fabric> fabric_of(const Job& job);

}  // namespace espalier::plan
