#pragma once

#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace espalier::runtime {

/// Finds out whether a plan or the MPI library's own algorithm does calls of one kind faster. They
/// take turns, a plan first; after each round, one call of each, the ranks agree on how long the
/// slowest of them took, and so on the same choice. What is compared is time for each byte of the
/// busiest rank, so that calls need not be of one size. It ends after two rounds (in the first,
/// connections are made) where one of them takes at least `clear` times as long, else after
/// `most_rounds`, with whichever had the best call; MPI's own unless the plan is better by
/// `margin`. So all that a program can lose is what the slower one takes longer in that many calls,
/// and a small all-reduce for each round. Ranks that count the same calls are always in the same
/// state.
class Trial {
public:
    enum class Way : std::size_t { planned, native };
    /// One call of each: its seconds, and the bytes that a rank sent.
    struct Round {
        std::array<double, 2> seconds{};
        std::array<double, 2> bytes{};
    };
    static constexpr std::size_t most_rounds = 3;
    static constexpr double clear = 3;
    static constexpr double margin = 0.02;

    /// Without a trial, it is always `only`.
    static Trial without(Way only);

    /// What the next call is to be done by.
    [[nodiscard]] Way next() const { return decided_ ? choice_ : turn_; }
    [[nodiscard]] bool is_over() const { return decided_; }
    /// The call that next() was asked for is done, on this rank. True: a round is complete, and
    /// agree() is to be called with the greatest values over all ranks of round().
    [[nodiscard]] bool add(Seconds elapsed, double bytes);
    [[nodiscard]] const Round& round() const { return round_; }
    void agree(const Round& slowest);

    /// How often ranks had to agree.
    [[nodiscard]] std::size_t agreements() const { return rounds_; }
    /// In words, what was found; empty where there was no trial.
    [[nodiscard]] std::string finding() const;

private:
    void decide();

    bool decided_ = false;
    bool tries_ = true;
    Way choice_ = Way::planned;
    Way turn_ = Way::planned;
    Round round_;
    std::size_t rounds_ = 0;
    std::array<double, 2> best_{};  ///< seconds for a byte of the busiest rank
    std::array<double, 2> best_seconds_{};
};

}  // namespace espalier::runtime
