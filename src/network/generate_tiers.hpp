#pragma once

#include "core/random.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <optional>

namespace espalier::network {

/// The network that random_tiers makes: exactly these counts.
struct RandomTiersOptions {
    std::size_t hosts = 37;
    std::size_t routers = 47;
    std::size_t links = 91;  ///< one less than there are nodes makes a tree; more make loops

    /// The range from which cycle times are drawn, uniformly in their logarithms; if there is none,
    /// they are drawn from the list of machines.
    struct CycleTimes {
        double least = 1;
        double most = 10;
    };
    std::optional<CycleTimes> cycle_times;
    /// The factor by which all bandwidths are multiplied: 125000 makes bytes/s of the lists'
    /// Mbit/s.
    double bandwidth_factor = 1;
    /// Latencies by class of link and distance, in seconds; else all are 0, as in the paper.
    bool latencies = false;
};

/// The routers and the links that a platform of so many hosts has by default: in the proportions of
/// the smaller platform of the paper, 37 hosts, 47 routers, 91 links.
[[nodiscard]] std::size_t default_tiers_routers(std::size_t hosts);
[[nodiscard]] std::size_t default_tiers_links(std::size_t hosts, std::size_t routers);

/// A physical platform of three levels, in the spirit of those in legrand-2003, section 5.1, which
/// the Tiers generator made: a wide area network of routers; metropolitan networks, each hung on
/// one of its routers; and local networks, stars, each hung on a metropolitan router. Of a local
/// network's nodes about 30% are selected as hosts; the others are left out, but for those at the
/// centres of the stars, which are routers unless they are selected too. Links beyond a tree make
/// loops: most in the wide area, some inside metropolitan networks and between levels; parallel
/// ones come last. Always connected; all links bidirectional.
///
/// A cycle time is relative to the fastest machine: 1 to 10, from a list with the spread of the
/// PCs of 1996 to 2001. A bandwidth is drawn from several values of the link's class, in Mbit/s.
/// One unit of work is then what the fastest machine does in one unit of time, and one unit of
/// exchange what 1 Mbit/s carries in it, so that W = 1 and H from 0.03 to 10 lead from rings of
/// most hosts to rings of few. Throws InputError on no host, fewer links than a tree has, a link
/// and no two nodes to join, a range that is not 0 < least <= most, or a factor that is not
/// positive.
[[nodiscard]] LinksNetwork random_tiers(const RandomTiersOptions& options, Random& random);

}  // namespace espalier::network
