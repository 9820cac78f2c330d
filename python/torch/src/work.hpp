#pragma once

#include <ATen/core/ivalue.h>
#include <mpi.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace espalier::torch {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// A collective that is queued, under way or done. Its future has the same end.
class CollectiveWork : public c10d::Work {
public:
    /// `call` tells it in messages and, where ranks are to agree, is what they must agree on.
    CollectiveWork(c10d::OpType type, std::string call, std::vector<at::Tensor> outputs,
                   std::function<void()> run, Milliseconds timeout);

    [[nodiscard]] const std::string& call() const { return call_; }
    [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
    /// Moves the bytes. Once; what it needed is let go.
    void run();
    /// Ends it, unless something has. Waiters are woken, then the future's callbacks run.
    void end(const std::exception_ptr& failure);
    /// That its time is up.
    [[nodiscard]] std::exception_ptr lateness() const;

    bool wait(Milliseconds timeout) override;
    std::vector<at::Tensor> result() override { return outputs_; }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

private:
    const std::string call_;
    const std::vector<at::Tensor> outputs_;
    std::function<void()> run_;
    const Milliseconds timeout_;
    const Clock::time_point deadline_;
    std::atomic<bool> ended_ = false;
    const c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// A message that MPI moves while the program does something else. Like Gloo's, it has no future.
class MessageWork : public c10d::Work {
public:
    /// Takes over `request`, which uses the memory of `tensor`.
    MessageWork(c10d::OpType type, at::Tensor tensor, MPI_Request request, Milliseconds timeout);
    ~MessageWork() override;

    bool isCompleted() override;
    bool wait(Milliseconds timeout) override;
    [[nodiscard]] int sourceRank() const override { return source_; }

private:
    at::Tensor tensor_;
    MPI_Request request_;
    const Milliseconds timeout_;
    int source_ = -1;
};

}  // namespace espalier::torch
