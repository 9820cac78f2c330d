#include "plan/grid/ecef.hpp"

#include "plan/grid/greedy.hpp"
#include "plan/grid/look_ahead.hpp"
#include "plan/grid/race.hpp"

#include <utility>

namespace espalier::plan::grid {
namespace {

using Extreme = ExtremeLookAhead::Extreme;
using Counting = ExtremeLookAhead::Counting;

template <typename LookAhead>
Order early_completion(const Problem& problem, LookAhead look_ahead) {
    return grow(problem, completion_time, LeastFirst(std::move(look_ahead)));
}

/// The same for a look-ahead that never falls.
template <typename LookAhead>
Order early_completion_race(const Problem& problem, LookAhead look_ahead) {
    return Race(problem, std::move(look_ahead)).run();
}

}  // namespace

Order ecef(const Problem& problem) { return early_completion_race(problem, NoLookAhead{}); }

Order ecef_la(const Problem& problem) {
    return early_completion_race(problem,
                                 ExtremeLookAhead(problem, Extreme::least, Counting::transfer));
}

Order ecef_la_average_b(const Problem& problem) {
    return early_completion(problem, AverageToWaiting(problem));
}

Order ecef_la_average_ab(const Problem& problem) {
    return early_completion(problem, AverageAcross(problem));
}

Order ecef_lat_min(const Problem& problem) {
    return early_completion_race(
        problem, ExtremeLookAhead(problem, Extreme::least, Counting::transfer_and_inner));
}

Order ecef_lat_max(const Problem& problem) {
    return early_completion(
        problem, ExtremeLookAhead(problem, Extreme::greatest, Counting::transfer_and_inner));
}

}  // namespace espalier::plan::grid
