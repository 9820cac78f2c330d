#pragma once

#include "demands/problem.hpp"

#include <cstddef>
#include <vector>

namespace espalier::demands {

/// When the ports of all nodes are taken. A message goes wherever both its ends have room, also
/// before what was placed earlier, and never moves what stands there. All times in seconds.
class Calendar {
public:
    explicit Calendar(const Problem& problem)
        : ports_(problem.ports),
          sends_(problem.nodes() * problem.ports),
          receives_(problem.nodes() * problem.ports) {}

    struct Place {
        double start = 0;
        std::size_t out = 0;  ///< which of the sender's lanes
        std::size_t in = 0;   ///< which of the receiver's
    };
    /// The earliest from `ready` on.
    [[nodiscard]] Place find(std::size_t from, std::size_t to, double gap, double latency,
                             double ready) const;
    void take(const Place& place, double gap, double latency);

private:
    struct Span {
        double begin = 0;
        double end = 0;
    };
    using Lane = std::vector<Span>;  ///< one port, in the order of time

    [[nodiscard]] static double fit(const Lane& out, const Lane& in, double gap, double latency,
                                    double ready);
    static void insert(Lane& lane, Span span);

    std::size_t ports_;
    std::vector<Lane> sends_;
    std::vector<Lane> receives_;
};

}  // namespace espalier::demands
