#pragma once

#include "network/network.hpp"
#include "ring/planner.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::bench {

/// A platform to plan rings on, and the widest path of each pair of hosts.
class Instance {
public:
    Instance(std::string name, network::LinksNetwork network);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    /// The instance that `espalier generate tiers --hosts N --routers N --links N --seed N` makes.
    [[nodiscard]] static std::unique_ptr<Instance> tiers(std::size_t hosts, std::uint64_t seed);
    /// The instance of a GraphML file. Each host has a cycle time of 1, a link that states no speed
    /// has 10 Gbit/s, and one of unknown length a latency of 1 ms; bandwidths are in Gbit/s. Throws
    /// InputError.
    [[nodiscard]] static std::unique_ptr<Instance> research(const std::string& file);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const network::LinksNetwork& network() const { return network_; }
    [[nodiscard]] std::size_t hosts() const { return platform_.hosts(); }
    /// W = 1.
    [[nodiscard]] ring::Problem problem(double exchange) const {
        return {platform_, routes_, 1, exchange};
    }

private:
    std::string name_;
    network::LinksNetwork network_;
    ring::Platform platform_;
    ring::RouteTable routes_;
};

/// The result of a planner for an instance.
struct Outcome {
    ring::Solution solution;
    double step_time = 0;  ///< recomputed by the check of rings
    std::size_t hosts = 0;
    bool optimal = false;
    double cpu = 0;   ///< seconds of planning
    double wall = 0;  ///< the same by the clock on the wall
};
/// Throws std::runtime_error where the ring is not valid.
[[nodiscard]] Outcome plan_with(const Instance& instance, double exchange, ring::Planner planner,
                                const ring::Settings& settings);

/// The work that a search does in that much processor time, less on fast machines: the load of the
/// machine does not change what is found, nor does its speed.
[[nodiscard]] Limits as_much_as(double seconds);

}  // namespace espalier::bench
