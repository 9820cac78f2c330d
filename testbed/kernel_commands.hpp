#pragma once

#include "testbed/topology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// One command of those that have the kernel itself be the network.
struct KernelCommand {
    /// Its words come after `ip` or `tc`; a `sysctl` is NAME=VALUE.
    enum class Program { sysctl, ip, tc };
    Program program;
    std::optional<std::size_t> host;  ///< in whose network namespace; none: in the router's
    std::string words;
};

/// All hosts hang on one router namespace, each by a pair of veth devices: tun0 in the host, hI in
/// the router. What a host sends and receives is limited by htb on them. Each other queue and each
/// latency is a pair of veth devices in the router, too, with htb on qI or netem on dI; a packet
/// goes from one to the next by rules for the device that it comes from and, where that does not
/// tell, for its sender. `namespaces` is what `ip` calls each host's: a name or a process.
[[nodiscard]] std::vector<KernelCommand> kernel_commands(
    const Topology& topology, const std::vector<std::string>& namespaces);

/// The same as a script for a shell of root, with namespaces that bear the hosts' names and
/// `router`.
[[nodiscard]] std::string kernel_script(const Topology& topology);

}  // namespace espalier::testbed
