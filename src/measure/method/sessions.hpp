#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// The measuring of one direction between the coordinators of two clusters.
struct Session {
    std::size_t from = 0;
    std::size_t to = 0;
    double weight = 0;  ///< time it is expected to want, in any one unit
    double tail = 0;    ///< the weight of the longest chain of sessions that begins with this one
};

/// All ordered pairs of clusters (of each pair only the one from the lower, if `symmetric`), in an
/// order in which every coordinator takes part in one session at a time, and disjoint pairs go on
/// at the same time: each coordinator works through those of its own in this order. `round_trips`
/// are those between coordinators, in seconds.
///
/// A session that begins with `left` seconds to the common deadline may take left * weight / tail.
/// If all keep to that, the last one ends in time, and what some leave over goes to the later ones.
[[nodiscard]] std::vector<Session> plan_sessions(const Matrix<double>& round_trips, bool symmetric);

}  // namespace espalier::measure
