#include "runtime/persistent.hpp"

#include "runtime/clock.hpp"
#include "runtime/failure.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <exception>
#include <utility>

namespace espalier::runtime {

PersistentCall::PersistentCall(Making making, const Operands& operands, Process& process)
    : CallTask(process),
      making_(std::move(making)),
      comm_(making_.seat.comm),
      operands_(operands, making_.seat.size) {
    Seat& seat = making_.seat;
    seat.peers = making_.ranks_in_world;
    // No other message goes from this process to itself with this tag.
    check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, seat.peer(seat.rank),
                         process.tags().tag_beside_calls(making_.tags), seat.own, &request_));
}

PersistentCall::~PersistentCall() {
    if (request_ != MPI_REQUEST_NULL && making_.seat.rank == 0)
        process_.tags().give_back(making_.tags);
}

void PersistentCall::start() noexcept {
    making_.seat.tag = process_.tags().tag(making_.tags, (*making_.starts)++);
    making_.seat.comm = comm_;
    has_begun_ = false;
    failure_ = MPI_SUCCESS;
    began_ = PMPI_Wtime();
    try {
        process_.progress().add(shared_from_this());
    } catch (const std::exception&) {
        end(MPI_ERR_NO_MEM);
    }
}

bool PersistentCall::step() {
    if (!std::exchange(has_begun_, true))
        run_.begin(making_.way, making_.seat, operands_.get(), process_);
    return run_.poll();
}

/// The program, in another thread, may start it again before this has returned.
void PersistentCall::end(int code) noexcept {
    const Seat& seat = making_.seat;
    if (making_.record) (void)problem_of([&] { making_.record(making_.way, since(began_)); });
    run_.end();
    // What does not fit makes the receive an error. Who sees that may not wait: a fatal handler is
    // called here.
    failure_ = code;
    static constexpr char too_much = 0;
    const int bytes = code == MPI_SUCCESS ? 0 : 1;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    if (code != MPI_SUCCESS && seat.comm != MPI_COMM_NULL &&
        PMPI_Comm_get_errhandler(seat.comm, &handler) == MPI_SUCCESS) {
        if (handler == MPI_ERRORS_ARE_FATAL) PMPI_Comm_call_errhandler(seat.comm, code);
        PMPI_Errhandler_free(&handler);
    }
    MPI_Request sent = MPI_REQUEST_NULL;
    PMPI_Isend(&too_much, bytes, MPI_BYTE, seat.peer(seat.rank),
               process_.tags().tag_beside_calls(making_.tags), seat.own, &sent);
    PMPI_Request_free(&sent);
}

int PersistentCall::raise(int code) const {
    if (const MPI_Comm comm = comm_; comm != MPI_COMM_NULL) PMPI_Comm_call_errhandler(comm, code);
    return code;
}

void PersistentCalls::add(std::shared_ptr<PersistentCall> call) {
    const std::scoped_lock lock(mutex_);
    const MPI_Request request = call->request();
    all_.insert_or_assign(request, std::move(call));
    count_ = all_.size();
}

std::shared_ptr<PersistentCall> PersistentCalls::find(MPI_Request request) {
    if (!has_any()) return nullptr;
    const std::scoped_lock lock(mutex_);
    const auto found = all_.find(request);
    return found == all_.end() ? nullptr : found->second;
}

void PersistentCalls::remove(MPI_Request request) {
    std::shared_ptr<PersistentCall> removed;
    const std::scoped_lock lock(mutex_);
    if (const auto found = all_.find(request); found != all_.end()) {
        removed = std::move(found->second);
        all_.erase(found);
    }
    count_ = all_.size();
}

void PersistentCalls::outlive(MPI_Comm comm) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [request, call] : all_) call->outlive(comm);
}

}  // namespace espalier::runtime

#ifndef ESPALIER_MPI_SMPI

using espalier::runtime::native;
using espalier::runtime::Process;

namespace {

std::shared_ptr<espalier::runtime::PersistentCall> persistent_call_of(const MPI_Request* request) {
    Process* process = Process::current();
    return process == nullptr || request == nullptr ? nullptr
                                                    : process->persistent_calls().find(*request);
}

}  // namespace

extern "C" int MPI_Start(MPI_Request* request) {
    const auto call = persistent_call_of(request);
    const int code = native<PMPI_Start>(request);
    if (call && code == MPI_SUCCESS) call->start();
    return code;
}

extern "C" int MPI_Startall(int count, MPI_Request* requests) {
    const int code = native<PMPI_Startall>(count, requests);
    if (code != MPI_SUCCESS) return code;
    for (int k = 0; k < count; ++k)
        if (const auto call = persistent_call_of(requests + k)) call->start();
    return code;
}

extern "C" int MPI_Request_free(MPI_Request* request) {
    const auto call = persistent_call_of(request);
    // Another may have the same handle as soon as it is free.
    if (call) Process::current()->persistent_calls().remove(*request);
    const int code = native<PMPI_Request_free>(request);
    if (call && code != MPI_SUCCESS) Process::current()->persistent_calls().add(call);
    return code;
}

#endif
