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

/// Decides by which of some plans, or by the MPI library's own algorithm, each call of one kind is
/// done, so that what is lost by not knowing the fastest stays small: a bandit with few arms, whose
/// prior is what was predicted.
///
/// The variant that is expected to be the fastest does the first calls. Now and then (at a look)
/// the ranks agree on how long the slowest of them took in the last calls. Another variant is tried
/// when the improvement that is expected of it in as many calls as there were pays for what a try
/// is expected to lose, with the connections that its first call makes: one that is predicted to be
/// as fast is tried soon, one that is predicted to take hopelessly long only when there were so
/// many calls that a try is nothing beside them. With each look what was believed of others, and
/// what was measured of them, counts for less: it may have been wrong from the beginning, or have
/// changed.
///
/// Ranks that count the same calls are always in the same state: they tell each other what they saw
/// at calls that all know, and hear it some calls later, so that nobody waits for it. What is
/// computed of it are sums, products, quotients and comparisons, which come out the same
/// everywhere.
class Bandit {
public:
    /// Something that a call can be done by: a plan's number, counted from 0, or MPI's own.
    using Variant = std::size_t;
    static constexpr Variant native = std::numeric_limits<Variant>::max();

    /// What is believed of the time of a call that was not measured.
    struct Prior {
        Seconds expected;
        double off = 0;  ///< it is between expected / (1 + off) and expected * (1 + off)
        /// How many times as long calls by other such plans took as was predicted, where that is
        /// known: then the first look already tells a change.
        std::optional<double> usual = {};
        bool measured = false;  ///< such calls took so long when they were made last
        /// What they took before the network changed, and may take again.
        std::optional<Seconds> before = {};
        /// The chance that they do already, where the network has changed before the program began.
        double over = 0;
        /// What they take if the network is again as it was before it changed, where it is believed
        /// that it has.
        std::optional<Seconds> again = {};
        /// Nothing of the network explains that what is usual is not what it was: calls differ by
        /// as much.
        bool unexplained = false;
    };
    struct Priors {
        std::vector<Prior> plans;
        Prior native;
        Seconds agreement;  ///< how long ranks take to hear what all have told
        Seconds agreeing;   ///< that this takes of calls which go on meanwhile
    };

    explicit Bandit(const Priors& priors);
    /// There are other plans from now on; what was measured of MPI's own stands.
    void replace_plans(std::span<const Prior> plans);
    /// A variant that does the calls from `begin` on, counted from 0.
    struct Turn {
        std::uint64_t begin = 0;
        Variant variant = native;

        friend bool operator==(const Turn&, const Turn&) = default;
    };
    /// Makes no choice: calls are done as `turns` say, of which the first begins with call 0.
    static Bandit following(std::vector<Turn> turns);
    /// Makes no choice: every call is done by `only`.
    static Bandit without(Variant only) { return following({{0, only}}); }

    /// The variant that does the next call.
    [[nodiscard]] Variant next() const;
    /// The one that does calls where none is tried.
    [[nodiscard]] Variant best() const { return chooses() ? variant(choice_) : next(); }
    /// Whether the next call's time will be told.
    [[nodiscard]] bool looks() const { return chooses() && calls_ >= look_.begin && !told_; }
    /// About what the calls took so far, the same on all ranks.
    [[nodiscard]] Seconds spent() const;
    /// Whether no look is under way, nor a change suspected, so that plans may be replaced.
    [[nodiscard]] bool is_settled() const;
    /// Whether what calls take decides by what the next ones are done.
    [[nodiscard]] bool chooses() const { return !arms_.empty(); }
    /// Whether all calls from now on are done by the same.
    [[nodiscard]] bool is_fixed() const { return !chooses() && turn_ + 1 == turns_.size(); }
    /// Whether the last call was not done by what did the one before.
    [[nodiscard]] bool has_turned() const { return chooses() && turns_.back().begin + 1 == calls_; }
    /// By what all calls so far were done, and would be from now on if nothing were tried any more.
    [[nodiscard]] std::vector<Turn> turns() const;

    /// The call that next() was asked for is done, on this rank, which sent `bytes`.
    void add(Seconds elapsed, double bytes);
    /// Whether the ranks are to tell each other samples() now, of which the greatest over all ranks
    /// count; there are as many everywhere.
    [[nodiscard]] bool is_to_tell() const { return chooses() && !told_ && calls_ == look_.end; }
    [[nodiscard]] std::span<const double> samples() const { return samples_; }
    void told() { told_ = true; }
    /// Whether what they told is to be heard now.
    [[nodiscard]] bool is_to_hear() const { return told_ && calls_ >= look_.heard; }
    void hear(std::span<const double> greatest);
    /// What was told can't be heard: the same calls are looked at once more.
    void look_again() { look_at(look_.arm, calls_, look_.watches); }

