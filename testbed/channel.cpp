#include "testbed/channel.hpp"

#include "core/text.hpp"
#include "testbed/system.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace espalier::testbed {

namespace {

constexpr std::size_t most_descriptors = 3;
/// More than exec takes.
constexpr std::uint32_t longest_request = 8U << 20;

std::string read_exactly(int socket, std::size_t size) {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
        const ssize_t part = read(socket, text.data() + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return {};
        got += static_cast<std::size_t>(part);
    }
    return text;
}

}  // namespace

std::string join_by_nul(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + '\0';
    return text;
}

std::vector<std::string> split_at_nul(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        words.emplace_back(text.c_str() + at);
        at += words.back().size() + 1;
    }
    return words;
}

bool send_message(int socket, std::span<const char> text, std::span<const int> descriptors) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> control{};
    iovec part{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    ssize_t sent = 0;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(text.size());
}

std::string receive_message(int socket, std::size_t most,
                            std::vector<FileDescriptor>& descriptors) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> control{};
    std::string text(most, '\0');
    iovec part{text.data(), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do {
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return {};
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof number);
            descriptors.emplace_back(number);
        }
    }
    text.resize(static_cast<std::size_t>(got));
    return text;
}

void send_request(int socket, const Request& request, std::span<const int> streams) {
    const std::string text = join_by_nul({request.folder, std::to_string(request.words.size())}) +
                             join_by_nul(request.words) + join_by_nul(request.environment);
    const auto size = static_cast<std::uint32_t>(text.size());
    std::array<char, sizeof size> length{};
    std::memcpy(length.data(), &size, sizeof size);
    bool sent = send_message(socket, length, streams);
    for (std::size_t at = 0; sent && at < text.size();) {
        const ssize_t part = send(socket, text.data() + at, text.size() - at, MSG_NOSIGNAL);
        sent = part > 0 || errno == EINTR;
        if (part > 0) at += static_cast<std::size_t>(part);
    }
    if (!sent) fail("the testbed can't be told what to run");
}

std::optional<Request> receive_request(int socket) {
    Request request;
    std::uint32_t size = 0;
    const std::string length = receive_message(socket, sizeof size, request.streams);
    if (length.size() != sizeof size || request.streams.size() != 3) return std::nullopt;
    std::memcpy(&size, length.data(), sizeof size);
    if (size > longest_request) return std::nullopt;

    std::vector<std::string> parts = split_at_nul(read_exactly(socket, size));
    if (parts.size() < 3) return std::nullopt;
    std::size_t words = 0;
    const auto [end, error] =
        std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), words);
    if (error != std::errc() || words < 1 || words > parts.size() - 2) return std::nullopt;
    const auto first = parts.begin() + 2;
    const auto middle = first + static_cast<std::ptrdiff_t>(words);
    request.folder = parts[0];
    request.words.assign(first, middle);
    request.environment.assign(middle, parts.end());
    return request;
}

}  // namespace espalier::testbed
