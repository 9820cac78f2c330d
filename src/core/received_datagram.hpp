#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace espalier {

/// What is known of a UDP datagram that came.
struct ReceivedDatagram {
    std::size_t bytes = 0;
    sockaddr_in from{};
    std::int64_t when = 0;         ///< the kernel got it, in ns of real time; 0 if it did not say
    std::uint32_t overflowed = 0;  ///< that the socket had no room for so far, if asked to count
};

/// Lets the kernel note when datagrams come to the socket. False if it does not.
[[nodiscard]] bool note_arrivals(int socket);
/// Takes the next datagram that is there, as much of it as there is room for; nullopt if none is.
[[nodiscard]] std::optional<ReceivedDatagram> receive_datagram(int socket, std::span<char> room);

}  // namespace espalier
