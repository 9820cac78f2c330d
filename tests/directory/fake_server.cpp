#include "directory/fake_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace espalier::directory {

FakeServer::FakeServer(Answer answer, bool hangs) : answer_(std::move(answer)), hangs_(hangs) {
    // A proxy that someone set for the rest of the world knows nothing of this machine's ports.
    ::setenv("no_proxy", "127.0.0.1", 1);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, plain, length) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, plain, &length) != 0)
        throw std::runtime_error("no port to listen at");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

FakeServer::~FakeServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    for (const int connection : open_) ::close(connection);
}

std::string FakeServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::vector<std::string> FakeServer::targets() const {
    const std::lock_guard lock(mutex_);
    return targets_;
}

void FakeServer::serve() {
    for (;;) {
        const int connection = ::accept(listener_, nullptr, nullptr);
        if (connection < 0) return;
        handle(connection);
        if (hangs_) {
            open_.push_back(connection);
        } else {
            // What it still sends is not of interest, but has to be taken, or the answer is lost.
            ::shutdown(connection, SHUT_WR);
            char rest = 0;
            while (::recv(connection, &rest, 1, 0) > 0) continue;
            ::close(connection);
        }
    }
}

void FakeServer::handle(int connection) {
    std::string request;
    char letter = 0;
    while (!request.ends_with("\r\n\r\n") && ::recv(connection, &letter, 1, 0) == 1)
        request += letter;
    const std::size_t begin = request.find(' ') + 1;
    const std::string target = request.substr(begin, request.find(' ', begin) - begin);
    {
        const std::lock_guard lock(mutex_);
        targets_.push_back(target);
    }
    const std::string answer = answer_(target);
    for (std::size_t sent = 0; sent < answer.size();) {
        const auto more =
            ::send(connection, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (more <= 0) return;
        sent += static_cast<std::size_t>(more);
    }
}

std::string http_answer(const std::string& status, const std::string& body,
                        const std::string& type) {
    return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace espalier::directory
