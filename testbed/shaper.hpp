#pragma once

#include "core/file_descriptor.hpp"
#include "core/units.hpp"

namespace espalier::testbed {

/// What `shape_device` asks the kernel by, of devices in the network that this process is in now;
/// invalid where there can be none.
[[nodiscard]] FileDescriptor open_shaper();

/// Has the kernel keep what is sent faster than this (bytes on the wire) in the device's queue
/// instead of the device: TCP sees what its own connections have there, and waits, as with a real
/// card; what a TUN device holds it takes for sent. Again for a device that has such a queue: what
/// waits there leaves at the new rate, too. False where the kernel has none (sch_tbf): then senders
/// fill the device with as much as their windows allow.
[[nodiscard]] bool shape_device(int shaper, const char* device, BytesPerSecond rate);

}  // namespace espalier::testbed
