#include "runtime/executor.hpp"

#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace espalier::runtime {

namespace {

constexpr std::size_t no_slot = std::numeric_limits<std::size_t>::max();
/// Enough for what is under way between distant sites.
constexpr std::uint64_t most_slot_bytes = 16 << 20;

}  // namespace

void Executor::run(const RankProgram& program, bool ordered, Layout& layout, Staging& staging) {
    ++begun_;
    program_ = &program;
    layout_ = &layout;
    ordered_ = ordered;
    comm_ = layout.seat().own;
    receives_.assign(program.receives.size(), MPI_REQUEST_NULL);
    received_.assign(program.receives.size(), 0);
    left_.assign(program.sends.size(), 0);
    under_way_.clear();
    which_.clear();
    reached_.clear();
    posted_ = first_open_ = 0;
    prepare_slots(staging);
    pacer_.start(program);
    try {
        perform();
    } catch (...) {
        give_up();
        throw;
    }
    slots_memory_.give_back();
}

void Executor::prepare_slots(Staging& staging) {
    std::uint64_t most = 0;
    std::size_t count = 0;
    for (const RankProgram::Receive& receive : program_->receives) {
        if (receive.op != schedule::Op::combine) continue;
        const std::uint64_t units = layout_->units(receive.message);
        most = std::max(most, units);
        count += units > 0 ? 1 : 0;
    }
    free_slots_.clear();
    if (count == 0) return;
    slot_of_.assign(program_->receives.size(), no_slot);
    constexpr std::size_t alignment = alignof(std::max_align_t);
    slot_bytes_ = (layout_->unit().room(most) + alignment - 1) / alignment * alignment;
    const std::uint64_t limit = std::min(most_slot_bytes, staging.keeps() / 4);
    count = std::min<std::size_t>(count, std::max<std::uint64_t>(1, limit / slot_bytes_));
    slots_memory_ = staging.borrow(count * slot_bytes_);
    for (std::size_t slot = count; slot-- > 0;) free_slots_.push_back(slot);
}

void Executor::perform() {
    post_receives();
    auto barrier = program_->barriers.begin();
    for (std::size_t s = 0; s < program_->sends.size(); ++s) {
        for (; barrier != program_->barriers.end() && barrier->sends == s; ++barrier)
            meet(*barrier);
        const RankProgram::Send& next = program_->sends[s];
        for (std::size_t n = next.first_need; n < next.last_need; ++n) complete(program_->needs[n]);
        send(s);
    }
    for (; barrier != program_->barriers.end(); ++barrier) meet(*barrier);
    layout_->keep_own();
    for (std::size_t r = first_open_; r < receives_.size(); ++r) complete(r);
    wait_for_sends();
}

void Executor::meet(const RankProgram::Barrier& barrier) {
    for (std::size_t r = first_open_; r < barrier.receives; ++r) complete(r);
    wait_for_sends();
    check(PMPI_Barrier(comm_));
}

void Executor::post_receives() {
    while (posted_ < receives_.size() && posted_ < first_open_ + RankProgram::receive_window)
        if (!post_next()) return;
}

/// False where it has to wait.
bool Executor::post_next() {
    const std::size_t r = posted_;
    const RankProgram::Receive& receive = program_->receives[r];
    if (!layout_->travels(receive.message)) {
        received_[r] = 1;
    } else if (receive.op == schedule::Op::copy) {
        for (std::size_t e = receive.first_earlier; e < receive.last_earlier; ++e)
            if (received_[program_->earlier[e]] == 0) return false;
        for (std::size_t n = receive.first_need; n < receive.last_need; ++n)
            if (!has_left(program_->needs[n])) return false;
        const Place to = place_of(receive.message);
        check(PMPI_Irecv(to.address(), to.count(), to.type(), receive.message.peer,
                         layout_->seat().tag, comm_, &receives_[r]));
    } else {
        const std::uint64_t units = layout_->units(receive.message);
        Run slot;
        if (units > 0) {
            if (free_slots_.empty()) return false;
            slot_of_[r] = free_slots_.back();
            free_slots_.pop_back();
            std::byte* memory = slots_memory_.data() + slot_of_[r] * slot_bytes_;
            slot = {layout_->unit().row_in(memory, units), units};
        }
        const Place to({&slot, 1}, layout_->unit());
        check(PMPI_Irecv(to.address(), to.count(), to.type(), receive.message.peer,
                         layout_->seat().tag, comm_, &receives_[r]));
    }
    ++posted_;
    while (first_open_ < posted_ && received_[first_open_] != 0) ++first_open_;
    return true;
}

