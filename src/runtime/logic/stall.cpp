#include "runtime/logic/stall.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace espalier::runtime {

namespace {

/// The events of a run, in a partial order.
class Events {
public:
    using Event = std::size_t;

    /// The first of `count` more.
    Event add(std::size_t count) {
        const Event first = waits_for_.size();
        waits_for_.resize(first + count, 0);
        return first;
    }
    void put(Event before, Event after) {
        pairs_.emplace_back(before, after);
        ++waits_for_[after];
    }

    /// Whether all of them can happen.
    [[nodiscard]] bool are_in_order() {
        std::ranges::sort(pairs_);
        std::vector<Event> ready;
        for (Event event = 0; event < waits_for_.size(); ++event)
            if (waits_for_[event] == 0) ready.push_back(event);
        std::size_t happened = 0;
        while (!ready.empty()) {
            const Event event = ready.back();
            ready.pop_back();
            ++happened;
            auto next = std::ranges::lower_bound(pairs_, std::pair(event, Event{0}));
            for (; next != pairs_.end() && next->first == event; ++next)
                if (--waits_for_[next->second] == 0) ready.push_back(next->second);
        }
        return happened == waits_for_.size();
    }

private:
    std::vector<std::pair<Event, Event>> pairs_;  ///< (before, after)
    std::vector<std::size_t> waits_for_;          ///< so many others
};

/// The actions of all ranks and what each waits for. A cycle among these means that ranks might
/// wait for ever. It has every wait that an executor could come to, at whatever time messages
/// arrive.
class Rehearsal {
public:
    explicit Rehearsal(const std::vector<RankProgram>& programs) : programs_(programs) {
        for (const RankProgram& program : programs)
            ranks_.push_back({.receives = events_.add(3 * program.receives.size()),
                              .sends = events_.add(2 * program.sends.size())});
        steps_ = programs.empty() ? 0 : programs.front().barriers.size();
        meetings_ = events_.add(steps_);
    }

    bool finishes() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            if (programs_[rank].barriers.size() != steps_) return false;
            list_receives(rank);
            list_sends(rank);
            list_meetings(rank);
        }
        return match() && events_.are_in_order();
    }

private:
    using Event = Events::Event;
    struct Rank {
        Event receives = 0;
        Event sends = 0;
    };

    [[nodiscard]] Event posted(std::size_t rank, std::size_t receive) const {
        return ranks_[rank].receives + 3 * receive;
    }
    [[nodiscard]] Event over(std::size_t rank, std::size_t receive) const {
        return posted(rank, receive) + 1;
    }
    /// The event at which this receive and all before it are over.
    [[nodiscard]] Event all_over(std::size_t rank, std::size_t receive) const {
        return posted(rank, receive) + 2;
    }
    [[nodiscard]] Event issued(std::size_t rank, std::size_t send) const {
        return ranks_[rank].sends + 2 * send;
    }
    [[nodiscard]] Event left(std::size_t rank, std::size_t send) const {
        return issued(rank, send) + 1;
    }

    void list_receives(std::size_t rank) {
        const RankProgram& program = programs_[rank];
        bool has_slot = true;
        for (std::size_t r = 0; r < program.receives.size(); ++r) {
            const RankProgram::Receive& receive = program.receives[r];
            const bool combines = receive.op == schedule::Op::combine;
            const bool waits = receive.first_need < receive.last_need ||
                               receive.first_earlier < receive.last_earlier;
            const bool is_first = combines && std::exchange(has_slot, false);
            // What takes its turn has all before it finished with first.
            const bool takes_turn =
                r >= RankProgram::receive_window || (combines ? !is_first : waits);
            if (r > 0 && takes_turn) events_.put(all_over(rank, r - 1), posted(rank, r));
            if (r > 0) {
                events_.put(posted(rank, r - 1), posted(rank, r));
                events_.put(all_over(rank, r - 1), all_over(rank, r));
            }
            events_.put(posted(rank, r), over(rank, r));
            events_.put(over(rank, r), all_over(rank, r));
            const Event lands = combines ? over(rank, r) : posted(rank, r);
            for (std::size_t n = receive.first_need; n < receive.last_need; ++n)
                events_.put(left(rank, program.needs[n]), lands);
            for (std::size_t e = receive.first_earlier; e < receive.last_earlier; ++e)
                events_.put(over(rank, program.earlier[e]), lands);
        }
    }

    void list_sends(std::size_t rank) {
        const RankProgram& program = programs_[rank];
        for (std::size_t s = 0; s < program.sends.size(); ++s) {
            const RankProgram::Send& send = program.sends[s];
            if (s > 0) events_.put(issued(rank, s - 1), issued(rank, s));
            if (s >= program.window) events_.put(left(rank, s - program.window), issued(rank, s));
            for (std::size_t n = send.first_need; n < send.last_need; ++n)
                events_.put(over(rank, program.needs[n]), issued(rank, s));
        }
    }

    void list_meetings(std::size_t rank) {
        const RankProgram& program = programs_[rank];
        std::size_t sent = 0;
        for (std::size_t step = 0; step < steps_; ++step) {
            const RankProgram::Barrier& barrier = program.barriers[step];
            const Event meeting = meetings_ + step;
            if (step > 0) events_.put(meeting - 1, meeting);
            if (barrier.receives > 0) events_.put(all_over(rank, barrier.receives - 1), meeting);
            for (; sent < barrier.sends; ++sent) events_.put(left(rank, sent), meeting);
            if (barrier.sends < program.sends.size())
                events_.put(meeting, issued(rank, barrier.sends));
        }
    }

    /// Matches the messages of each pair of ranks in their order. False if one has no other end.
    bool match() {
        std::map<std::pair<std::size_t, std::size_t>, std::deque<std::size_t>> wires;
        for (std::size_t from = 0; from < ranks_.size(); ++from)
            for (std::size_t s = 0; s < programs_[from].sends.size(); ++s)
                wires[{from, peer(programs_[from].sends[s].message)}].push_back(s);
        std::size_t open = wires.size();
        for (std::size_t to = 0; to < ranks_.size(); ++to)
            for (std::size_t r = 0; r < programs_[to].receives.size(); ++r) {
                const std::size_t from = peer(programs_[to].receives[r].message);
                const auto wire = wires.find({from, to});
                if (wire == wires.end() || wire->second.empty()) return false;
                const std::size_t send = wire->second.front();
                wire->second.pop_front();
                if (wire->second.empty()) --open;
                events_.put(issued(from, send), left(from, send));
                events_.put(posted(to, r), left(from, send));
                events_.put(issued(from, send), over(to, r));
            }
        return open == 0;
    }

    static std::size_t peer(const RankProgram::Message& message) {
        return static_cast<std::size_t>(message.peer);
    }

    const std::vector<RankProgram>& programs_;
    Events events_;
    std::vector<Rank> ranks_;
    std::size_t steps_ = 0;
    Event meetings_ = 0;
};

}  // namespace

bool would_stall(const std::vector<RankProgram>& programs) {
    const bool is_free = std::ranges::all_of(programs, [](const RankProgram& program) {
        return program.needs.empty() && program.earlier.empty() && program.barriers.empty() &&
               program.receives.size() <= RankProgram::receive_window &&
               std::ranges::all_of(program.receives, [](const RankProgram::Receive& receive) {
                   return receive.op == schedule::Op::copy;
               });
    });
    return !is_free && !Rehearsal(programs).finishes();
}

}  // namespace espalier::runtime
