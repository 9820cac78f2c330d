#pragma once

#include "testbed/topology.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// A device of the kernel's network.
struct KernelDevice {
    std::optional<std::size_t> host;  ///< in whose network namespace; none: in the router's
    std::string name;
};

/// Which device does what a topology asks for, where the kernel is the network
/// (kernel_commands.hpp).
struct KernelLayout {
    /// Of each host, the queue of its own device tun0, and of the router's device to it.
    std::vector<std::optional<std::uint32_t>> sends;
    std::vector<std::optional<std::uint32_t>> receives;
    std::vector<KernelDevice> queues;       ///< of each queue; not made where no path crosses it
    std::map<Seconds, std::string> delays;  ///< the router's device for each latency but 0
};

[[nodiscard]] KernelLayout kernel_layout(const Topology& topology);

/// What tc is told of a queue (`htb ...`), and of a path's latency, jitter and loss (`netem ...`).
[[nodiscard]] std::string htb_words(const Queue& queue);
[[nodiscard]] std::string netem_words(const Path& path);

}  // namespace espalier::testbed
