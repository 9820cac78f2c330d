#include "queue.hpp"

#include "mpi.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace espalier::torch {

/// Shared with both threads, one of which may stay inside MPI for ever.
struct Queue::State {
    std::function<void(CollectiveWork&)> perform;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<CollectivePointer> works;  ///< the first is under way
    bool closing = false;
    std::string late;  ///< what was; then nothing is begun any more
    std::thread worker;
    std::thread watch;

    [[nodiscard]] bool over() const { return !late.empty() || (closing && works.empty()); }

    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return over() || !works.empty(); });
            if (over()) return;
            const CollectivePointer current = works.front();
            lock.unlock();
            std::exception_ptr failure;
            try {
                perform(*current);
            } catch (...) {
                failure = std::current_exception();
            }
            current->end(failure);
            lock.lock();
            if (late.empty()) works.pop_front();
            changed.notify_all();
        }
    }

    void watch_over() {
        std::unique_lock lock(mutex);
        while (!over()) {
            if (works.empty()) {
                changed.wait(lock);
                continue;
            }
            const CollectivePointer first = works.front();
            if (Clock::now() < first->deadline()) {
                changed.wait_until(lock, first->deadline());
                continue;
            }
            late = first->call();
            const auto ended = std::exchange(works, {});
            lock.unlock();
            for (const CollectivePointer& each : ended) each->end(first->lateness());
            changed.notify_all();
            return;
        }
    }
};

Queue::Queue(std::function<void(CollectiveWork&)> perform) : state_(std::make_shared<State>()) {
    state_->perform = std::move(perform);
    state_->worker = std::thread([state = state_] { state->work(); });
    state_->watch = std::thread([state = state_] { state->watch_over(); });
}

Queue::~Queue() { close(); }

void Queue::push(CollectivePointer work) {
    const std::scoped_lock lock(state_->mutex);
    if (!state_->late.empty())
        refuse(work->call() + ": this group ended when its time for " + state_->late + " was over");
    state_->works.push_back(std::move(work));
    state_->changed.notify_all();
}

bool Queue::close() {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->closing = true;
        state_->changed.notify_all();
    }
    if (state_->watch.joinable()) state_->watch.join();
    bool in_time = false;
    {
        const std::scoped_lock lock(state_->mutex);
        in_time = state_->late.empty();
    }
    if (state_->worker.joinable()) {
        if (in_time)
            state_->worker.join();
        else
            state_->worker.detach();
    }
    return in_time;
}

}  // namespace espalier::torch
