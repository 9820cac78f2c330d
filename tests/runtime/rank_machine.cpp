#include "runtime/rank_machine.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace espalier::runtime::test {

namespace {

using schedule::Kind;
using schedule::Op;

std::string letter(std::size_t rank) { return std::string(1, static_cast<char>('!' + rank)); }

/// Those of ranks [0, count), in order.
std::string letters(std::size_t count) {
    std::string all;
    for (std::size_t rank = 0; rank < count; ++rank) all += letter(rank);
    return all;
}

/// Without the brackets around what was combined first.
std::string letters_of(std::string text) {
    std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
    return text;
}

std::string sorted(std::string text) {
    std::ranges::sort(text);
    return text;
}

}  // namespace

std::vector<Item> items_of(const schedule::Collective& collective) {
    const std::size_t nodes = collective.nodes;
    std::vector<Item> items;
    switch (collective.kind) {
        case Kind::gather:
        case Kind::allgather:
            for (std::size_t node = 0; node < nodes; ++node) items.emplace_back(node, 0);
            break;
        case Kind::scatter:
        case Kind::reduce_scatter:
            for (std::size_t node = 0; node < nodes; ++node) items.emplace_back(0, node);
            break;
        case Kind::alltoall:
            for (std::size_t from = 0; from < nodes; ++from)
                for (std::size_t to = 0; to < nodes; ++to) items.emplace_back(from, to);
            break;
        default:
            items.emplace_back(0, 0);
    }
    return items;
}

RankMachine::RankMachine(const schedule::Collective& collective, std::vector<RankProgram> programs,
                         Units units, std::uint64_t seed)
    : collective_(collective), units_(std::move(units)), random_(seed) {
    for (RankProgram& program : programs) ranks_.push_back({std::move(program)});
    for (std::size_t index = 0; index < ranks_.size(); ++index) {
        Rank& rank = ranks_[index];
        rank.receives.resize(rank.program.receives.size(), State::waits);
        rank.buffers.resize(rank.program.receives.size());
        rank.issued.resize(rank.program.sends.size(), 0);
        rank.left.resize(rank.program.sends.size(), 0);
        fill(index);
    }
}

std::uint64_t RankMachine::units(const Item& item) const {
    const auto found = units_.find(item);
    return found == units_.end() ? 0 : found->second;
}

/// What the rank brings in.
void RankMachine::fill(std::size_t index) {
    Rank& rank = ranks_[index];
    for (const Item& item : items_of(collective_)) {
        auto& cells = rank.memory[item];
        for (std::uint64_t unit = 0; unit < units(item); ++unit) cells.push_back({unit, ""});
        const bool by_source = collective_.kind == Kind::gather ||
                               collective_.kind == Kind::allgather ||
                               collective_.kind == Kind::alltoall;
        const bool has =
            combines(collective_.kind) || index == (by_source ? item.first : collective_.root);
        const std::string text =
            combines(collective_.kind) ? letter(index) : letter(item.first) + letter(item.second);
        for (Cell& cell : cells)
            if (has) cell.text = text;
        if (collective_.kind != Kind::exscan) continue;
        auto& result = rank.result[item];
        result = cells;
        for (Cell& cell : result) cell.text.clear();
    }
}

testing::AssertionResult RankMachine::run() {
    for (bool moved = true; moved;) {
        moved = meet();
        const std::size_t first = random_.below(ranks_.size());
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            moved = step((first + i) % ranks_.size()) || moved;
        for (const Rank& rank : ranks_)
            if (collective_.kind == Kind::barrier && is_done(rank))
                for (const Rank& other : ranks_)
                    if (!other.begun)
                        return testing::AssertionFailure() << "a rank left before another came";
    }
    for (std::size_t index = 0; index < ranks_.size(); ++index)
        if (auto result = check(index); !result) return result;
    return testing::AssertionSuccess();
}

bool RankMachine::step(std::size_t index) {
    Rank& rank = ranks_[index];
    if (!rank.begun) {
        if (random_.below(4) == 0) rank.begun = true;
        return true;
    }
    // Anything that could happen may be late.
    bool moved = post_receives(index);
    if (random_.below(3) > 0) moved = send_next(index) || moved;
    for (std::size_t other = 0; other < ranks_.size(); ++other) {
        if (other == index) continue;
        if (random_.below(2) == 0) moved = take(index, other) || moved;
        const auto wire = wires_.find({other, index});
        if (wire == wires_.end() || wire->second.packets.empty() || wire->second.posted.empty())
            continue;
        if (random_.below(3) > 0) deliver(other, index);
        moved = true;
    }
    moved = combine(index) || moved;
    return moved || send_next(index);
}

std::vector<RankMachine::Part> RankMachine::parts_of(const Rank& rank,
                                                     const RankProgram::Message& message) const {
    std::vector<Part> parts;
    const auto& chunks = rank.program.chunks;
    for (std::size_t i = 0; i < (message.segments > 1 ? 1 : message.chunks); ++i) {
        const RankProgram::Chunk& chunk = chunks[message.chunk + i];
        if (chunk.empty) continue;
        const Item item{chunk.source, chunk.target};
        parts.push_back({item, rank.program.run_of(message, units(item), i)});
    }
    return parts;
}

