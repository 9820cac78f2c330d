#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::schedule {

/// How links divide their bandwidth among the paths of a ring.
enum class RingSharing {
    /// Each path has its own bandwidth on every link of it, and a host sends to its two neighbours
    /// one after the other (legrand-2003, 2.1).
    reserved,
    /// Messages that are in flight together share each link max-min fairly, and a host sends to
    /// both neighbours at once: what a network does by itself.
    fair,
};
/// `reserved`, `fair`.
[[nodiscard]] std::string_view name_of(RingSharing sharing);
/// nullopt for a word that names neither.
[[nodiscard]] std::optional<RingSharing> find_sharing(std::string_view name);

/// The path of one host's message to a neighbour.
struct RingPath {
    std::size_t from = 0;  ///< index into the network's nodes
    std::size_t to = 0;
    std::vector<std::size_t> links;  ///< indices into the network's links, in the order of crossing
    /// The bandwidth reserved for it on each of its links; under fair sharing the average that it
    /// gets. Infinite if it crosses no link.
    double bandwidth = 0;
};

/// An iterative computation laid over a ring of hosts (legrand-2003): in each step, a host works on
/// its share of the work, then sends a message of the same size to each of its two neighbours. All
/// times are in the unit that the network's cycle times and bandwidths agree on.
struct Ring {
    double work = 0;      ///< W, of one step, over all hosts
    double exchange = 0;  ///< H, the size of each message
    RingSharing sharing = RingSharing::reserved;
    std::vector<std::size_t> order;  ///< indices into the network's nodes, each a host; once each
    std::vector<double> shares;      ///< parallel to order; >= 0, sum 1
    /// Two for each host in order: the path to its successor, then that to its predecessor. In a
    /// ring of two hosts both lead to the other host; a ring of one has none.
    std::vector<RingPath> paths;
    double step_time = 0;    ///< T
    double lower_bound = 0;  ///< no ring on this network has a shorter step
    bool optimal = false;    ///< proven, within `scope`
    std::string scope;       ///< what `optimal` ranges over: `widest-paths`, `all-paths`, …
    std::string algorithm;
    std::string refinement = "none";
    std::string network;  ///< fingerprint of the network it was planned for
};

}  // namespace espalier::schedule
