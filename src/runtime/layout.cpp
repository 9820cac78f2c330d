#include "runtime/layout.hpp"

#include "runtime/failure.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace espalier::runtime {

using schedule::Kind;

std::vector<bool> written_chunks(const RankProgram& program) {
    std::vector<bool> written(program.chunks.size());
    for (const RankProgram::Receive& receive : program.receives)
        for (std::size_t c = 0; c < receive.message.chunks; ++c)
            written[receive.message.chunk + c] = true;
    return written;
}

Layout::Layout(const Operands& operands, const RankProgram& program,
               const std::vector<bool>& written, const Seat& seat, Staging& staging)
    : operands_(operands),
      program_(program),
      seat_(seat),
      me_(static_cast<std::size_t>(seat.rank)),
      combines_(schedule::combines(operands.kind)) {
    choose_sides();
    chunks_.reserve(program.chunks.size());
    for (std::size_t c = 0; c < program.chunks.size(); ++c) {
        const RankProgram::Chunk& chunk = program.chunks[c];
        Chunk& placed = chunks_.emplace_back();
        if (chunk.empty) continue;
        placed.home = home_of(chunk, written[c]);
        placed.item = units_of_item(placed.home);
        placed.first = chunk.first_unit(placed.item);
        placed.units = chunk.units(placed.item);
    }
    place_chunks();
    bytes_memory_ = staging.borrow(bytes_);
    if (elements_ > 0) sums_memory_ = staging.borrow(unit_.room(elements_));
    // Offsets are addresses only now.
    std::byte* sums = elements_ > 0 ? unit_.row_in(sums_memory_.data(), elements_) : nullptr;
    std::uint64_t sum = 0;
    std::uint64_t relay = 0;
    for (const Packed& packed : packed_)
        relay = std::max(relay, packed.offset + area(packed.home.where).units(packed.home.block));
    for (Chunk& chunk : chunks_) {
        if (chunk.units == 0) continue;
        switch (chunk.home.where) {
            case Where::sum:
                chunk.address = unit_.at(sums, sum);
                sum += chunk.units;
                break;
            case Where::relay:
                chunk.address = bytes_memory_.data() + relay;
                relay += chunk.units;
                break;
            case Where::input:
            case Where::output:
                chunk.address =
                    is_packed(chunk.home)
                        ? bytes_memory_.data() + packed_offset(chunk.home) + chunk.first
                        : unit_.at(area(chunk.home.where).elements(chunk.home.block).address,
                                   chunk.first);
        }
    }
    bring_in();
}

/// The meaning of the call's sides on this rank.
void Layout::choose_sides() {
    const Operands& call = operands_;
    const auto ranks = static_cast<std::size_t>(seat_.size);
    in_place_ = call.input.is_in_place() || call.output.is_in_place();
    const auto make = [&](const Side& side) {
        return side.is_given() && !side.is_in_place() ? Area(side, ranks, combines_) : Area();
    };
    output_ = make(call.output);
    if (call.kind == Kind::reduce_scatter) {
        // The input's counts are those of all, the output's is this rank's own.
        Side input = call.input;
        if (in_place_) input.base = call.output.base;
        input_ = Area(input, ranks, true);
    } else if (call.input.is_in_place() && (combines_ || call.kind == Kind::alltoall)) {
        input_ = output_;
    } else {
        input_ = make(call.input);
    }
    if (combines_ && call.kind != Kind::barrier) unit_ = input_.element();
}

Layout::Home Layout::home_of(const RankProgram::Chunk& chunk, bool written) const {
    const auto root = static_cast<std::size_t>(operands_.root);
    const Home staged{written ? Where::sum : Where::input, 0};
    switch (operands_.kind) {
        case Kind::reduce:
            return me_ == root ? Home{Where::output, 0} : staged;
        case Kind::exscan:
            return staged;
        case Kind::allreduce:
        case Kind::scan:
            return {Where::output, 0};
        case Kind::reduce_scatter:
            if (written && chunk.target == me_ && !in_place_) return {Where::output, 0};
            return {staged.where, chunk.target};
        default:
            return home_of_copy(chunk.source, chunk.target);
    }
}

Layout::Home Layout::home_of_copy(std::size_t source, std::size_t target) const {
    const bool is_root = me_ == static_cast<std::size_t>(operands_.root);
    switch (operands_.kind) {
        case Kind::broadcast:
            return {is_root ? Where::input : Where::output, 0};
        case Kind::allgather:
            return {Where::output, source};
        case Kind::scatter:
            if (is_root) return {Where::input, target};
            return target == me_ ? Home{Where::output, 0} : Home{};
        case Kind::gather:
            if (is_root) return {Where::output, source};
            return source == me_ ? Home{Where::input, 0} : Home{};
        default:
            assert(operands_.kind == Kind::alltoall);
            if (source == me_) return {Where::input, target};
            return target == me_ ? Home{Where::output, source} : Home{};
    }
}

std::uint64_t Layout::units_of_item(const Home& home) const {
    switch (home.where) {
        case Where::input:
        case Where::sum:
            return input_.units(home.block);
        case Where::output:
            return output_.units(home.block);
        case Where::relay:
            break;
    }
    // Only blocks that are as large everywhere are relayed.
    return operands_.kind == Kind::gather ? input_.units_of_each() : output_.units_of_each();
}

