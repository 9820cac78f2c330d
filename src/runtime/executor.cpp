#include "runtime/executor.hpp"

#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"
#include "runtime/revocation.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace espalier::runtime {

namespace {

constexpr std::size_t no_slot = std::numeric_limits<std::size_t>::max();

/// A receive that is matched already can't be cancelled, and writes to memory that is still lent.
void cancel(MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return;
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

void Executor::run(const RankProgram& program, Layout& layout, Staging& staging,
                   std::vector<Heard>* heard) {
    begin(program, layout, staging, heard);
    or_give_up([&] { perform(); });
    slots_memory_.give_back();
}

void Executor::begin(const RankProgram& program, Layout& layout, Staging& staging,
                     std::vector<Heard>* heard) {
    ++begun_;
    heard_ = heard;
    if (heard_ != nullptr) heard_->clear();
    program_ = &program;
    layout_ = &layout;
    order_.start(program, Flavour::paced);
    receives_.assign(program.receives.size(), MPI_REQUEST_NULL);
    received_.assign(program.receives.size(), 0);
    link_by_peer(program.receives, next_from_, firsts_, scratch_);
    is_next_.assign(program.receives.size(), 0);
    for (const std::size_t first : firsts_) is_next_[first] = 1;
    arrived_.clear();
    requests_.clear();
    watched_.clear();
    reached_.clear();
    posted_ = first_open_ = 0;
    failure_ = MPI_SUCCESS;
    prepare_slots(staging);
    pacer_.start(program);
    or_give_up([&] {
        watch_revocation();
        advance();
    });
}

bool Executor::poll() {
    or_give_up([&] {
        while (take_in_one()) advance();
        if (!is_over()) return;
        layout_->keep_own();
        end_watching_revocation();
        check(failure_);
    });
    if (!is_over()) return false;
    slots_memory_.give_back();
    return true;
}

template <typename Action>
void Executor::or_give_up(const Action& action) {
    try {
        action();
    } catch (...) {
        give_up();
        throw;
    }
}

void Executor::perform() {
    while (!only_waits()) {
        take_in_any();
        advance();
    }
    layout_->keep_own();
    wait_for_all();
    check(failure_);
}

/// Whether all that is left to do is to wait for MPI.
bool Executor::only_waits() const {
    // MPI tells nobody in which order what it waits for has come.
    if (heard_ != nullptr && first_open_ < receives_.size()) return false;
    return order_.all_taken() && posted_ == receives_.size() && to_combine_ == 0 &&
           order_.barrier() == program_->barriers.size();
}

/// Whether nothing is left to do, nor to wait for.
bool Executor::is_over() const {
    return only_waits() && first_open_ == receives_.size() &&
           requests_.size() == (may_be_revoked_ ? 1 : 0);
}

/// Does all that can be done without waiting.
void Executor::advance() {
    for (bool moved = true; moved;) {
        moved = post_receives();
        moved = combine_arrived() || moved;
        moved = send_what_can_go() || moved;
        moved = meet() || moved;
    }
}

bool Executor::meet() {
    if (!order_.is_at_barrier() || first_open_ < program_->barriers[order_.barrier()].receives)
        return false;
    check_handled(PMPI_Barrier(layout_->seat().comm));
    order_.pass_barrier();
    return true;
}

bool Executor::post_receives() {
    const std::size_t before = posted_;
    while (posted_ < receives_.size() && posted_ < first_open_ + RankProgram::receive_window)
        if (!post_next()) break;
    return posted_ > before;
}

/// Posts the next receive; false if it has to wait.
bool Executor::post_next() {
    const std::size_t r = posted_;
    const RankProgram::Receive& receive = program_->receives[r];
    if (!layout_->travels(receive.message)) {
        ++posted_;
        finish_receive(r);
        if (is_next_[r] != 0) watch_next(r);
        return true;
    }
    Run slot;
    if (receive.op == schedule::Op::copy) {
        if (!may_land(receive)) return false;
    } else if (const std::uint64_t units = layout_->units(receive.message); units > 0) {
        if (free_slots_.empty()) return false;
        slot_of_[r] = free_slots_.back();
        free_slots_.pop_back();
        std::byte* memory = slots_memory_.data() + slot_of_[r] * slot_bytes_;
        slot = {layout_->unit().row_in(memory, units), units};
    }
    const Place to = receive.op == schedule::Op::copy ? place_of(receive.message)
                                                      : Place({&slot, 1}, layout_->unit());
    MPI_Request request = MPI_REQUEST_NULL;
    const Seat& seat = layout_->seat();
    check(PMPI_Irecv(to.address(), to.count(), to.type(), seat.peer(receive.message.peer), seat.tag,
                     seat.own, &request));
    ++posted_;
    if (is_next_[r] != 0)
        watch(r, request);
    else
        receives_[r] = request;
    return true;
}

/// Whether what it goes on top of is there, and what it replaces has left.
bool Executor::may_land(const RankProgram::Receive& receive) const {
    for (std::size_t e = receive.first_earlier; e < receive.last_earlier; ++e)
        if (received_[program_->earlier[e]] == 0) return false;
    for (std::size_t n = receive.first_need; n < receive.last_need; ++n)
        if (!order_.has_left(program_->needs[n])) return false;
    return true;
}

void Executor::watch_revocation() {
    const MPI_Request request = await_revocation(layout_->seat().comm, layout_->seat().rank);
    may_be_revoked_ = request != MPI_REQUEST_NULL;
    if (may_be_revoked_) watch(no_slot, request);
}

void Executor::watch(std::size_t receive, MPI_Request request) {
    requests_.push_back(request);
    watched_.push_back({false, receive});
}

/// Waits until a send has left, or a message has come.
void Executor::take_in_any() {
    int place = MPI_UNDEFINED;
    const int code = PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &place,
                                  MPI_STATUS_IGNORE);
    take_in(place, code);
}

/// The same without waiting; whether there was one.
bool Executor::take_in_one() {
    int place = MPI_UNDEFINED;
    int done = 0;
    const int code = PMPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &place,
                                  &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && (done == 0 || place == MPI_UNDEFINED)) return false;
    take_in(place, code);
    return true;
}

