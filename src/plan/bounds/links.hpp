#pragma once

#include "core/infinity.hpp"
#include "core/matrix.hpp"
#include "simulate/fabric.hpp"

#include <algorithm>

namespace espalier::plan::bounds {

/// What no message on a link beats, in seconds; absent where nobody knows what it costs, so that no
/// schedule can use it.
struct Link {
    double latency = never;
    double startup = never;   ///< for which each message keeps a port busy at least
    double per_byte = never;  ///< beside the start-up, and for each byte
    double shortest = never;  ///< for which the shortest message keeps a port busy

    [[nodiscard]] bool exists() const { return latency < never; }
    /// From the start of the shortest message to its end.
    [[nodiscard]] double hop() const { return latency + shortest; }
    /// A port's work for so many bytes, in however many messages.
    [[nodiscard]] double work(double bytes) const {
        return std::max(startup + per_byte * bytes, shortest);
    }
    friend bool operator==(const Link&, const Link&) = default;
};

/// Of messages of no more than `all` bytes, between each two nodes.
[[nodiscard]] Matrix<Link> least_costs(const simulate::Fabric& fabric, Bytes all);

}  // namespace espalier::plan::bounds