/// Whether blocks are kept in a packed copy. In place, those of an exchange have to make room for
/// the ones that arrive.
bool Layout::is_packed(const Home& home) const {
    if (combines_) return false;
    return !area(home.where).element(home.block).plain ||
           (in_place_ && operands_.kind == Kind::alltoall && home.where == Where::input);
}

std::uint64_t Layout::packed_offset(const Home& home) {
    const auto known = std::find_if(packed_.begin(), packed_.end(), [&](const Packed& packed) {
        return packed.home.where == home.where && packed.home.block == home.block;
    });
    if (known != packed_.end()) return known->offset;
    packed_.push_back({home, bytes_});
    bytes_ += area(home.where).units(home.block);
    return packed_.back().offset;
}

/// The bytes that have to be staged: blocks that are packed first, then relays, each in the order
/// of the chunks.
void Layout::place_chunks() {
    for (const Chunk& chunk : chunks_)
        if (chunk.units > 0 &&
            (chunk.home.where == Where::input || chunk.home.where == Where::output) &&
            is_packed(chunk.home))
            static_cast<void>(packed_offset(chunk.home));
    for (const Chunk& chunk : chunks_) {
        if (chunk.home.where == Where::relay) bytes_ += chunk.units;
        if (chunk.home.where == Where::sum) elements_ += chunk.units;
    }
}

bool Layout::is_brought_in(const Home& home) const {
    return home.where == Where::input || (operands_.kind == Kind::allgather && home.block == me_);
}

void Layout::bring_in() {
    const bool is_root = me_ == static_cast<std::size_t>(operands_.root);
    switch (operands_.kind) {
        case Kind::allgather:
            if (!in_place_) copy_own(0, me_);
            break;
        case Kind::reduce:
            if (is_root) copy_own(0, 0);
            break;
        case Kind::allreduce:
        case Kind::scan:
            copy_own(0, 0);
            break;
        case Kind::reduce_scatter:
            if (!in_place_) copy_own(me_, 0);
            break;
        default:
            break;
    }
    for (const Packed& packed : packed_)
        if (is_brought_in(packed.home))
            pack(area(packed.home.where).elements(packed.home.block),
                 area(packed.home.where).element(packed.home.block),
                 bytes_memory_.data() + packed.offset, seat_);
    for (const Chunk& chunk : chunks_) {
        if (chunk.home.where != Where::sum || chunk.units == 0) continue;
        std::byte* from = unit_.at(input_.elements(chunk.home.block).address, chunk.first);
        copy({from, chunk.units}, unit_, {chunk.address, chunk.units}, unit_, seat_);
    }
}

void Layout::copy_own(std::size_t from, std::size_t to) {
    copy(input_.elements(from), input_.element(from), output_.elements(to), output_.element(to),
         seat_);
}

void Layout::find(const RankProgram::Message& message, std::vector<Piece>& pieces) const {
    pieces.clear();
    for (std::size_t i = 0; i < message.chunks; ++i) {
        const Chunk& chunk = chunks_[message.chunk + i];
        if (chunk.units == 0) continue;
        // A segment is one run of an item, through several of its chunks perhaps.
        const bool cut = message.segments > 1;
        const RankProgram::Run run = program_.run_of(message, chunk.item, cut ? 0 : i);
        add_piece(chunk, std::max(run.first, chunk.first),
                  std::min(run.first + run.units, chunk.first + chunk.units), pieces);
    }
}

void Layout::add_piece(const Chunk& chunk, std::uint64_t begin, std::uint64_t end,
                       std::vector<Piece>& pieces) const {
    if (begin >= end) return;
    Piece piece{{unit_.at(chunk.address, begin - chunk.first), end - begin}, begin, nullptr};
    if (is_exscan()) piece.address_of_result = unit_.at(output_.elements(0).address, begin);
    pieces.push_back(piece);
}

std::uint64_t Layout::units(const RankProgram::Message& message) const {
    if (message.segments > 1) return program_.run_of(message, chunks_[message.chunk].item).units;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < message.chunks; ++i) sum += chunks_[message.chunk + i].units;
    return sum;
}

bool Layout::travels(const RankProgram::Message& message) const {
    for (std::size_t c = message.chunk; c < message.chunk + message.chunks; ++c)
        if (program_.chunks[c].empty) return true;
    return units(message) > 0;
}

void Layout::keep_own() {
    if (in_place_) return;
    const bool is_root = me_ == static_cast<std::size_t>(operands_.root);
    if (operands_.kind == Kind::scatter && is_root) copy_own(me_, 0);
    if (operands_.kind == Kind::gather && is_root) copy_own(0, me_);
    if (operands_.kind == Kind::alltoall) copy_own(me_, me_);
}

void Layout::finish() {
    for (const Packed& packed : packed_)
        if (!is_brought_in(packed.home))
            unpack(bytes_memory_.data() + packed.offset,
                   area(packed.home.where).elements(packed.home.block),
                   area(packed.home.where).element(packed.home.block), seat_);
    if (operands_.kind != Kind::reduce_scatter || !in_place_) return;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
        const Chunk& chunk = chunks_[c];
        if (chunk.units == 0 || program_.chunks[c].target != me_) continue;
        std::byte* to = unit_.at(output_.elements(0).address, chunk.first);
        copy({chunk.address, chunk.units}, unit_, {to, chunk.units}, unit_, seat_);
    }
}

}  // namespace espalier::runtime