bool RankMachine::travels(const Rank& rank, const RankProgram::Message& message) const {
    for (std::size_t c = message.chunk; c < message.chunk + message.chunks; ++c)
        if (rank.program.chunks[c].empty) return true;
    return std::ranges::any_of(parts_of(rank, message),
                               [](const Part& part) { return part.run.units > 0; });
}

bool RankMachine::may_land(const Rank& rank, const RankProgram::Receive& receive) const {
    for (std::size_t n = receive.first_need; n < receive.last_need; ++n)
        if (rank.left[rank.program.needs[n]] == 0) return false;
    for (std::size_t e = receive.first_earlier; e < receive.last_earlier; ++e)
        if (rank.receives[rank.program.earlier[e]] != State::over) return false;
    return true;
}

bool RankMachine::post_receives(std::size_t index) {
    Rank& rank = ranks_[index];
    bool moved = false;
    std::set<int> blocked;  // later ones match later
    for (std::size_t r = 0; r < rank.receives.size(); ++r) {
        const RankProgram::Receive& receive = rank.program.receives[r];
        if (rank.receives[r] != State::waits || blocked.contains(receive.message.peer)) continue;
        const bool travelling = travels(rank, receive.message);
        const bool may = may_land(rank, receive);
        if (!travelling && may) {
            rank.receives[r] = State::over;
            moved = true;
        } else if (travelling && (may || receive.op == Op::combine)) {
            wires_[{static_cast<std::size_t>(receive.message.peer), index}].posted.push_back(r);
            rank.receives[r] = State::posted;
            moved = true;
        } else if (travelling) {
            blocked.insert(receive.message.peer);
        }
    }
    return moved;
}

bool RankMachine::send_next(std::size_t index) {
    Rank& rank = ranks_[index];
    const RankProgram& program = rank.program;
    const std::size_t end = rank.barriers < program.barriers.size()
                                ? program.barriers[rank.barriers].sends
                                : program.sends.size();
    std::size_t under_way = 0;
    for (std::size_t s = 0; s < program.sends.size(); ++s)
        under_way += rank.issued[s] != 0 && rank.left[s] == 0 ? 1U : 0U;
    std::set<int> passed;  // to whom something earlier has not gone out
    std::size_t earlier = 0;
    for (std::size_t s = 0; s < end; ++s) {
        if (rank.issued[s] != 0) {
            earlier += rank.left[s] == 0 ? 1U : 0U;
            continue;
        }
        const RankProgram::Send& send = program.sends[s];
        const bool has_room = (passed.empty() ? earlier : under_way) < program.window;
        const bool is_ready =
            std::all_of(program.needs.begin() + static_cast<std::ptrdiff_t>(send.first_need),
                        program.needs.begin() + static_cast<std::ptrdiff_t>(send.last_need),
                        [&](std::size_t receive) { return rank.receives[receive] == State::over; });
        // What may overtake does not always.
        const bool may_go = passed.empty() || random_.below(2) == 0;
        if (!has_room || !is_ready || !may_go || passed.contains(send.message.peer)) {
            passed.insert(send.message.peer);
            continue;
        }
        rank.issued[s] = 1;
        if (travels(rank, send.message))
            wires_[{index, static_cast<std::size_t>(send.message.peer)}].packets.push_back(
                {s, false, {}});
        else
            rank.left[s] = 1;
        return true;
    }
    return false;
}

/// All meet who have come so far.
bool RankMachine::meet() {
    for (const Rank& rank : ranks_) {
        if (rank.barriers == rank.program.barriers.size()) return false;
        const RankProgram::Barrier& barrier = rank.program.barriers[rank.barriers];
        for (std::size_t s = 0; s < barrier.sends; ++s)
            if (rank.left[s] == 0) return false;
        for (std::size_t r = 0; r < barrier.receives; ++r)
            if (rank.receives[r] != State::over) return false;
    }
    for (Rank& rank : ranks_) ++rank.barriers;
    return true;
}

std::vector<RankMachine::Cell> RankMachine::read(std::size_t index, std::size_t send) const {
    const Rank& rank = ranks_[index];
    std::vector<Cell> cells;
    for (const Part& part : parts_of(rank, rank.program.sends[send].message)) {
        const auto& memory = rank.memory.at(part.item);
        for (std::uint64_t u = 0; u < part.run.units; ++u)
            cells.push_back(memory[part.run.first + u]);
    }
    return cells;
}

/// A small message leaves before anybody wants it.
bool RankMachine::take(std::size_t from, std::size_t to) {
    const auto wire = wires_.find({from, to});
    if (wire == wires_.end()) return false;
    for (Packet& packet : wire->second.packets) {
        if (packet.taken) continue;
        if (random_.below(2) == 0) return false;
        packet.cells = read(from, packet.send);
        packet.taken = true;
        ranks_[from].left[packet.send] = 1;
        return true;
    }
    return false;
}

