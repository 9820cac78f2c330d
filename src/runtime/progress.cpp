#include "runtime/progress.hpp"

#include "runtime/flavour.hpp"
#include "runtime/logic/deaf_thread.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>

#ifdef ESPALIER_MPI_OPENMPI
#include <dlfcn.h>
#endif

namespace espalier::runtime {

namespace {

#ifdef ESPALIER_MPI_OPENMPI

/// What Open MPI's progress engine calls whenever it runs, in any MPI call that waits. Its own
/// nonblocking collectives are advanced so.
/// Returns how many events there were: where there are none, the engine lets other processes run
/// if it is to yield. Asking MPI for messages has done so already, and what came meanwhile should
/// not wait for others once more.
int advance_from_within() {
    Process* const process = Process::current();
    return process != nullptr && process->progress().poll() ? 1 : 0;
}

/// Has the engine call that; nullptr where this version of the library does not export it.
using Register = int (*)(int (*callback)());
Register engine(const char* name) { return reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, name)); }

bool has_engine() { return engine("opal_progress_register") != nullptr; }
void enter_engine() { (void)engine("opal_progress_register")(&advance_from_within); }
void leave_engine() {
    if (const Register leave = engine("opal_progress_unregister"))
        (void)leave(&advance_from_within);
}

#else

bool has_engine() { return false; }
void enter_engine() {}
void leave_engine() {}

#endif

}  // namespace

bool Progress::may_have_thread() const {
    if (!wants_thread_ || Flavour::paced) return false;
    int level = MPI_THREAD_SINGLE;
    return PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
}

bool Progress::is_possible() {
    start_thread();
    return has_engine() || thread_.joinable();
}

void Progress::add(std::shared_ptr<Task> task) {
    bool is_first = false;
    {
        const std::scoped_lock lock(mutex_);
        new_.push_back(std::move(task));
        ++count_;
        is_first = has_engine() && !std::exchange(is_in_engine_, true);
    }
    if (is_first) enter_engine();
    changed_.notify_one();
    (void)poll();
}

bool Progress::poll() {
    if (count_.load(std::memory_order_acquire) == 0 ||
        busy_.exchange(true, std::memory_order_acquire))
        return false;
    {
        const std::scoped_lock lock(mutex_);
        std::move(new_.begin(), new_.end(), std::back_inserter(tasks_));
        new_.clear();
    }
    count_ -=
        std::erase_if(tasks_, [](const std::shared_ptr<Task>& task) { return task->advance(); });
    busy_.store(false, std::memory_order_release);
    return true;
}

void Progress::start_thread() {
    if (thread_.joinable() || !may_have_thread()) return;
    try {
        thread_ = begin_deaf([this] { run(); });
    } catch (const std::system_error&) {
        // Without one, then.
    }
}

void Progress::run() {
    // Longer than what MPI does meanwhile, so that the program's own threads get to call it.
    constexpr std::chrono::microseconds pause(20);
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return is_over_ || count_ > 0; });
            if (is_over_) return;
        }
        (void)poll();
        std::this_thread::sleep_for(pause);
    }
}

void Progress::end(Seconds time) {
    const auto deadline = after(time);
    (void)wait_asleep(deadline, [&] {
        (void)poll();
        return count_ == 0;
    });
    stop();
    // What is not over stays where it is: messages may come.
    const std::scoped_lock lock(mutex_);
    auto* const left = new std::vector<std::shared_ptr<Task>>(std::move(tasks_));
    std::move(new_.begin(), new_.end(), std::back_inserter(*left));
    if (left->empty()) delete left;
    tasks_.clear();
    new_.clear();
    count_ = 0;
}

void Progress::stop() {
    {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
    if (std::exchange(is_in_engine_, false)) leave_engine();
}

}  // namespace espalier::runtime
