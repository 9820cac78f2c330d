#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace espalier::runtime {

/// Finds out which of some plans or the MPI library's own algorithm does calls of one kind fastest,
/// and goes on looking. Calls are counted; at the end of the first rounds, of a call by each
/// variant, and of eight, 64, … times as many calls the ranks agree on how long the slowest of them
/// took in the calls that are compared, and so on the same choice. Unless calls are short they also
/// agree after half of the first rounds: who takes hopelessly long is left out of the others, and
/// of the next comparison. At no other call do they say anything.
///
/// Every other round goes the other way round, so that what gets slower or faster all the time
/// favours none. Of the rounds' ratios of a plan's time to MPI's own the middle one is the plan's
/// (the greater of two), and the least of these decides, for that plan if it is better by `margin`.
/// Of four rounds the first makes connections and is not counted. Later the choice is kept until
/// the last four calls before the next agreement, which are two rounds of the choice and one of the
/// others, each in its turn, MPI's own before all: if both say that the other is faster, the choice
/// changes. A round counts where its calls had about the same size; what can't be compared at first
/// is MPI's own, and changes nothing later. So a program loses at most what the slower variants
/// take longer in two or four calls each at first, and in two calls of 7, 56, … times as many later
/// on. Ranks that count the same calls are always in the same state.
class Trial {
public:
    /// Something that a call can be done by: a plan's number, counted from 0, or MPI's own.
    using Variant = std::size_t;
    static constexpr Variant native = std::numeric_limits<Variant>::max();
    /// The number of calls of each variant at first; two if they are predicted to take at least
    /// `long_call`: connecting takes little beside that, and four would cost more than they tell.
    static constexpr std::uint64_t rounds = 4;
    static constexpr std::uint64_t rounds_if_long = 2;
    static constexpr Seconds long_call{0.2};
    /// If calls are shorter than this, no variant is left out, since leaving out takes one more
    /// agreement.
    static constexpr Seconds noticeable{0.01};
    /// A variant is left out that takes more than so many times as long as the fastest, and so much
    /// longer: in a round that makes connections, longer than an attempt at one that fails.
    static constexpr double hopeless = 2;
    static constexpr Seconds hopeless_excess{0.05};
    static constexpr Seconds hopeless_excess_at_first{1.5};
    /// Each further agreement is made after so many times as many calls.
    static constexpr std::uint64_t epoch = 8;
    static constexpr double same_size = 1.25;
    static constexpr double margin = 0.02;

    /// A trial of so many plans, at least one, and MPI's own algorithm. `predicted` is the time of
    /// a call by the best plan.
    explicit Trial(std::size_t plans = 1, Seconds predicted = Seconds(0));
    /// Makes no trial: every call is done by `only`.
    static Trial without(Variant only);

    /// The variant that does the next call.
    [[nodiscard]] Variant next() const;
    /// Whether the next call is one of those that are compared: it has to be timed.
    [[nodiscard]] bool compares() const { return tries_ && calls_ + comparing() >= agreement_; }
    /// Whether nothing will ever change.
    [[nodiscard]] bool is_over() const { return !tries_; }
    /// The call that next() was asked for is done, on this rank, which sent `bytes`. True: the
    /// ranks are to agree now, and agree() is to be called with the greatest values over all ranks
    /// of samples(), which has as many everywhere.
    [[nodiscard]] bool add(Seconds elapsed, double bytes);
    [[nodiscard]] std::span<const double> samples() const { return samples_; }
    void agree(std::span<const double> greatest);

    /// The number of times that ranks had to agree.
    [[nodiscard]] std::size_t agreements() const { return agreements_; }
    /// What the trial found, in words; empty if there was no trial. `plans` are the plans' names.
    [[nodiscard]] std::string finding(std::span<const std::string> plans) const;

private:
    /// The purpose of comparing calls: to leave variants out, to choose one, or to reconsider the
    /// choice.
    enum class Stage { leaving_out, choosing, reconsidering };
    /// A call of each variant that is compared.
    struct Round {
        std::vector<double> seconds;
        std::vector<double> bytes;  ///< that a rank sent

        [[nodiscard]] bool counts() const;
        [[nodiscard]] Round of(std::span<const Variant> all, std::span<const Variant> left) const;
        /// The quotient of the times of two of its calls.
        [[nodiscard]] double ratio(std::size_t variant, std::size_t to) const;
    };
    /// The times of two variants.
    struct Finding {
        Variant one = native;
        Variant other = native;
        Seconds of_one;
        Seconds of_other;
        std::uint64_t calls = 0;  ///< so far
    };

    /// All variants, MPI's own the last one.
    [[nodiscard]] std::vector<Variant> all() const;
    /// The variants that are compared now: at first all that are left; later the choice and one
    /// other.
    [[nodiscard]] std::vector<Variant> variants() const;
    /// Calls of a round.
    [[nodiscard]] std::size_t of_round() const {
        return stage_ == Stage::reconsidering ? 2 : left_.size();
    }
    /// Calls that are compared before the next agreement.
    [[nodiscard]] std::uint64_t comparing() const;
    /// The number of compared calls before the next one.
    [[nodiscard]] std::uint64_t turn() const { return calls_ + comparing() - agreement_; }
    [[nodiscard]] std::size_t place_of_next() const;
    [[nodiscard]] std::vector<Round> counted_rounds(std::span<const double> greatest) const;
    void leave_out();
    void decide(const std::vector<Round>& counted);
    void reconsider(const std::vector<Round>& counted);
    void keep_choice_until(std::uint64_t calls);

    bool tries_ = true;
    Stage stage_ = Stage::choosing;
    std::size_t plans_ = 1;
    std::uint64_t rounds_ = rounds;  ///< at first
    std::vector<Variant> left_;      ///< in the order of all()
    std::uint64_t before_ = 0;       ///< rounds before some were left out
    std::vector<Round> early_;       ///< those of them that count, of the variants that are left
    Variant choice_ = native;
    std::size_t other_ = 0;  ///< which of the others is compared with the choice next
    std::uint64_t calls_ = 0;
    std::uint64_t agreement_ = 0;  ///< at the end of this call, counted from 1
    std::vector<double> samples_;  ///< of each round, times and then bytes
    std::size_t agreements_ = 0;
    std::optional<Finding> found_;  ///< what spoke for the choice; none: nothing could be compared
};

}  // namespace espalier::runtime