/// Brings about what the receive to be posted next waits for.
void Executor::unblock() {
    if (first_open_ < posted_) {
        complete(first_open_);
        return;
    }
    const RankProgram::Receive& receive = program_->receives[posted_];
    for (std::size_t n = receive.first_need; n < receive.last_need; ++n)
        wait_for_send(program_->needs[n]);
    post_receives();
}

void Executor::complete(std::size_t receive) {
    if (received_[receive] != 0) return;
    const RankProgram::Receive& what = program_->receives[receive];
    for (std::size_t e = what.first_earlier; e < what.last_earlier; ++e)
        complete(program_->earlier[e]);
    while (receive >= posted_) unblock();
    if (received_[receive] != 0) return;
    check(PMPI_Wait(&receives_[receive], MPI_STATUS_IGNORE));
    if (what.op == schedule::Op::combine) {
        for (std::size_t n = what.first_need; n < what.last_need; ++n)
            wait_for_send(program_->needs[n]);
        combine(receive);
    }
    received_[receive] = 1;
    while (first_open_ < posted_ && received_[first_open_] != 0) ++first_open_;
    post_receives();
}

void Executor::combine(std::size_t receive) {
    const RankProgram::Receive& what = program_->receives[receive];
    const std::uint64_t units = layout_->units(what.message);
    if (units == 0) return;
    const Element& unit = layout_->unit();
    std::byte* memory = slots_memory_.data() + slot_of_[receive] * slot_bytes_;
    std::byte* incoming = unit.row_in(memory, units);
    layout_->find(what.message, pieces_);
    for (const Layout::Piece& piece : pieces_) {
        // An exscan's result lies to the left of what is held, and grows to the left as well.
        if (layout_->is_exscan()) add_to_result(piece, incoming);
        const auto [held, count] = piece.run;
        if (what.from_left || !ordered_) {
            reduce(incoming, held, count);
        } else {
            reduce(held, incoming, count);
            copy({incoming, count}, unit, {held, count}, unit, layout_->seat().rank, comm_);
        }
        incoming = unit.at(incoming, count);
    }
    free_slots_.push_back(slot_of_[receive]);
}

void Executor::add_to_result(const Layout::Piece& piece, std::byte* incoming) {
    const Element& unit = layout_->unit();
    const std::uint64_t end = piece.first + piece.run.count;
    reached_.reach(piece.first, end, [&](std::uint64_t from, std::uint64_t to, bool was_reached) {
        std::byte* arrived = unit.at(incoming, from - piece.first);
        std::byte* result = unit.at(piece.address_of_result, from - piece.first);
        if (was_reached)
            reduce(arrived, result, to - from);
        else
            copy({arrived, to - from}, unit, {result, to - from}, unit, layout_->seat().rank,
                 comm_);
    });
}

/// held = incoming op held.
void Executor::reduce(std::byte* incoming, std::byte* held, std::uint64_t count) {
    const Element& unit = layout_->unit();
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    for (std::uint64_t done = 0; done < count; done += most)
        check(with_program([&] {
            return PMPI_Reduce_local(unit.at(incoming, done), unit.at(held, done),
                                     static_cast<int>(std::min(most, count - done)), unit.type,
                                     layout_->op());
        }));
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

void Executor::send(std::size_t index) {
    const RankProgram::Send& send = program_->sends[index];
    if (!layout_->travels(send.message)) {
        left_[index] = 1;
        return;
    }
    // With a port for each send there is nothing to wait for, and a clock takes time, too.
    if (program_->ports < program_->sends.size() || program_->ports == 1) {
        if constexpr (Flavour::paced)
            pacer_.wait_for_turn(send);
        else
            make_room_for_send();
    }
    const Place from = place_of(send.message);
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Isend(from.address(), from.count(), from.type(), send.message.peer,
                     layout_->seat().tag, comm_, &request));
    under_way_.push_back(request);
    which_.push_back(index);
}

