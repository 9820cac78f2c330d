#pragma once

#include "core/file_descriptor.hpp"
#include "testbed/kernel_commands.hpp"
#include "testbed/topology.hpp"

#include <sys/types.h>

#include <vector>

namespace espalier::testbed {

/// Whether this kernel can delay packets: tries, in a network namespace of its own. This user must
/// be allowed to make one.
[[nodiscard]] bool kernel_has_netem();

/// Has the kernel be the network (kernel_commands.hpp) between hosts that are up, whose first
/// processes are given, with `ip` and `tc` of iproute2. What is returned keeps the router between
/// them; when it is closed, and with the end of this process, the network is gone. Throws an Error
/// that says which command failed, and why.
[[nodiscard]] FileDescriptor build_kernel_network(const Topology& topology,
                                                  const std::vector<pid_t>& hosts);

/// Has them done, in the order of hosts and programs in which they are. Throws an Error that says
/// which failed, and why; those before it are done.
void run_kernel_commands(const std::vector<KernelCommand>& commands, int router,
                         const std::vector<pid_t>& hosts);

}  // namespace espalier::testbed
