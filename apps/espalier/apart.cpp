#include "apart.hpp"

#include "core/error.hpp"

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
#include <string_view>

namespace espalier::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int poll_ms = 100;
/// The first letter of what a child says.
constexpr char said_result = 'r';
constexpr char said_bad_input = 'i';
constexpr char said_fault = 'f';

std::string perform(const std::function<std::string()>& work) {
    try {
        return said_result + work();
    } catch (const InputError& error) {
        return said_bad_input + std::string(error.what());
    } catch (const std::exception& error) {
        return said_fault + std::string(error.what());
    }
}

[[noreturn]] void live_as_child(int pipe, pid_t parent, const std::function<std::string()>& work) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    const std::string text = perform(work);
    std::string_view left = text;
    while (!left.empty()) {
        const ssize_t written = ::write(pipe, left.data(), left.size());
        if (written < 0 && errno != EINTR) break;
        if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    }
    ::_exit(0);
}

/// All that comes until the other end is closed; false where the limit passes before.
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

Outcome outcome_of(const std::string& said, int status) {
    if (said.empty())
        return {Outcome::End::broken, WIFSIGNALED(status)
                                          ? fmt::format("ended by signal {}", WTERMSIG(status))
                                          : "ended without a word"};
    const std::string text = said.substr(1);
    if (said.front() == said_bad_input) throw InputError(text);
    return {said.front() == said_result ? Outcome::End::done : Outcome::End::broken, text};
}

}  // namespace

Outcome run_apart(const std::function<std::string()>& work, Seconds limit,
                  const std::function<void()>& meanwhile) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        throw Error(ExitStatus::internal_fault, fmt::format("no pipe: {}", std::strerror(errno)));
    // What waits in a buffer would be written twice.
    std::cout.flush();
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(ends[0]);
        ::close(ends[1]);
        throw Error(ExitStatus::internal_fault,
                    fmt::format("no process: {}", std::strerror(errno)));
    }
    if (child == 0) {
        ::close(ends[0]);
        live_as_child(ends[1], parent, work);
    }
    ::close(ends[1]);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(limit.value));
    std::string said;
    const bool in_time = read_until(ends[0], end, meanwhile, said);
    ::close(ends[0]);
    if (!in_time) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time) return {Outcome::End::late, {}};
    return outcome_of(said, status);
}

}  // namespace espalier::cli
