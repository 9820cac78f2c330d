#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"

#include <string>
#include <vector>

namespace espalier::report {

/// Times, work and bandwidths of a ring are in whatever unit its network is in: six digits, and no
/// unit.
[[nodiscard]] std::string format_number(double value);

/// `Ring of 12 of 37 hosts, by annealing`.
[[nodiscard]] std::string title_of(const schedule::Ring& ring,
                                   const network::LinksNetwork& network);
/// `step time 4.21, at most 12% over the best possible · lower bound 3.76 · work 1 · exchange 0.1 ·
/// bandwidth reserved`.
[[nodiscard]] std::string subtitle_of(const schedule::Ring& ring);
/// `proven optimal over all rings with widest paths`, `at most 12% over the best possible`; empty
/// where nothing is known.
[[nodiscard]] std::string distance_from_best(const schedule::Ring& ring);

/// The use that the paths of a ring make of a link.
struct LinkUse {
    std::size_t link = 0;   ///< index into the network's links
    std::size_t paths = 0;  ///< that cross it, each as often as it does
    /// The part of the link's bandwidth in use, 1 being all of it: what the paths reserve together
    /// (of a backbone, the most that one reserves); under fair sharing, what they move on average
    /// over the step.
    double part = 0;
};
/// The use of each link.
[[nodiscard]] std::vector<LinkUse> link_use(const schedule::Ring& ring,
                                            const network::LinksNetwork& network);

}  // namespace espalier::report
