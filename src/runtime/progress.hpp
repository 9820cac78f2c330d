#pragma once

#include "core/units.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace espalier::runtime {

/// Something that goes on while the program does other things.
class Task {
public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;
    /// Does what can be done without waiting, and returns whether it is over. One thread at a time
    /// is in any task, and in none twice.
    [[nodiscard]] virtual bool advance() noexcept = 0;
};

/// The tasks of a process that are under way. MPI promises a program that its nonblocking
/// collectives go on while it is in any MPI call that waits. So they have to be advanced from
/// within MPI: Open MPI's progress engine calls whom it is told to call; or by a thread, where MPI
/// lets several threads call it. Threads may share it.
class Progress {
public:
    explicit Progress(bool wants_thread) : wants_thread_(wants_thread) {}
    ~Progress() { stop(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Whether tasks go on while this process waits in MPI, which is initialised. Starts the
    /// thread, if there is to be one: where there can't be, ranks have to hear that before they
    /// begin anything.
    [[nodiscard]] bool is_possible();
    /// Advances it from now on; for the first time at once, if no thread is at that.
    void add(std::shared_ptr<Task> task);
    /// Advances all tasks once, unless there are none, a thread is at that, or this is called from
    /// within a task; whether it did.
    bool poll();
    /// Advances tasks until `done`.
    template <typename Done>
    void poll_until(const Done& done) {
        while (!done()) {
            (void)poll();
            std::this_thread::yield();
        }
    }
    /// Gives all some time, and then leaves what is not over where it is.
    void end(Seconds time);

private:
    [[nodiscard]] bool may_have_thread() const;
    void start_thread();
    void stop();
    void run();

    const bool wants_thread_;
    std::atomic<std::size_t> count_ = 0;  ///< of tasks
    std::atomic<bool> busy_ = false;      ///< somebody advances them
    std::vector<std::shared_ptr<Task>> tasks_;
    std::mutex mutex_;                        ///< for what follows; never held while MPI is called
    std::vector<std::shared_ptr<Task>> new_;  ///< tasks that were added since
    bool is_in_engine_ = false;
    bool is_over_ = false;
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace espalier::runtime
