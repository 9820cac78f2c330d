#pragma once

#include "core/infinity.hpp"
#include "ring/platform.hpp"

#include <algorithm>

namespace espalier::ring {

/// SharedRing (legrand-2003, Definition 1): choose hosts, a cyclic order of them, paths between
/// neighbours, bandwidths of the paths and shares of the work, so that the step is as short as
/// possible. Both referred to must outlive it.
struct Problem {
    const Platform& platform;
    /// The routes that planners take which do not look for paths of their own: widest paths,
    /// shortest ones, or the listed routes.
    const RouteTable& routes;
    double work = 0;      ///< W > 0
    double exchange = 0;  ///< H > 0
    /// Whether, of links that are shared fairly, each message gets a part in inverse proportion to
    /// its round trip, as with TCP and in SimGrid; otherwise all get equal parts. A round trip is
    /// the time before the message's first byte flows, and on each link the time of so many bytes;
    /// if it has no such time, SimGrid takes one second.
    bool by_round_trips = false;
    static constexpr double round_trip_bytes = 8775;  // SimGrid's network/weight-S under SMPI

    /// The time before a message's first byte flows: start-ups of both hosts and latencies.
    [[nodiscard]] double delay(Host from, Host to, const Path& path) const {
        double sum = platform.startup(from) + platform.startup(to);
        for (const LinkId link : path) sum += platform.link(link).latency;
        return sum;
    }
    /// The weight by which a message shares a link fairly.
    [[nodiscard]] double weight(Host from, Host to, const Path& path) const {
        double round_trip = delay(from, to, path);
        if (!by_round_trips || round_trip == 0) return 1;
        for (const LinkId link : path)
            round_trip += round_trip_bytes / platform.link(link).bandwidth;
        return 1 / round_trip;
    }
    /// The least bandwidth on the path; infinite on an empty one.
    [[nodiscard]] double width(const Path& path) const {
        double least = infinity;
        for (const LinkId link : path) least = std::min(least, platform.link(link).bandwidth);
        return least;
    }
};

}  // namespace espalier::ring
