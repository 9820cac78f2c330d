#pragma once

#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace espalier::runtime {

/// Finds out whether a plan or the MPI library's own algorithm does calls of one kind faster, and
/// goes on looking. Calls are counted; at the end of the 8th, the 64th, the 512th, … the ranks
/// agree on how long the slowest of them took in the calls that are compared, and so on the same
/// choice. At no other call do they say anything.
///
/// The first eight calls are four pairs of one call each, planned first in every other one, so that
/// what gets slower or faster all the time favours neither. The first pair makes connections and is
/// not counted; of the others the middle ratio decides, for the plan if it is better by `margin`.
/// Later the choice is kept until the last four calls before the next agreement, which are two
/// pairs again: if both say that the other way is faster, the choice changes. A pair counts where
/// its two calls had about the same size; what can't be compared at first is MPI's own, and changes
/// nothing later. So a program loses at most what the slower way takes longer in four calls at
/// first, and in two calls of every 56, 448, … later on. Ranks that count the same calls are always
/// in the same state.
class Trial {
public:
    enum class Way : std::size_t { planned, native };
    /// The first agreement is at the end of this call, each further one at that of as many times
    /// the call.
    static constexpr std::uint64_t epoch = 8;
    static constexpr double same_size = 1.25;
    static constexpr double margin = 0.02;

    /// Without a trial, it is always `only`.
    static Trial without(Way only);

    /// What the next call is to be done by.
    [[nodiscard]] Way next() const;
    /// Whether the next call is one of those that are compared: it has to be timed.
    [[nodiscard]] bool compares() const { return tries_ && calls_ + comparing_ >= agreement_; }
    /// Whether nothing will ever change.
    [[nodiscard]] bool is_over() const { return !tries_; }
    /// The call that next() was asked for is done, on this rank, which sent `bytes`. True: the
    /// ranks are to agree now, and agree() is to be called with the greatest values over all ranks
    /// of samples(), which has as many everywhere.
    [[nodiscard]] bool add(Seconds elapsed, double bytes);
    [[nodiscard]] std::span<const double> samples() const { return samples_; }
    void agree(std::span<const double> greatest);

    /// How often ranks had to agree.
    [[nodiscard]] std::size_t agreements() const { return agreements_; }
    /// In words, what was found; empty where there was no trial.
    [[nodiscard]] std::string finding() const;

private:
    static constexpr std::uint64_t comparing_later = 4;
    /// Of a call of each way: its seconds, and the bytes that a rank sent.
    struct Pair {
        std::array<double, 2> seconds{};
        std::array<double, 2> bytes{};

        [[nodiscard]] double ratio() const { return seconds[0] / seconds[1]; }
        [[nodiscard]] bool counts() const;
    };
    [[nodiscard]] static Pair pair_of(std::span<const double> samples, std::size_t index);
    void decide(const std::vector<Pair>& pairs);
    void reconsider(const std::vector<Pair>& pairs);

    bool tries_ = true;
    bool decided_ = false;
    Way choice_ = Way::native;
    std::uint64_t calls_ = 0;
    std::uint64_t agreement_ = epoch;  ///< at the end of this call, counted from 1
    std::uint64_t comparing_ = epoch;  ///< so many of the calls before it are compared
    std::vector<double> samples_;      ///< four of each pair
    std::size_t agreements_ = 0;
    Pair found_;  ///< what spoke for the choice; no seconds: nothing could be compared
    std::uint64_t found_at_ = 0;
};

}  // namespace espalier::runtime
