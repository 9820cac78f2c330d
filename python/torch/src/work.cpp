#include "work.hpp"

#include "mpi.hpp"

#include <ATen/core/jit_type.h>

#include <stdexcept>
#include <thread>
#include <utility>

namespace espalier::torch {

namespace {

std::string late(const std::string& call, Milliseconds timeout) {
    return call + ": not done in " + std::to_string(timeout.count()) +
           " ms; some rank has not called it, or with another size";
}

}  // namespace

CollectiveWork::CollectiveWork(c10d::OpType type, std::string call, std::vector<at::Tensor> outputs,
                               std::function<void()> run, Milliseconds timeout)
    : Work(-1, type),
      call_(std::move(call)),
      outputs_(std::move(outputs)),
      run_(std::move(run)),
      timeout_(timeout),
      deadline_(Clock::now() + timeout),
      future_(
          c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()))) {
}

void CollectiveWork::run() {
    const std::function<void()> once = std::move(run_);
    once();
}

void CollectiveWork::end(const std::exception_ptr& failure) {
    if (ended_.exchange(true)) return;
    finish(failure);
    if (failure)
        future_->setError(failure);
    else
        future_->markCompleted(c10::IValue(outputs_));
}

std::exception_ptr CollectiveWork::lateness() const {
    return std::make_exception_ptr(std::runtime_error("espalier: " + late(call_, timeout_)));
}

bool CollectiveWork::wait(Milliseconds timeout) {
    std::unique_lock lock(mutex_);
    const auto done = [this] { return completed_; };
    // The group ends what its own time-out is over for.
    if (timeout == kNoTimeout)
        cv_.wait(lock, done);
    else if (!cv_.wait_for(lock, timeout, done))
        refuse(late(call_, timeout));
    if (exception_) std::rethrow_exception(exception_);
    return true;
}

MessageWork::MessageWork(c10d::OpType type, at::Tensor tensor, MPI_Request request,
                         Milliseconds timeout)
    : Work(-1, type), tensor_(std::move(tensor)), request_(request), timeout_(timeout) {}

MessageWork::~MessageWork() {
    if (request_ == MPI_REQUEST_NULL) return;
    // Nobody waited: MPI may use the memory until the message is over, so that it is never freed.
    static_cast<void>(tensor_.unsafeReleaseTensorImpl());
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised == 0) MPI_Request_free(&request_);
}

bool MessageWork::isCompleted() {
    const std::scoped_lock lock(mutex_);
    if (completed_) return true;
    int done = 0;
    MPI_Status status{};
    const int code = MPI_Test(&request_, &done, &status);
    if (code != MPI_SUCCESS) {
        try {
            check(code);
        } catch (...) {
            exception_ = std::current_exception();
        }
        request_ = MPI_REQUEST_NULL;
    } else if (done != 0) {
        source_ = status.MPI_SOURCE;
    }
    completed_ = done != 0 || exception_ != nullptr;
    return completed_;
}

bool MessageWork::wait(Milliseconds timeout) {
    constexpr auto longest_nap = std::chrono::microseconds(500);
    const Milliseconds allowed = timeout == kNoTimeout ? timeout_ : timeout;
    const auto deadline = Clock::now() + allowed;
    auto nap = std::chrono::microseconds(0);
    while (!isCompleted()) {
        if (Clock::now() > deadline)
            refuse(c10d::opTypeToString(opType_) + ": not done in " +
                   std::to_string(allowed.count()) + " ms; the other rank has not called its part");
        std::this_thread::sleep_for(nap);
        nap = std::min(nap * 2 + std::chrono::microseconds(1), longest_nap);
    }
    if (exception_) std::rethrow_exception(exception_);
    return true;
}

}  // namespace espalier::torch
