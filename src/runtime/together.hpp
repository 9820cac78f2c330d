#pragma once

#include "core/units.hpp"
#include "measure/channel.hpp"
#include "runtime/failure.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>

namespace espalier::runtime {

using Clock = std::chrono::steady_clock;

[[nodiscard]] Clock::time_point after(Seconds time);

/// Waits asleep until `done`, or until the deadline, and returns which: ranks that start are often
/// more than there are processors, and one that polls keeps another from doing what it polls for.
template <typename Done>
bool wait_asleep(Clock::time_point deadline, const Done& done) {
    constexpr Clock::duration shortest = std::chrono::microseconds(10);
    constexpr Clock::duration longest = std::chrono::milliseconds(2);
    const auto began = Clock::now();
    while (!done()) {
        const auto now = Clock::now();
        if (now > deadline) return false;
        std::this_thread::sleep_for(std::clamp((now - began) / 16, shortest, longest));
    }
    return true;
}

/// Completes a request whose other side may be at work for a while (wait_asleep). Throws
/// MpiFailure.
void complete_asleep(MPI_Request& request);

/// One line: what MPI says of the code of a call.
[[nodiscard]] std::string text_of_failure(int code);

/// What `action` throws, as a text; empty if it throws nothing.
template <typename Action>
std::string problem_of(const Action& action) {
    try {
        action();
    } catch (const MpiFailure& failure) {
        return text_of_failure(failure.code);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

/// Does the part of this rank in the work of all; returns why it failed, or empty. It may be left
/// for good, while messages of it are still on their way, where `called_off`, which is asked now
/// and then while a rank waits, says why, or where a call of MPI's fails.
[[nodiscard]] std::string attempt(const std::function<void(const measure::Watch&)>& work,
                                  const std::function<std::string()>& called_off);

/// Rank 0's bytes, everywhere. Collective over `comm`; to be called in an attempt().
void broadcast(std::string& data, MPI_Comm comm, const measure::Watch& watch);

}  // namespace espalier::runtime
