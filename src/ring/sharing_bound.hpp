#pragma once

#include "ring/problem.hpp"

#include <span>
#include <vector>

namespace espalier::ring {

/// What is sure of a path: the links that it crosses at least, its delay at least, its width at
/// most. Exact for a known path; else for every path that there is between two hosts.
struct PathOutline {
    std::vector<LinkId> shared;  ///< ascending; without backbones
    double delay = 0;
    double width = 0;

    /// Sent alone.
    [[nodiscard]] double least_time(double exchange) const { return delay + exchange / width; }
};
[[nodiscard]] PathOutline outline(const Problem& problem, Host from, Host to, const Path& path);
/// What is sure of a path that is one of the two.
[[nodiscard]] PathOutline either(const PathOutline& one, const PathOutline& other);

/// Bounds what messages that are sent in one step cost together, whatever the bandwidths: each
/// message is charged to one link at most, that on which all messages of the ring would press the
/// hardest, and on each link the messages charged to it share its bandwidth in the best way
/// (by the roots of their weights, as in the analytic sharing of legrand-2003, 4.2).
class SharingBound {
public:
    explicit SharingBound(const Problem& problem);

    struct Message {
        const PathOutline* path = nullptr;
        double weight = 0;  ///< 1 / cycle time of the sender
    };
    /// A lower bound of the sum of weight * (delay + H / bandwidth).
    [[nodiscard]] double cost(std::span<const Message> messages);

private:
    struct Load {
        double roots = 0;    ///< of all that cross the link
        double charged = 0;  ///< of those charged to it
        double alone = 0;    ///< what those cost without sharing
    };
    const Problem& problem_;
    std::vector<Load> loads_;  ///< of each link; all 0 between two calls
};

}  // namespace espalier::ring
