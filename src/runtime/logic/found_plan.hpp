#pragma once

#include "plan/collective_plan.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "schedule/schedule.hpp"

#include <optional>
#include <vector>

namespace espalier::runtime {

/// A schedule between ranks for a signature, as the leader found it.
struct FoundPlan {
    schedule::Schedule schedule;
    std::optional<Seconds> predicted;  ///< nullopt: too many messages to be simulated
    Seconds bound;
    schedule::Timeline timeline{};  ///< of what was simulated for collectives, else empty
};

/// A signature to be planned on a job.
struct PlanQuestion {
    const plan::Job& job;
    const Signature& signature;
    const BlockSizes& sizes;
    const Policy& policy;
    bool direct = false;          ///< nobody relays blocks
    plan::Shortlist shortlist{};  ///< of plans that are to be tried

    [[nodiscard]] plan::CollectiveRequest request() const;
};

/// A first call should not take seconds longer than the others.
inline constexpr plan::Limits planning_limits{Seconds(0.5), 40'000'000};
/// Where results depend on what is planned: the same on every machine, however busy it is.
inline constexpr plan::Limits repeatable_limits{Seconds(1e8), 40'000'000};

/// The best schedule that is found first, or the one that the policy's choice names, and what else
/// is to be tried. Throws as plan::plan_collective() does.
[[nodiscard]] std::vector<FoundPlan> find_plans(const PlanQuestion& question);

/// Of total exchanges. Unless the choice names an algorithm or a number of ports, blocks go
/// directly and all at once, or else one message after the other in one of many ways, whichever is
/// over first by simulation. Sending several messages at once, a host has no more bandwidth than
/// one of them has alone. Every pair of ranks is there, whatever it has to bring now: an order is
/// good for any sizes.
[[nodiscard]] std::vector<FoundPlan> find_exchanges(const PlanQuestion& question);

/// Of all-gathers. Between too many ranks to be simulated it is the ring with the fastest slowest
/// step, or what is composed of levels where that is predicted to be faster than such a ring can
/// be.
[[nodiscard]] std::vector<FoundPlan> find_all_gathers(const PlanQuestion& question);

}  // namespace espalier::runtime