bool RankMachine::deliver(std::size_t from, std::size_t to) {
    Wire& wire = wires_[{from, to}];
    Packet packet = std::move(wire.packets.front());
    wire.packets.pop_front();
    const std::size_t receive = wire.posted.front();
    wire.posted.pop_front();
    if (!packet.taken) packet.cells = read(from, packet.send);
    ranks_[from].left[packet.send] = 1;
    if (ranks_[to].program.receives[receive].op == Op::copy) {
        write(to, receive, packet.cells);
        ranks_[to].receives[receive] = State::over;
    } else {
        ranks_[to].buffers[receive] = std::move(packet.cells);
        ranks_[to].receives[receive] = State::arrived;
    }
    return true;
}

bool RankMachine::combine(std::size_t index) {
    Rank& rank = ranks_[index];
    bool moved = false;
    for (std::size_t r = 0; r < rank.receives.size(); ++r) {
        if (rank.receives[r] != State::arrived || !may_land(rank, rank.program.receives[r]))
            continue;
        write(index, r, rank.buffers[r]);
        rank.receives[r] = State::over;
        moved = true;
    }
    return moved;
}

void RankMachine::write(std::size_t index, std::size_t receive, const std::vector<Cell>& cells) {
    Rank& rank = ranks_[index];
    const RankProgram::Receive& its = rank.program.receives[receive];
    std::size_t next = 0;
    for (const Part& part : parts_of(rank, its.message))
        for (std::uint64_t u = part.run.first; u < part.run.first + part.run.units; ++u) {
            ASSERT_LT(next, cells.size()) << "a message is shorter than its receive";
            const Cell& cell = cells[next++];
            Cell& held = rank.memory.at(part.item)[u];
            EXPECT_EQ(cell.unit, held.unit);
            EXPECT_NE(cell.text, "") << "rank " << index << " got what its sender did not have";
            if (its.op == Op::copy)
                held.text = cell.text;
            else
                held.text =
                    '{' + (its.from_left ? cell.text + held.text : held.text + cell.text) + '}';
            if (collective_.kind != Kind::exscan) continue;
            std::string& result = rank.result.at(part.item)[u].text;
            result = cell.text + result;
        }
    EXPECT_EQ(next, cells.size()) << "a message is longer than its receive";
}

bool RankMachine::is_done(const Rank& rank) const {
    return rank.begun &&
           std::ranges::all_of(rank.receives, [](State state) { return state == State::over; }) &&
           std::ranges::all_of(rank.left, [](char left) { return left != 0; });
}

testing::AssertionResult RankMachine::check(std::size_t index) const {
    if (!is_done(ranks_[index])) {
        const Rank& rank = ranks_[index];
        return testing::AssertionFailure()
               << name_of(collective_.kind) << ": rank " << index << " waits; sent "
               << std::ranges::count(rank.left, 1) << " of " << rank.left.size() << ", received "
               << std::ranges::count(rank.receives, State::over) << " of " << rank.receives.size();
    }
    return check_items(index);
}

testing::AssertionResult RankMachine::check_items(std::size_t index) const {
    const Rank& rank = ranks_[index];
    const Kind kind = collective_.kind;
    for (const auto& [item, cells] : kind == Kind::exscan ? rank.result : rank.memory) {
        const auto [source, target] = item;
        const bool to_root = kind == Kind::reduce || kind == Kind::gather;
        const bool to_target =
            kind == Kind::scatter || kind == Kind::reduce_scatter || kind == Kind::alltoall;
        if ((to_root && index != collective_.root) || (to_target && index != target)) continue;
        if ((kind == Kind::alltoall && source == index) || kind == Kind::barrier) continue;
        const std::size_t upto = kind == Kind::scan     ? index + 1
                                 : kind == Kind::exscan ? index
                                                        : ranks_.size();
        const std::string wanted = combines(kind) ? letters(upto) : letter(source) + letter(target);
        // Where operands may change places, all ranks see the same order nonetheless.
        const bool in_order = collective_.ordered || is_scan(kind) || !combines(kind);
        for (std::uint64_t u = 0; u < cells.size(); ++u) {
            const std::string& text = cells[u].text;
            const std::string its_letters = letters_of(text);
            if ((in_order ? its_letters : sorted(its_letters)) != wanted)
                return testing::AssertionFailure()
                       << name_of(kind) << ": rank " << index << ", item " << source << ' '
                       << target << ", unit " << u << ": '" << text << "', not '" << wanted << "'";
            if (kind == Kind::allreduce && text != ranks_.front().memory.at(item)[u].text)
                return testing::AssertionFailure() << "rank " << index << " combined otherwise";
        }
    }
    return testing::AssertionSuccess();
}

}  // namespace espalier::runtime::test
