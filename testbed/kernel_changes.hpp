#pragma once

#include "testbed/change.hpp"
#include "testbed/kernel_commands.hpp"

namespace espalier::testbed {

/// Throws InputError where the kernel's network of this topology can't do that: its queues lose
/// nothing at random, and a path that is described without a latency has no netem.
void require_kernel_can(const Change& change, const Topology& described);

/// The commands that make `after` of `before`, both of which came by changes from the topology that
/// was built. Cross traffic is taken off a queue's rate. Where paths of one latency differ from
/// then on, or no longer do, their netem is replaced, with what is on its way there.
[[nodiscard]] std::vector<KernelCommand> kernel_changes(const Topology& described,
                                                        const Topology& before,
                                                        const Topology& after);

}  // namespace espalier::testbed