    /// Whether a plan takes longer or less than it did, in two looks one after the other, and did
    /// ever since.
    [[nodiscard]] bool has_changed() const { return changed_; }
    /// Whether calls have taken so much longer or less since then, in all, that it pays for finding
    /// out why: who waits so long to rent is never charged more than twice.
    [[nodiscard]] bool pays_for(Seconds finding_out) const;
    /// The plan that told, in the last look.
    [[nodiscard]] Variant changed() const { return changed_arm_; }
    /// Whether the first calls by that plan told that the network is again as it was at first.
    [[nodiscard]] bool has_returned() const { return arms_[changed_arm_].returned; }
    /// Whether nothing need have changed since the change before: no call by a plan in use was as
    /// expected since, or what its calls take was only foretold, by what was wrongly believed.
    [[nodiscard]] bool may_follow() const {
        return !has_returned() && (!as_before_ || arms_[changed_arm_].foretold);
    }
    /// What they take now is taken for what they take.
    void accept_change();
    /// The plan of the last look, if its calls took what was foretold of them (Prior::usual), not
    /// only what they took before.
    [[nodiscard]] std::optional<Variant> as_foretold() const { return as_foretold_; }
    /// What calls by a plan take until something changes, where that is known; and the same for a
    /// plan that takes the place of one like it.
    [[nodiscard]] std::optional<Seconds> usual_of(Variant plan) const;
    void expect_as_usual(Variant plan, Seconds time);
    /// What deviations are usual is known from other calls of the kind, which told of a change;
    /// `unexplained`: of none, so that this deviation is one of them.
    void deviate_as(const Bandit& before, bool unexplained);
    /// What calls by that plan took until then, and what they take now.
    [[nodiscard]] Seconds before() const { return Seconds(arms_[changed_arm_].reference); }
    [[nodiscard]] Seconds now() const { return Seconds(arms_[changed_arm_].expected); }
    /// Whether some look found what was expected.
    [[nodiscard]] bool was_as_before() const { return as_before_; }
    /// What calls by a plan took before the network changed; nullopt where it is not known.
    [[nodiscard]] std::optional<Seconds> before_of(Variant plan) const {
        return arms_[plan].before;
    }
    /// What calls by a plan, or MPI's own, took, or are expected to.
    [[nodiscard]] Seconds time_of(Variant variant) const {
        return Seconds(arm_of(variant).expected);
    }
    [[nodiscard]] bool was_measured(Variant variant) const { return arm_of(variant).measured; }

    /// The number of times that ranks had to agree.
    [[nodiscard]] std::size_t agreements() const { return agreements_; }
    /// What is known of the variants, in words; empty if there is no choice. `plans` are the plans'
    /// names.
    [[nodiscard]] std::string finding(std::span<const std::string> plans) const;

private:
    struct Arm {
        double expected;  ///< seconds
        double off;       ///< as in Prior
        double predicted = expected;
        bool measured = false;
        std::uint64_t averaged = 0;  ///< looks in what is expected
        bool connected = false;
        /// What its calls take until something changes; 0: not known.
        double reference = 0;
        std::size_t looks = 0;
        bool follows = false;           ///< the reference is a prediction, made after a change
        bool foretold = false;          ///< no look has set the reference
        std::optional<Seconds> again;   ///< as in Prior, until it is looked at
        bool returned = false;          ///< its first calls took that, not what was predicted
        std::optional<Seconds> before;  ///< as in Prior
        double over = 0;                ///< as in Prior, until it is looked at
        std::uint64_t changed = 0;      ///< the calls until the change that it was before
        std::uint64_t looked = 0;       ///< the calls until it was looked at last

        /// The expected improvement over a call of `now` seconds, if the time is as likely anywhere
        /// between its bounds.
        [[nodiscard]] double improves_on(double now) const;
        /// Whether calls that took so long tell that the network is again as it was.
        [[nodiscard]] bool tells_return(double seen) const;
    };
    /// Calls begin .. end - 1, counted from 0, by one arm, of which ranks hear after `heard` calls.
    /// Those from `compared` on are compared: the first call of an arm makes connections.
    struct Look {
        std::size_t arm = 0;
        std::uint64_t begin = 0;
        std::uint64_t compared = 0;
        std::uint64_t end = 0;
        std::uint64_t heard = 0;
        bool watches = false;  ///< does not lead to tries
    };

    [[nodiscard]] const Arm& arm_of(Variant variant) const {
        return variant == native ? arms_.back() : arms_[variant];
    }
    [[nodiscard]] Variant variant(std::size_t arm) const {
        return arm + 1 == arms_.size() ? native : arm;
    }
    [[nodiscard]] double is_expected_to_lose(const Arm& arm) const;
    [[nodiscard]] double hope_for(const Arm& arm) const;
    [[nodiscard]] double hope_for_return(const Arm& arm) const;
    [[nodiscard]] std::optional<std::size_t> worth_trying(bool watched) const;
    void look_at(std::size_t arm, std::uint64_t begin, bool watches = false);
    void look_later();
    /// Whether the same should be looked at once more at once.
    [[nodiscard]] bool compare_with_before(Arm& arm, double seen);
    /// What a look saw, averaged with those before it unless it is something else.
    void take_in(Arm& arm, double seen) const;

    std::vector<Arm> arms_;  ///< the plans, and MPI's own; none where there is no choice
    Seconds agreement_;
    Seconds agreeing_;
    std::vector<Turn> turns_;  ///< of the calls so far, or, without arms, of all calls
    std::size_t turn_ = 0;     ///< of the next call, where there are no arms
    std::size_t choice_ = 0;
    double connecting_ = 0;  ///< s that a first call took longer than others
    Look look_;
    bool told_ = false;
    std::uint64_t calls_ = 0;
    std::uint64_t others_due_ = 0;  ///< the calls after which others are considered again
    std::uint64_t round_ = 0;       ///< the calls after which they were considered last
    double deviation_;              ///< the usual one of a look from what calls took before
    bool suspected_ = false;        ///< the last look at a plan found something else
    bool changed_ = false;
    std::uint64_t changed_since_ = 0;  ///< the calls until something else was found first
    std::size_t changed_arm_ = 0;
    bool as_before_ = false;
    std::optional<Variant> as_foretold_;
    std::vector<double> samples_;  ///< of each call of a look, its time and its bytes
    std::size_t agreements_ = 0;
};

}  // namespace espalier::runtime
