#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"
#include "demands/objective.hpp"
#include "demands/planner.hpp"
#include "demands/staging_ways.hpp"

#include <cstddef>
#include <vector>

namespace espalier::demands {

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
    /// Both must outlive it. Whether messages may go through other nodes.
    DueDateSearch(const Problem& problem, Meter& meter, bool relays);

    [[nodiscard]] Staged build(Precedence precedence);
    /// The best of sequences_by_rules().
    [[nodiscard]] Staged best_by_rules();
    /// Local search: a message that is late, or that others wait for, goes before one that it
    /// shares a port with, or that one goes after it; where relays may be used, it may also take
    /// another way. Keeps what is no worse. Ends at the bounds, at a limit of the meter, or when
    /// nothing got better for long.
    void improve(Staged& best);

    [[nodiscard]] const Score& bounds() const { return bounds_; }
    [[nodiscard]] bool over() const { return meter_.over(); }

private:
    [[nodiscard]] std::size_t pick_target(const Staged& staged);
    [[nodiscard]] Precedence neighbour(const Staged& staged);

    const Problem& problem_;
    Meter& meter_;
    bool relays_;
    Ways ways_;
    Random random_{1};
    Score bounds_;
};

/// The messages in the order in which an exchange that is good by its makespan begins them.
[[nodiscard]] std::vector<std::size_t> for_the_makespan(const Problem& problem,
                                                        const Limits& limits);

/// Sequences for the problem's demands: what the critical node has to do first, then what has
/// deadlines, by due date, slack, priority and their mixtures, then all else as `base` has it.
[[nodiscard]] std::vector<std::vector<std::size_t>> sequences_by_rules(
    const Problem& problem, const std::vector<std::size_t>& base);

}  // namespace espalier::demands
