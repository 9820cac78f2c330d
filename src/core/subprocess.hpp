#pragma once

#include "core/units.hpp"

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace espalier {

/// A child of this process, in a copy of its memory: it does some work and ends. It is ended where
/// nobody waits for it.
class Subprocess {
public:
    /// None.
    Subprocess() = default;
    /// The child ends with the status that `work` returns, or with 1 where it throws. It gets the
    /// signal `orphaned` (none: 0) when this process ends before it. Throws Error where there can
    /// be no further process.
    explicit Subprocess(const std::function<int()>& work, int orphaned = 0);
    Subprocess(Subprocess&& other) noexcept;
    Subprocess& operator=(Subprocess&& other) noexcept;
    ~Subprocess();

    [[nodiscard]] pid_t id() const { return id_; }
    /// Waits until it has ended, and returns its exit status: 128 more than a signal that ended it.
    int wait();
    /// The same, without waiting: nullopt while it runs.
    [[nodiscard]] std::optional<int> ended();
    /// Sends a signal, and waits. Nothing happens where there is none any more.
    void end(int signal);
    /// Leaves it to itself, and returns its number.
    pid_t detach();

private:
    pid_t id_ = 0;
};

/// The status that a shell would report of a process, given what waitpid() says of it: its exit
/// status, or 128 plus the number of the signal that ended it.
[[nodiscard]] int shell_status(int waited);

/// How work ended that was done in a process of its own.
struct Apart {
    enum class End { done, late, broken };
    End end = End::done;
    std::string text;  ///< what the work returned, or why it broke
};

/// Does `work` in a child process, which is ended when it takes longer than `limit`, or when this
/// one ends: so nothing that it does can keep this one from going on. `meanwhile` is called a few
/// times a second. An InputError of the work is thrown again here. `limit` is at most some decades.
[[nodiscard]] Apart run_apart(const std::function<std::string()>& work, Seconds limit,
                              const std::function<void()>& meanwhile);

}  // namespace espalier
