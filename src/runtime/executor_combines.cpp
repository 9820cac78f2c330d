#include "runtime/executor.hpp"

#include "runtime/failure.hpp"

#include <algorithm>
#include <limits>

// What an executor does with operands: where they arrive, and in which order they are combined.

namespace espalier::runtime {

namespace {

/// The most bytes of slots: enough for what is in flight between distant sites.
constexpr std::uint64_t most_slot_bytes = 16 << 20;

}  // namespace

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
    to_combine_ = count;
    if (count == 0) return;
    slot_of_.assign(program_->receives.size(), std::numeric_limits<std::size_t>::max());
    constexpr std::size_t alignment = alignof(std::max_align_t);
    slot_bytes_ = (layout_->unit().room(most) + alignment - 1) / alignment * alignment;
    const std::uint64_t limit = std::min(most_slot_bytes, staging.keeps() / 4);
    count = std::min<std::size_t>(count, std::max<std::uint64_t>(1, limit / slot_bytes_));
    slots_memory_ = staging.borrow(count * slot_bytes_);
    for (std::size_t slot = count; slot-- > 0;) free_slots_.push_back(slot);
}

/// Combines what has arrived with what it goes on top of, in the listed order; returns whether it
/// combined anything.
bool Executor::combine_arrived() {
    const std::size_t combined = std::erase_if(arrived_, [&](std::size_t receive) {
        if (!may_land(program_->receives[receive])) return false;
        combine(receive);
        finish_receive(receive);
        return true;
    });
    return combined > 0;
}

void Executor::combine(std::size_t receive) {
    const RankProgram::Receive& what = program_->receives[receive];
    const std::uint64_t units = layout_->units(what.message);
    if (units == 0) return;
    --to_combine_;
    const Element& unit = layout_->unit();
    std::byte* memory = slots_memory_.data() + slot_of_[receive] * slot_bytes_;
    std::byte* incoming = unit.row_in(memory, units);
    layout_->find(what.message, pieces_);
    for (const Layout::Piece& piece : pieces_) {
        // An exscan's result lies to the left of what is held, and grows to the left as well.
        if (layout_->is_exscan()) add_to_result(piece, incoming);
        const auto [held, count] = piece.run;
        if (what.from_left) {
            reduce(incoming, held, count);
        } else {
            reduce(held, incoming, count);
            copy({incoming, count}, unit, {held, count}, unit, layout_->seat());
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
            copy({arrived, to - from}, unit, {result, to - from}, unit, layout_->seat());
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

}  // namespace espalier::runtime
