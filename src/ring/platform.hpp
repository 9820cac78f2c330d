#pragma once

#include "core/matrix.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace espalier::ring {

using Host = std::uint32_t;    ///< 0 … hosts() - 1
using Vertex = std::uint32_t;  ///< a host or a router: the network's own numbering
using LinkId = std::uint32_t;  ///< the network's own numbering
/// Links in the order in which a message crosses them. Empty only from a host to itself, and
/// between hosts whose listed route crosses nothing.
using Path = std::vector<LinkId>;
/// The path of each ordered pair of hosts, whatever ring it is part of.
using RouteTable = Matrix<Path>;

/// A physical network as ring planners see it: hosts numbered by themselves, and for each vertex
/// the links that leave it. Immutable.
class Platform {
public:
    struct Arc {
        Vertex to = 0;
        LinkId link = 0;
    };
    using Arcs = std::vector<std::vector<Arc>>;
    struct Link {
        double bandwidth = 0;
        double latency = 0;
        bool shared = true;  ///< else a backbone, which every path may use in full
    };

    /// Throws InputError where there is no host, or some host can't reach another one.
    explicit Platform(const network::LinksNetwork& network);

    [[nodiscard]] std::size_t hosts() const { return vertex_of_.size(); }
    [[nodiscard]] std::size_t vertices() const { return leaving_.size(); }
    [[nodiscard]] std::size_t links() const { return links_.size(); }
    [[nodiscard]] const Link& link(LinkId link) const { return links_[link]; }
    /// The bandwidth of each link.
    [[nodiscard]] const std::vector<double>& bandwidths() const { return bandwidths_; }
    [[nodiscard]] double cycle_time(Host host) const { return cycle_times_[host]; }
    /// The host of the least cycle time, the first one of several.
    [[nodiscard]] Host fastest() const;
    /// The start-up time before each message that the host sends or receives.
    [[nodiscard]] double startup(Host host) const { return startups_[host]; }
    [[nodiscard]] Vertex vertex_of(Host host) const { return vertex_of_[host]; }
    /// By vertex: what leaves it.
    [[nodiscard]] const Arcs& leaving() const { return leaving_; }
    [[nodiscard]] const std::vector<Arc>& leaving(Vertex vertex) const { return leaving_[vertex]; }

    /// The sum of what is `left` of all links next to a host, in both directions. Infinite next to
    /// a backbone, and if the network lists its routes, since then it need not say where links end.
    [[nodiscard]] double capacity_at(Host host, std::span<const double> left) const;

    /// Whether the network lists the route of each message; else any path may be chosen.
    [[nodiscard]] bool has_routes() const { return routes_.rows() > 0; }
    /// The listed routes; empty where there are none.
    [[nodiscard]] const RouteTable& routes() const { return routes_; }

private:
    void require_paths(const network::LinksNetwork& network) const;

    std::vector<Vertex> vertex_of_;
    std::vector<double> cycle_times_;
    std::vector<double> startups_;
    std::vector<Link> links_;
    std::vector<double> bandwidths_;
    Arcs leaving_;                              ///< by vertex
    std::vector<std::vector<LinkId>> next_to_;  ///< the links at each host
    RouteTable routes_;
};

}  // namespace espalier::ring
