#include "runtime/log.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>

namespace espalier::runtime {

namespace {

/// Prints the line in one piece, so that lines of several ranks do not mix.
void print(const std::string& line) {
    const std::string text = "espalier: " + line + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

void Log::warn(const std::string& line) {
    if (level_ == Settings::Log::quiet) return;
    const std::scoped_lock lock(mutex_);
    if (said_.insert(line).second) print(line);
}

void Log::say_at_end(const std::string& lines) const {
    if (level_ == Settings::Log::quiet) return;
    const std::string text = "espalier: " + lines;
    pollfd reader{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&reader, 1, 0) != 1 || (reader.revents & POLLOUT) == 0) return;
    // A pipe that nobody reads any more would end the program.
    sigset_t broken_pipe;
    sigset_t before;
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    if (::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before) != 0) return;
    const bool failed = ::write(STDERR_FILENO, text.data(), text.size()) < 0;
    const timespec at_once{};
    if (failed && ::sigismember(&before, SIGPIPE) == 0)
        ::sigtimedwait(&broken_pipe, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Log::debug(const std::string& line) const {
    if (has_debug()) print(line);
}

}  // namespace espalier::runtime
