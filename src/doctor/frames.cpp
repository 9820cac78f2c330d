#include "doctor/frames.hpp"

#include "core/error.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace espalier::doctor {

namespace {

using Clock = std::chrono::steady_clock;

/// A message is not longer than this: one that claims to be is none of ours.
constexpr std::uint32_t longest_text = 1U << 28U;

class Deadline {
public:
    explicit Deadline(Seconds patience)
        : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(patience.value))) {}
    /// Milliseconds as poll() takes them.
    [[nodiscard]] int left() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
        return static_cast<int>(std::max<std::int64_t>(left, 0));
    }

private:
    Clock::time_point end_;
};

FileDescriptor begin_connecting(const sockaddr_in& address) {
    FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int status =
        connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (status != 0 && errno != EINPROGRESS) socket.reset();
    return socket;
}

/// Whether a connection that was begun came about, once poll() has something to say of it.
bool is_connected(int socket) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

/// Begins all of them; calls `connected` with each that comes about, until it says to stop.
template <typename Connected>
void connect_to_all(const std::vector<sockaddr_in>& addresses, Seconds patience,
                    const Connected& connected) {
    std::vector<FileDescriptor> sockets;
    std::vector<pollfd> polled;
    for (const sockaddr_in& address : addresses) {
        sockets.push_back(begin_connecting(address));
        polled.push_back({sockets.back().get(), POLLOUT, 0});
    }
    const Deadline deadline(patience);
    const auto waits = [](const pollfd& one) { return one.fd >= 0; };
    while (std::ranges::any_of(polled, waits)) {
        const int ready = poll(polled.data(), polled.size(), deadline.left());
        if (ready == 0 || (ready < 0 && errno != EINTR)) return;
        for (std::size_t i = 0; ready > 0 && i < polled.size(); ++i) {
            if (polled[i].fd < 0 || polled[i].revents == 0) continue;
            polled[i].fd = -1;
            if (is_connected(sockets[i].get()) && connected(i, sockets[i])) return;
        }
    }
}

bool receive_bytes(int connection, char* to, std::size_t size, const Deadline& deadline) {
    while (size > 0) {
        pollfd polled{connection, POLLIN, 0};
        const int ready = poll(&polled, 1, deadline.left());
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t got = recv(connection, to, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

sockaddr_in socket_address(const std::string& address, std::uint16_t port) {
    sockaddr_in found{};
    found.sin_family = AF_INET;
    found.sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &found.sin_addr);
    return found;
}

Port open_port(int type) {
    Port port{FileDescriptor(::socket(AF_INET, type | SOCK_CLOEXEC, 0))};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    const bool opened = port.socket && bind(port.socket.get(), plain, size) == 0 &&
                        getsockname(port.socket.get(), plain, &size) == 0 &&
                        (type != SOCK_STREAM || listen(port.socket.get(), SOMAXCONN) == 0);
    if (!opened)
        throw Error(ExitStatus::internal_fault,
                    fmt::format("no socket can be opened: {}", std::strerror(errno)));
    port.number = ntohs(address.sin_port);
    return port;
}

FileDescriptor connect_to_any(const std::vector<sockaddr_in>& addresses, Seconds patience) {
    FileDescriptor found;
    connect_to_all(addresses, patience, [&found](std::size_t, FileDescriptor& socket) {
        found = std::move(socket);
        return true;
    });
    if (found) fcntl(found.get(), F_SETFL, fcntl(found.get(), F_GETFL) & ~O_NONBLOCK);
    return found;
}

std::vector<bool> take_connections(const std::vector<sockaddr_in>& addresses, Seconds patience) {
    std::vector<bool> taken(addresses.size());
    connect_to_all(addresses, patience, [&taken](std::size_t i, const FileDescriptor&) {
        taken[i] = true;
        return false;
    });
    return taken;
}

bool send_text(int connection, const std::string& text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    std::string message(reinterpret_cast<const char*>(&size), sizeof size);
    message += text;
    for (std::size_t sent = 0; sent < message.size();) {
        const ssize_t now =
            send(connection, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return false;
        sent += static_cast<std::size_t>(now);
    }
    return true;
}

std::string receive_text(int connection, Seconds patience) {
    const Deadline deadline(patience);
    std::uint32_t size = 0;
    if (!receive_bytes(connection, reinterpret_cast<char*>(&size), sizeof size, deadline) ||
        size > longest_text)
        return {};
    std::string text(size, '\0');
    return receive_bytes(connection, text.data(), size, deadline) ? text : std::string();
}

}  // namespace espalier::doctor
