#pragma once

#include "core/units.hpp"

namespace espalier::testbed {

/// Has the kernel keep what is sent faster than this (bytes on the wire) in the device's queue
/// instead of the device: TCP sees what its own connections have there, and waits, as with a real
/// card; what a TUN device holds it takes for sent. False where the kernel has no such queue
/// (sch_tbf): then senders fill the device with as much as their windows allow.
[[nodiscard]] bool shape_device(const char* device, BytesPerSecond rate);

}  // namespace espalier::testbed
