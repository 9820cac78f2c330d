#pragma once

#include "core/random.hpp"
#include "plan/exchange/objective.hpp"
#include "plan/exchange/planner.hpp"
#include "plan/exchange/staging_ways.hpp"
#include "plan/meter.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::exchange {

/// Who chooses first: messages take their places in a Calendar in this sequence, each the earliest
/// that the others have left.
struct Precedence {
    std::vector<std::size_t> sequence;
    /// By message: whether it may go through other nodes. Empty: none.
    std::vector<char> relayed = {};
};

/// An exchange that came of a precedence.
struct Staged {
    Precedence precedence;
    Order order;
    std::vector<double> ends;  ///< by message, in seconds
    Score score;
};

/// Looks for exchanges that are good by Score.
class DueDateSearch {
public:
    /// Both must outlive it.
    DueDateSearch(const Problem& problem, Meter& meter);

    [[nodiscard]] Staged build(Precedence precedence);
    /// The best of sequences_by_rules().
    [[nodiscard]] Staged best_by_rules();
    /// Local search: a message that is late, or that others wait for, goes before one that it
    /// shares a port with, or that one goes after it; with `relays`, it may also take another way.
    /// Keeps what is no worse. Ends at the bounds, at a limit of the meter, or when nothing got
    /// better for long.
    void improve(Staged& best, bool relays);

    [[nodiscard]] const Score& bounds() const { return bounds_; }
    [[nodiscard]] bool over() const { return meter_.over(); }

private:
    [[nodiscard]] std::size_t pick_target(const Staged& staged);
    [[nodiscard]] Precedence neighbour(const Staged& staged, bool relays);

    const Problem& problem_;
    Meter& meter_;
    Ways ways_;
    Random random_{1};
    Score bounds_;  ///< of direct messages
};

/// The messages in the order in which open_shop() begins them.
[[nodiscard]] std::vector<std::size_t> by_open_shop(const Problem& problem);

/// Sequences for the problem's demands: what the critical node has to do first, then what has
/// deadlines, by due date, slack, priority and their mixtures, then all else as `base` has it.
[[nodiscard]] std::vector<std::vector<std::size_t>> sequences_by_rules(
    const Problem& problem, const std::vector<std::size_t>& base);

}  // namespace espalier::plan::exchange
