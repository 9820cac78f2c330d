#pragma once

#include "core/file_descriptor.hpp"

#include <string>

namespace espalier::testbed {

/// The device of the testbed in each host.
inline constexpr const char* device_name = "tun0";

/// Makes the device in this process's network namespace, with the address, a path to all other
/// hosts and the loopback device up, and large TCP segments left for us to carry. What is read from
/// and written to the (non-blocking) descriptor are packets with a virtio-net header. Throws an
/// Error.
[[nodiscard]] FileDescriptor open_tun(const std::string& address);

}  // namespace espalier::testbed
