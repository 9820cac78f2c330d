#pragma once

#include "core/units.hpp"

#include <sys/types.h>

namespace espalier::testbed {

/// Has the kernel keep what is sent faster than this (bytes on the wire) in the device's queue
/// instead of the device: TCP sees what its own connections have there, and waits, as with a real
/// card; what a TUN device holds it takes for sent. False where the kernel has no such queue
/// (sch_tbf): then senders fill the device with as much as their windows allow.
[[nodiscard]] bool shape_device(const char* device, BytesPerSecond rate);
/// The same for a device in the network of another process; what it holds already leaves at the new
/// rate, too. Throws an Error where this process can't come back into its own network.
[[nodiscard]] bool shape_device_of(pid_t process, const char* device, BytesPerSecond rate);

}  // namespace espalier::testbed
