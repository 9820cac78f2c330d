#pragma once

#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace espalier::runtime {

/// Finds out whether a plan or the MPI library's own algorithm does calls of one kind faster. They
/// take turns, a plan first; after each round, one call of each, the ranks agree on how long the
/// slowest of them took, and so on the same choice. A round counts where its two calls had about
/// the same size. It ends after two rounds that count (in the first, connections are made) where
/// one of them took at least `clear` times as long in both, else after three, with whichever was
/// faster in the middle one of them, by ratio; MPI's own unless the plan is better by `margin`, and
/// where no sizes could be compared. So all that a program can lose is what the slower one takes
/// longer in at most `most_rounds` calls, and a small all-reduce for each round. Ranks that count
/// the same calls are always in the same state.
class Trial {
public:
    enum class Way : std::size_t { planned, native };
    /// One call of each: its seconds, and the bytes that a rank sent.
    struct Round {
        std::array<double, 2> seconds{};
        std::array<double, 2> bytes{};

        [[nodiscard]] double ratio() const { return seconds[0] / seconds[1]; }
    };
    static constexpr std::size_t rounds_that_count = 3;
    static constexpr std::size_t most_rounds = 8;
    static constexpr double same_size = 1.25;
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
    [[nodiscard]] std::size_t agreements() const { return agreements_; }
    /// In words, what was found; empty where there was no trial.
    [[nodiscard]] std::string finding() const;

private:
    [[nodiscard]] bool is_clear() const;

    bool decided_ = false;
    bool tries_ = true;
    Way choice_ = Way::native;
    Way turn_ = Way::planned;
    Round round_;
    std::vector<Round> rounds_;  ///< those that count, by ratio
    std::size_t agreements_ = 0;
};

}  // namespace espalier::runtime
