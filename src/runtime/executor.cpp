#include "runtime/executor.hpp"

#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace espalier::runtime {

namespace {

constexpr int tag = 0;

std::size_t receivers_of(const Program& program) {
    // All segments of the first round go out before any second one does.
    std::size_t count = 0;
    for (const Program::Send& send : program.sends) {
        const auto same = [&](const Program::Send& earlier) {
            return earlier.destination == send.destination;
        };
        const auto end = program.sends.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::any_of(program.sends.begin(), end, same)) break;
        ++count;
    }
    return count;
}

}  // namespace

void Executor::run(const Program& program, std::byte* data, MPI_Comm comm) {
    program_ = &program;
    data_ = data;
    comm_ = comm;
    receives_.assign(program.receives.size(), MPI_REQUEST_NULL);
    sends_.clear();
    posted_ = done_ = first_send_ = 0;
    control_.resize(program.control_bytes);
    pacer_.start(program.spaced);
    try {
        perform();
    } catch (const MpiFailure&) {
        give_up();
        throw;
    }
}

void Executor::perform() {
    post_receives();
    const std::size_t window = Flavour::sends_per_receiver * receivers_of(*program_);
    for (const Program::Send& next : program_->sends) {
        for (std::size_t n = next.first_need; n < next.last_need; ++n)
            wait_for_receive(program_->needs[n]);
        if constexpr (Flavour::paced)
            pacer_.wait_for_turn(next);
        else
            make_room_for_send(window);
        send(next);
    }
    while (done_ < receives_.size()) wait_for_receive(done_);
    if (first_send_ < sends_.size())
        check(PMPI_Waitall(static_cast<int>(sends_.size() - first_send_), &sends_[first_send_],
                           MPI_STATUSES_IGNORE));
}

std::byte* Executor::place(const Program::Part& part) {
    return part.control ? control_.data() : data_ + part.offset;
}

void Executor::post_receives() {
    while (posted_ < receives_.size() && posted_ < done_ + Flavour::receive_window) {
        const Program::Receive& receive = program_->receives[posted_];
        assert(receive.op == schedule::Op::copy);
        check(PMPI_Irecv(place(receive.part), static_cast<int>(receive.part.bytes), MPI_BYTE,
                         receive.source, tag, comm_, &receives_[posted_]));
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

void Executor::make_room_for_send(std::size_t window) {
    while (sends_.size() - first_send_ >= window) {
        if (posted_ == receives_.size()) {
            check(PMPI_Wait(&sends_[first_send_++], MPI_STATUS_IGNORE));
            continue;
        }
        std::array<MPI_Request, 2> either{sends_[first_send_], receives_[done_]};
        int which = 0;
        check(PMPI_Waitany(2, either.data(), &which, MPI_STATUS_IGNORE));
        sends_[first_send_] = either[0];
        receives_[done_] = either[1];
        if (which == 0)
            ++first_send_;
        else
            wait_for_receive(done_);
    }
}

void Executor::send(const Program::Send& send) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Isend(place(send.part), static_cast<int>(send.part.bytes), MPI_BYTE,
                     send.destination, tag, comm_, &request));
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
