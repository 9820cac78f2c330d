#include "runtime/executor.hpp"

#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"

#include <cassert>
#include <cstring>

namespace espalier::runtime {

namespace {

constexpr int tag = 0;

}  // namespace

void Executor::run(const Program& program, const Memory& memory, MPI_Comm comm) {
    program_ = &program;
    memory_ = &memory;
    comm_ = comm;
    receives_.assign(program.receives.size(), MPI_REQUEST_NULL);
    sends_.clear();
    posted_ = done_ = 0;
    scratch_.resize(program.scratch_bytes);
    pacer_.start(program);
    try {
        perform();
    } catch (const MpiFailure&) {
        give_up();
        throw;
    }
}

void Executor::perform() {
    post_receives();
    auto barrier = program_->barriers.begin();
    for (std::size_t s = 0; s < program_->sends.size(); ++s) {
        for (; barrier != program_->barriers.end() && barrier->sends == s; ++barrier)
            meet(*barrier);
        const Program::Send& next = program_->sends[s];
        for (std::size_t n = next.first_need; n < next.last_need; ++n)
            wait_for_receive(program_->needs[n]);
        send(next);
    }
    for (; barrier != program_->barriers.end(); ++barrier) meet(*barrier);
    for (const Program::Copy& stays : program_->copies) copy(stays);
    while (done_ < receives_.size()) wait_for_receive(done_);
    wait_for_sends();
}

Memory::Place Executor::place(const Program::Part& part) {
    if (part.buffer == Program::Buffer::scratch)
        return {scratch_.data(), static_cast<int>(part.bytes), MPI_BYTE};
    return memory_->find(part);
}

void Executor::copy(const Program::Copy& copy) {
    const Memory::Place from = place(copy.from);
    const Memory::Place to = place(copy.to);
    if (from.address == to.address) return;  // in place
    if (from.type == MPI_BYTE && to.type == MPI_BYTE) {
        if (from.count > 0)
            std::memcpy(to.address, from.address, static_cast<std::size_t>(from.count));
        return;
    }
    int rank = 0;
    check(PMPI_Comm_rank(comm_, &rank));
    check(PMPI_Sendrecv(from.address, from.count, from.type, rank, tag, to.address, to.count,
                        to.type, rank, tag, comm_, MPI_STATUS_IGNORE));
}

void Executor::meet(const Program::Barrier& barrier) {
    while (done_ < barrier.receives) wait_for_receive(done_);
    wait_for_sends();
    check(PMPI_Barrier(comm_));
}

void Executor::post_receives() {
    while (posted_ < receives_.size() && posted_ < done_ + Flavour::receive_window) {
        const Program::Receive& receive = program_->receives[posted_];
        assert(receive.op == schedule::Op::copy);
        const Memory::Place to = place(receive.part);
        if (to.count > 0 || !receive.part.all)
            check(PMPI_Irecv(to.address, to.count, to.type, receive.source, tag, comm_,
                             &receives_[posted_]));
        ++posted_;
    }
}

void Executor::wait_for_receive(std::size_t index) {
    while (index >= posted_) wait_for_receive(done_);
    if (index < done_) return;
    check(PMPI_Wait(&receives_[index], MPI_STATUS_IGNORE));
    while (done_ < posted_ && receives_[done_] == MPI_REQUEST_NULL) ++done_;
    post_receives();
}

void Executor::wait_for_sends() {
    if (!sends_.empty())
        check(PMPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE));
    sends_.clear();
}

void Executor::make_room_for_send() {
    while (sends_.size() >= program_->window) {
        // The others may wait for room, too: a receive that is not posted yet may be one of theirs.
        const bool takes_in = posted_ < receives_.size();
        if (takes_in) sends_.push_back(receives_[done_]);
        int which = MPI_UNDEFINED;
        const int code =
            PMPI_Waitany(static_cast<int>(sends_.size()), sends_.data(), &which, MPI_STATUS_IGNORE);
        if (takes_in) {
            receives_[done_] = sends_.back();
            sends_.pop_back();
        }
        check(code);
        const auto over = static_cast<std::size_t>(which);
        if (takes_in && over == sends_.size()) {
            wait_for_receive(done_);
        } else {
            assert(which != MPI_UNDEFINED);
            sends_[over] = sends_.back();
            sends_.pop_back();
        }
    }
}

void Executor::send(const Program::Send& send) {
    const Memory::Place from = place(send.part);
    if (from.count == 0 && send.part.all) return;
    // With a port for each send there is nothing to wait for, and a clock takes time, too.
    if (program_->ports < program_->sends.size() || program_->ports == 1) {
        if constexpr (Flavour::paced)
            pacer_.wait_for_turn(send);
        else
            make_room_for_send();
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Isend(from.address, from.count, from.type, send.destination, tag, comm_, &request));
    sends_.push_back(request);
}

void Executor::give_up() {
    for (MPI_Request& request : receives_) {
        if (request == MPI_REQUEST_NULL) continue;
        PMPI_Cancel(&request);
        PMPI_Request_free(&request);
    }
    for (MPI_Request& request : sends_)
        if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
}

}  // namespace espalier::runtime
