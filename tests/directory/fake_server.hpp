#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace espalier::directory {

/// A server on a free port of this machine that answers whatever it is told to, HTTP or not. One
/// connection at a time, one answer each.
class FakeServer {
public:
    /// Given the target of a request (`/path?query`), all the bytes to send back. After them the
    /// connection is closed, unless `hangs`: then it stays open until the server is gone.
    using Answer = std::function<std::string(const std::string& target)>;

    explicit FakeServer(Answer answer, bool hangs = false);
    ~FakeServer();
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    [[nodiscard]] std::string url() const;
    /// The targets asked for so far.
    [[nodiscard]] std::vector<std::string> targets() const;

private:
    void serve();
    void handle(int connection);

    Answer answer_;
    bool hangs_;
    int listener_ = -1;
    int port_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> targets_;
    std::vector<int> open_;
    std::thread thread_;
};

/// An answer of HTTP with the length of its body.
[[nodiscard]] std::string http_answer(const std::string& status, const std::string& body,
                                      const std::string& type = "application/json");

}  // namespace espalier::directory
