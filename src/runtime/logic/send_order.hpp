#pragma once

#include "runtime/logic/rank_program.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::runtime {

/// Chooses which of a program's sends leaves next. A send whose data is there overtakes sends that
/// wait for theirs, but none to the same receiver, since MPI matches the messages of a pair of
/// ranks in their order. At most as many sends are in flight as the program's window allows. The
/// first unsent one is held back only by sends before it, so that it never waits for those that
/// overtook it.
class SendOrder {
public:
    /// `paced`: by a clock. Then none overtakes, and there may be any number under way.
    void start(const RankProgram& program, bool paced);

    /// The first that may go; it is under way from then on. `received`: which receives are over.
    [[nodiscard]] std::optional<std::size_t> take(const std::vector<char>& received);
    /// A send is over.
    void leave(std::size_t send);
    [[nodiscard]] bool has_left(std::size_t send) const { return state_[send] == State::left; }
    [[nodiscard]] bool all_taken() const { return heads_.empty(); }
    /// Whether there is a barrier that sends wait for, and all sends before it have left.
    [[nodiscard]] bool is_at_barrier() const;
    void pass_barrier() { ++barrier_; }
    /// Barriers that were passed.
    [[nodiscard]] std::size_t barrier() const { return barrier_; }

private:
    enum class State : char { waits, under_way, left };

    [[nodiscard]] bool is_ready(std::size_t send, const std::vector<char>& received);
    [[nodiscard]] bool has_room(std::size_t send) const;
    void advance(std::size_t head);

    const RankProgram* program_ = nullptr;
    bool paced_ = false;
    std::vector<State> state_;
    std::vector<std::size_t> next_to_;  ///< the next send to the same receiver
    std::vector<std::size_t> need_;     ///< of each send: those before it are met
    std::vector<std::size_t> heads_;    ///< the next send to each receiver, ascending
    std::vector<std::size_t> seen_;     ///< of each receiver, while lists are made
    std::size_t under_way_ = 0;
    std::size_t barrier_ = 0;
};

/// Finds for each message the next one with the same peer, or the number of messages if there is
/// none. `first` becomes the first message with each peer, ascending; `scratch` is working space.
template <typename Message>
void link_by_peer(const std::vector<Message>& messages, std::vector<std::size_t>& next,
                  std::vector<std::size_t>& first, std::vector<std::size_t>& scratch) {
    const std::size_t none = messages.size();
    next.assign(none, none);
    first.clear();
    scratch.clear();
    for (std::size_t m = 0; m < messages.size(); ++m) {
        const auto peer = static_cast<std::size_t>(messages[m].message.peer);
        if (peer >= scratch.size()) scratch.resize(peer + 1, none);
        if (scratch[peer] == none)
            first.push_back(m);
        else
            next[scratch[peer]] = m;
        scratch[peer] = m;
    }
}

}  // namespace espalier::runtime