void Executor::take_in(int place, int code) {
    if (code != MPI_SUCCESS) {
        const bool is_revoked = may_be_revoked_ && place == 0;
        if (is_revoked || place == MPI_UNDEFINED) throw MpiFailure{code, is_revoked};
        note_failure(code);
    }
    assert(place != MPI_UNDEFINED);
    const auto over = static_cast<std::size_t>(place);
    const Watched what = watched_[over];
    requests_[over] = requests_.back();
    watched_[over] = watched_.back();
    requests_.pop_back();
    watched_.pop_back();
    if (may_be_revoked_ && place == 0)
        may_be_revoked_ = false;  // the program sent what it was to receive
    else if (what.is_send)
        order_.leave(what.index);
    else
        arrive(what.index);
}

void Executor::note(int from) {
    const double now = PMPI_Wtime();
    const auto known = std::ranges::find(*heard_, from, &Heard::from);
    if (known == heard_->end())
        heard_->push_back({from, now, now});
    else
        known->last = now;
}

void Executor::arrive(std::size_t receive) {
    if (heard_ != nullptr) note(program_->receives[receive].message.peer);
    if (program_->receives[receive].op == schedule::Op::copy)
        finish_receive(receive);
    else
        arrived_.insert(std::lower_bound(arrived_.begin(), arrived_.end(), receive), receive);
    watch_next(receive);
}

/// The next from the same rank that travels is to be waited for, once it is posted.
void Executor::watch_next(std::size_t receive) {
    for (std::size_t r = next_from_[receive]; r < receives_.size(); r = next_from_[r]) {
        is_next_[r] = 1;
        if (receives_[r] != MPI_REQUEST_NULL)
            watch(r, std::exchange(receives_[r], MPI_REQUEST_NULL));
        if (received_[r] == 0) return;
    }
}

void Executor::finish_receive(std::size_t receive) {
    received_[receive] = 1;
    while (first_open_ < posted_ && received_[first_open_] != 0) ++first_open_;
}

Place Executor::place_of(const RankProgram::Message& message) {
    const Element& unit = layout_->unit();
    layout_->find(message, pieces_);
    runs_.clear();
    for (const Layout::Piece& piece : pieces_) {
        if (!runs_.empty() &&
            unit.at(runs_.back().address, runs_.back().count) == piece.run.address)
            runs_.back().count += piece.run.count;
        else
            runs_.push_back(piece.run);
    }
    return {runs_, unit};
}

bool Executor::send_what_can_go() {
    bool sent = false;
    while (const auto next = order_.take(received_)) {
        send(*next);
        sent = true;
    }
    return sent;
}

void Executor::send(std::size_t index) {
    const RankProgram::Send& send = program_->sends[index];
    if (!layout_->travels(send.message)) {
        order_.leave(index);
        return;
    }
    if constexpr (Flavour::paced) pacer_.wait_for_turn(send);
    const Place from = place_of(send.message);
    MPI_Request request = MPI_REQUEST_NULL;
    const Seat& seat = layout_->seat();
    check(PMPI_Isend(from.address(), from.count(), from.type(), seat.peer(send.message.peer),
                     seat.tag, seat.own, &request));
    requests_.push_back(request);
    watched_.push_back({true, index});
}

void Executor::wait_for_all() {
    if (may_be_revoked_)
        while (requests_.size() > 1) take_in_any();
    end_watching_revocation();
    for (MPI_Request& request : receives_) note_failure(PMPI_Wait(&request, MPI_STATUS_IGNORE));
    for (MPI_Request& request : requests_) note_failure(PMPI_Wait(&request, MPI_STATUS_IGNORE));
}

void Executor::end_watching_revocation() {
    if (!may_be_revoked_) return;
    cancel(requests_.front());
    requests_.clear();
    watched_.clear();
    may_be_revoked_ = false;
}

/// A message went wrong; others wait for those that come after it.
void Executor::note_failure(int code) {
    if (failure_ == MPI_SUCCESS) failure_ = code;
}

void Executor::give_up() {
    bool reads = false;
    for (MPI_Request& request : receives_) cancel(request);
    for (std::size_t r = 0; r < requests_.size(); ++r) {
        if (!watched_[r].is_send) {
            cancel(requests_[r]);
        } else if (requests_[r] != MPI_REQUEST_NULL) {
            PMPI_Request_free(&requests_[r]);
            reads = true;
        }
    }
    if (reads) layout_->abandon();
    slots_memory_.give_back();
}

}  // namespace espalier::runtime
