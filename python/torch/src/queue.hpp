#pragma once

#include "work.hpp"

#include <functional>
#include <memory>

namespace espalier::torch {

using CollectivePointer = c10::intrusive_ptr<CollectiveWork>;

/// Does what is queued, in order, on a thread of its own. What is late is ended, with all behind
/// it, by another thread: an MPI call can't be interrupted. From then on the queue refuses work.
class Queue {
public:
    /// `perform` is called on the queue's thread, and may throw.
    explicit Queue(std::function<void(CollectiveWork&)> perform);
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Throws if something was late before.
    void push(CollectivePointer work);
    /// Waits until all is done. False where something was late: a thread may be inside MPI.
    bool close();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace espalier::torch
