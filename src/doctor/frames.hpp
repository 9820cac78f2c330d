#pragma once

#include "core/file_descriptor.hpp"
#include "core/units.hpp"

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <vector>

namespace espalier::doctor {

/// An IPv4 address with a port.
[[nodiscard]] sockaddr_in socket_address(const std::string& address, std::uint16_t port);

/// A socket that takes connections, or datagrams, at any of this host's addresses.
struct Port {
    FileDescriptor socket;
    std::uint16_t number = 0;
};
/// `type` is SOCK_STREAM or SOCK_DGRAM. Throws Error where the system refuses it.
[[nodiscard]] Port open_port(int type);

/// Connects to whichever of these answers within a time; none where none does.
[[nodiscard]] FileDescriptor connect_to_any(const std::vector<sockaddr_in>& addresses,
                                            Seconds patience);
/// Which of these take a connection within a time.
[[nodiscard]] std::vector<bool> take_connections(const std::vector<sockaddr_in>& addresses,
                                                 Seconds patience);

/// Sends a text as one message over a connection; false where that fails.
[[nodiscard]] bool send_text(int connection, const std::string& text);
/// The next message, in at most so much time; empty where none comes.
[[nodiscard]] std::string receive_text(int connection, Seconds patience);

}  // namespace espalier::doctor
