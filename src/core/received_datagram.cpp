#include "core/received_datagram.hpp"

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <ctime>

namespace espalier {

bool note_arrivals(int socket) {
    const int yes = 1;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes) == 0;
}

std::optional<ReceivedDatagram> receive_datagram(int socket, std::span<char> room) {
    ReceivedDatagram received;
    alignas(cmsghdr) std::array<char, 256> control;
    iovec part{room.data(), room.size()};
    msghdr message{};
    message.msg_name = &received.from;
    message.msg_namelen = sizeof received.from;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT);
    if (got < 0) return std::nullopt;
    received.bytes = static_cast<std::size_t>(got);
    for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
        if (one->cmsg_level != SOL_SOCKET) continue;
        if (one->cmsg_type == SCM_TIMESTAMPNS) {
            timespec time{};
            std::memcpy(&time, CMSG_DATA(one), sizeof time);
            received.when = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
        } else if (one->cmsg_type == SO_RXQ_OVFL) {
            std::memcpy(&received.overflowed, CMSG_DATA(one), sizeof received.overflowed);
        }
    }
    return received;
}

}  // namespace espalier
