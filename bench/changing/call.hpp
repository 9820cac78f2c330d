#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"
#include "schedule/timeline.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace espalier::bench {

/// What a latency keeps busy.
enum class StartUp {
    in_flight,  ///< nobody: the sender goes on when its bytes have left
    busy,       ///< sender and receiver, as start-ups of `pairwise` networks do
};

/// A broadcast from node 0 and how it is planned.
struct Call {
    Bytes bytes{16 << 10};
    BytesPerSecond bandwidth{125e6};  ///< of each pair
    StartUp start_up = StartUp::in_flight;
    std::string algorithm = "auto";          ///< of plan::algorithms()
    std::uint64_t steps = 200'000;           ///< of planning
    std::uint64_t robust_steps = 4'000'000;  ///< of planning for a percentile
};

/// The percentile of the makespan for which a call is planned, and what latencies may be.
struct Hedge {
    unsigned percentile = 0;
    Matrix<std::optional<double>> spread;  ///< relative
};

/// How far the latencies are believed for which a call is planned.
enum class Trust {
    exact,      ///< the plan of the least makespan
    uncertain,  ///< of all plans that are as good within the network's uncertainty (plan::Race),
                ///< the one whose nodes are done earliest on average: what only ends together with
                ///< the latest node would end later than it as soon as anything is slower
};

/// A plan for these latencies, with its timeline there. It is valid (schedule::find_violation).
[[nodiscard]] schedule::Plan plan_call(const Call& call, const Matrix<Seconds>& latencies,
                                       Trust trust);
/// A plan for a percentile of the makespan.
[[nodiscard]] schedule::Plan plan_call(const Call& call, const Matrix<Seconds>& latencies,
                                       Hedge hedge);
/// The same schedule's times with other latencies.
[[nodiscard]] schedule::Timeline run_call(const Call& call, const schedule::Schedule& schedule,
                                          const Matrix<Seconds>& latencies);

}  // namespace espalier::bench