void Executor::make_room_for_send() {
    while (under_way_.size() >= program_->window) {
        // The others may wait for room, too: a receive that is not posted yet may be one of theirs.
        const bool takes_in =
            posted_ < receives_.size() && first_open_ < posted_ && may_be_completed(first_open_);
        if (takes_in) under_way_.push_back(receives_[first_open_]);
        int index = MPI_UNDEFINED;
        const int code = PMPI_Waitany(static_cast<int>(under_way_.size()), under_way_.data(),
                                      &index, MPI_STATUS_IGNORE);
        if (takes_in) {
            receives_[first_open_] = under_way_.back();
            under_way_.pop_back();
        }
        check(code);
        assert(index != MPI_UNDEFINED);
        const auto over = static_cast<std::size_t>(index);
        if (takes_in && over == under_way_.size()) {
            complete(first_open_);
        } else {
            retire(over);
            post_receives();
        }
    }
}

/// Whether the sends of what it replaces have all left: it would wait for them, and for nothing
/// else.
bool Executor::may_be_completed(std::size_t receive) const {
    const RankProgram::Receive& what = program_->receives[receive];
    return std::all_of(program_->needs.begin() + static_cast<std::ptrdiff_t>(what.first_need),
                       program_->needs.begin() + static_cast<std::ptrdiff_t>(what.last_need),
                       [&](std::size_t send) { return left_[send] != 0; });
}

/// A send that MPI is done with.
void Executor::retire(std::size_t under_way) {
    left_[which_[under_way]] = 1;
    under_way_[under_way] = under_way_.back();
    which_[under_way] = which_.back();
    under_way_.pop_back();
    which_.pop_back();
}

bool Executor::has_left(std::size_t send) {
    if (left_[send] != 0) return true;
    const auto found = std::find(which_.begin(), which_.end(), send);
    if (found == which_.end()) return false;  // it has not begun
    const auto index = static_cast<std::size_t>(found - which_.begin());
    int over = 0;
    check(PMPI_Test(&under_way_[index], &over, MPI_STATUS_IGNORE));
    if (over != 0) retire(index);
    return over != 0;
}

void Executor::wait_for_send(std::size_t send) {
    if (left_[send] != 0) return;
    const auto found = std::find(which_.begin(), which_.end(), send);
    // It was listed earlier than what waits for it, so it has begun.
    assert(found != which_.end());
    const auto index = static_cast<std::size_t>(found - which_.begin());
    check(PMPI_Wait(&under_way_[index], MPI_STATUS_IGNORE));
    retire(index);
}

void Executor::wait_for_sends() {
    if (!under_way_.empty())
        check(PMPI_Waitall(static_cast<int>(under_way_.size()), under_way_.data(),
                           MPI_STATUSES_IGNORE));
    for (const std::size_t send : which_) left_[send] = 1;
    under_way_.clear();
    which_.clear();
}

void Executor::give_up() {
    for (MPI_Request& request : receives_) {
        if (request == MPI_REQUEST_NULL) continue;
        // One that is matched already can't be cancelled, and writes to memory that is still lent.
        PMPI_Cancel(&request);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    bool reads = false;
    for (MPI_Request& request : under_way_) {
        if (request == MPI_REQUEST_NULL) continue;
        PMPI_Request_free(&request);
        reads = true;
    }
    if (reads) layout_->abandon();
    slots_memory_.give_back();
}

}  // namespace espalier::runtime
