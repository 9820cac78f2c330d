#include "core/subprocess.hpp"

#include "core/error.hpp"
#include "core/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <utility>

namespace espalier {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int poll_ms = 100;
constexpr int signal_base = 128;
/// The first letter of what a child says.
constexpr char said_result = 'r';
constexpr char said_bad_input = 'i';
constexpr char said_fault = 'f';

[[noreturn]] void live_as_child(const std::function<int()>& work, pid_t parent, int orphaned) {
    int status = 1;
    if (orphaned != 0) {
        ::prctl(PR_SET_PDEATHSIG, orphaned);
        if (::getppid() != parent) ::_exit(status);
    }
    try {
        status = work();
    } catch (...) {
        // Who wants to know why catches it in the work.
    }
    ::_exit(status);
}

std::string perform(const std::function<std::string()>& work) {
    try {
        return said_result + work();
    } catch (const InputError& error) {
        return said_bad_input + std::string(error.what());
    } catch (const std::exception& error) {
        return said_fault + std::string(error.what());
    }
}

/// Reads until the other end is closed; false if the limit passes before.
bool read_until(int pipe, Clock::time_point end, const std::function<void()>& meanwhile,
                std::string& text) {
    std::array<char, 4096> buffer{};
    while (Clock::now() < end) {
        pollfd wanted{pipe, POLLIN, 0};
        if (::poll(&wanted, 1, poll_ms) <= 0) {
            meanwhile();
            continue;
        }
        const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
        if (count == 0) return true;
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return false;
}

Apart outcome_of(const std::string& said, int status) {
    if (said.empty())
        return {Apart::End::broken, status > signal_base
                                        ? fmt::format("ended by signal {}", status - signal_base)
                                        : "ended without a word"};
    const std::string text = said.substr(1);
    if (said.front() == said_bad_input) throw InputError(text);
    return {said.front() == said_result ? Apart::End::done : Apart::End::broken, text};
}

}  // namespace

Subprocess::Subprocess(const std::function<int()>& work, int orphaned) {
    // What waits in a buffer would be written twice.
    std::cout.flush();
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    id_ = ::fork();
    if (id_ < 0)
        throw Error(ExitStatus::internal_fault,
                    fmt::format("no process: {}", std::strerror(errno)));
    if (id_ == 0) live_as_child(work, parent, orphaned);
}

Subprocess::Subprocess(Subprocess&& other) noexcept : id_(other.detach()) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
}

Subprocess::~Subprocess() { end(SIGKILL); }

int Subprocess::wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return shell_status(status);
}

std::optional<int> Subprocess::ended() {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == 0) return std::nullopt;
    id_ = 0;
    return shell_status(status);
}

void Subprocess::end(int signal) {
    if (id_ <= 0) return;
    ::kill(id_, signal);
    (void)wait();
}

pid_t Subprocess::detach() { return std::exchange(id_, 0); }

int shell_status(int waited) {
    return WIFSIGNALED(waited) ? signal_base + WTERMSIG(waited) : WEXITSTATUS(waited);
}

Apart run_apart(const std::function<std::string()>& work, Seconds limit,
                const std::function<void()>& meanwhile) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ExitStatus::internal_fault, fmt::format("no pipe: {}", std::strerror(errno)));
    FileDescriptor here(ends[0]);
    FileDescriptor there(ends[1]);
    Subprocess child(
        [&] {
            std::signal(SIGINT, SIG_DFL);
            std::signal(SIGTERM, SIG_DFL);
            here.reset();
            return write_all(there.get(), perform(work)) ? 0 : 1;
        },
        SIGKILL);
    there.reset();
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(limit.value));
    std::string said;
    if (!read_until(here.get(), end, meanwhile, said)) return {Apart::End::late, {}};
    return outcome_of(said, child.wait());
}

}  // namespace espalier
