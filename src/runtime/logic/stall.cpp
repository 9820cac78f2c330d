#include "runtime/logic/stall.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <utility>

namespace espalier::runtime {

namespace {

class Rehearsal {
public:
    explicit Rehearsal(const std::vector<RankProgram>& programs) {
        for (const RankProgram& program : programs) {
            Rank& rank = ranks_.emplace_back();
            rank.program = &program;
            rank.left.resize(program.sends.size(), false);
            rank.over.resize(program.receives.size(), false);
            for (std::size_t r = 0; r < program.receives.size(); ++r)
                rank.from[peer(program.receives[r].message)].to_post.push_back(r);
        }
    }

    bool finishes() {
        do {
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) visit(rank);
            while (!visits_.empty()) {
                const std::size_t rank = visits_.front();
                visits_.pop_front();
                ranks_[rank].awaits_visit = false;
                while (advance(rank)) continue;
            }
        } while (meet());
        return std::ranges::all_of(ranks_, [](const Rank& rank) {
            return rank.issued == rank.left.size() && all(rank.left, rank.left.size()) &&
                   all(rank.over, rank.over.size()) && rank.met == rank.program->barriers.size();
        });
    }

private:
    /// What comes from one peer.
    struct Wire {
        std::deque<std::size_t> to_post;
        std::deque<std::size_t> posted;
        std::deque<std::size_t> sent;  ///< by the peer, and waiting to leave
    };
    struct Rank {
        const RankProgram* program = nullptr;
        std::map<std::size_t, Wire> from;
        std::vector<bool> left;
        std::vector<bool> over;
        std::vector<std::size_t> arrived;  ///< to be combined
        std::size_t issued = 0;
        std::size_t under_way = 0;
        std::size_t met = 0;
        bool awaits_visit = false;
    };

    static std::size_t peer(const RankProgram::Message& message) {
        return static_cast<std::size_t>(message.peer);
    }
    static bool all(const std::vector<bool>& flags, std::size_t count) {
        return std::find(flags.begin(), flags.begin() + static_cast<std::ptrdiff_t>(count),
                         false) == flags.begin() + static_cast<std::ptrdiff_t>(count);
    }
    static bool all_of(const std::vector<bool>& flags, const std::vector<std::size_t>& list,
                       std::size_t first, std::size_t last) {
        return std::ranges::all_of(std::span(list).subspan(first, last - first),
                                   [&](std::size_t index) { return flags[index]; });
    }
    static bool may_land(const Rank& rank, const RankProgram::Receive& receive) {
        const RankProgram& program = *rank.program;
        return all_of(rank.left, program.needs, receive.first_need, receive.last_need) &&
               all_of(rank.over, program.earlier, receive.first_earlier, receive.last_earlier);
    }

    void visit(std::size_t rank) {
        if (std::exchange(ranks_[rank].awaits_visit, true)) return;
        visits_.push_back(rank);
    }

    bool advance(std::size_t index) { return post(index) || combine(index) || send(index); }

    bool post(std::size_t index) {
        Rank& rank = ranks_[index];
        bool moved = false;
        for (auto& [other, wire] : rank.from)
            while (!wire.to_post.empty()) {
                const auto& next = rank.program->receives[wire.to_post.front()];
                if (next.op == schedule::Op::copy && !may_land(rank, next)) break;
                wire.posted.push_back(wire.to_post.front());
                wire.to_post.pop_front();
                match(other, index);
                moved = true;
            }
        return moved;
    }

    bool combine(std::size_t index) {
        Rank& rank = ranks_[index];
        return std::erase_if(rank.arrived, [&](std::size_t receive) {
                   if (!may_land(rank, rank.program->receives[receive])) return false;
                   rank.over[receive] = true;
                   return true;
               }) > 0;
    }

    bool send(std::size_t index) {
        Rank& rank = ranks_[index];
        const RankProgram& program = *rank.program;
        if (rank.issued == program.sends.size() || rank.under_way >= program.window) return false;
        if (rank.met < program.barriers.size() && program.barriers[rank.met].sends == rank.issued)
            return false;
        const RankProgram::Send& next = program.sends[rank.issued];
        if (!all_of(rank.over, program.needs, next.first_need, next.last_need)) return false;
        ++rank.under_way;
        const std::size_t to = peer(next.message);
        ranks_[to].from[index].sent.push_back(rank.issued++);
        match(index, to);
        return true;
    }

    void match(std::size_t from, std::size_t to) {
        Wire& wire = ranks_[to].from[from];
        while (!wire.posted.empty() && !wire.sent.empty()) {
            const std::size_t receive = wire.posted.front();
            ranks_[from].left[wire.sent.front()] = true;
            --ranks_[from].under_way;
            wire.posted.pop_front();
            wire.sent.pop_front();
            if (ranks_[to].program->receives[receive].op == schedule::Op::copy)
                ranks_[to].over[receive] = true;
            else
                ranks_[to].arrived.push_back(receive);
            visit(from);
            visit(to);
        }
    }

    /// All ranks are done with their step.
    bool meet() {
        for (const Rank& rank : ranks_) {
            if (rank.met == rank.program->barriers.size()) return false;
            const RankProgram::Barrier& barrier = rank.program->barriers[rank.met];
            if (rank.issued != barrier.sends || !all(rank.left, barrier.sends) ||
                !all(rank.over, barrier.receives))
                return false;
        }
        for (Rank& rank : ranks_) ++rank.met;
        return true;
    }

    std::vector<Rank> ranks_;
    std::deque<std::size_t> visits_;
};

}  // namespace

bool would_stall(const std::vector<RankProgram>& programs) {
    const bool is_free = std::ranges::all_of(programs, [](const RankProgram& program) {
        return program.needs.empty() && program.earlier.empty() && program.barriers.empty();
    });
    return !is_free && !Rehearsal(programs).finishes();
}

}  // namespace espalier::runtime
