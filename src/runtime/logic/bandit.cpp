#include "runtime/logic/bandit.hpp"

#include "core/infinity.hpp"
#include "core/text.hpp"
#include "runtime/logic/planning_effort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::runtime {

namespace {

/// Calls that a look compares.
constexpr std::uint64_t calls_of_a_look = 2;
/// Others are considered after so many times as many calls.
constexpr std::uint64_t growth = 4;
/// What a measured time may be off by.
constexpr double noise = 0.05;
/// What is known of an arm is off by so many times more after each look at another.
constexpr double forgetting = 2;
/// Something has changed where a look differs by so many times the usual deviation.
constexpr double unusual = 5;
/// The part that the newest look has, at least, in what calls take and in the usual deviation.
constexpr double newest = 0.125;
/// Looks until what calls take is known: at first connections are slow.
constexpr std::size_t first_looks = 2;
/// Calls whose sizes differ by more than this factor are not compared.
constexpr double same_size = 1.25;

}  // namespace

Bandit::Bandit(const Priors& priors)
    : arms_{{priors.native.expected.value, priors.native.off}},
      agreement_(priors.agreement),
      agreeing_(priors.agreeing),
      deviation_(noise) {
    replace_plans(priors.plans);
}

void Bandit::replace_plans(std::span<const Prior> plans) {
    const Arm own = arms_.back();
    arms_.clear();
    suspected_ = changed_ = false;
    as_foretold_.reset();
    for (const Prior& plan : plans) {
        Arm& arm = arms_.emplace_back(Arm{plan.expected.value, plan.off});
        arm.measured = arm.connected = plan.measured;
        arm.before = plan.before;
        arm.over = plan.over;
        arm.again = plan.again;
        arm.changed = arm.looked = calls_;
        if (!plan.usual) continue;
        arm.reference = arm.expected = *plan.usual * plan.expected.value;
        arm.looks = first_looks;
        arm.follows = !plan.measured && !plan.unexplained;
        arm.foretold = true;
    }
    arms_.push_back(own);
    // Of equal ones MPI's own: nobody is to be slower for having the library.
    choice_ = 0;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm)
        if (arms_[arm].expected <= arms_[choice_].expected) choice_ = arm;
    look_at(choice_, calls_);
}

Seconds Bandit::spent() const {
    return Seconds(chooses() ? static_cast<double>(calls_) * arms_[choice_].expected : 0);
}

bool Bandit::is_settled() const {
    return chooses() && !told_ && !suspected_ && look_.arm == choice_ && calls_ <= look_.begin;
}

Bandit Bandit::following(std::vector<Turn> turns) {
    assert(!turns.empty() && turns.front().begin == 0);
    Bandit bandit({{}, {}, {}});
    bandit.arms_.clear();
    bandit.turns_ = std::move(turns);
    return bandit;
}

std::vector<Bandit::Turn> Bandit::turns() const {
    std::vector<Turn> turns = turns_;
    const Variant chosen = variant(choice_);
    const bool tries = next() != chosen;
    if (turns.empty() || turns.back().variant != chosen)
        turns.push_back({tries ? look_.end : calls_, chosen});
    return turns;
}

Bandit::Variant Bandit::next() const {
    if (!chooses()) return turns_[turn_].variant;
    return variant(!told_ && calls_ >= look_.begin ? look_.arm : choice_);
}

void Bandit::look_at(std::size_t arm, std::uint64_t begin, bool watches) {
    told_ = false;
    const double calls = agreement_.value / std::max(arms_[choice_].expected, 1e-9);
    // What is suspected is to be known soon.
    const auto later =
        static_cast<std::uint64_t>(suspected_ ? std::floor(calls) : std::ceil(calls));
    look_ = {arm, begin, begin + (arms_[arm].connected ? 0 : 1), 0, 0, watches};
    look_.end = look_.compared + calls_of_a_look;
    look_.heard = look_.end + std::min(later, look_.end);
    samples_.assign(2 * (look_.end - look_.begin), 0);
}

void Bandit::add(Seconds elapsed, double bytes) {
    if (!chooses()) {
        ++calls_;
        while (!is_fixed() && turns_[turn_ + 1].begin <= calls_) ++turn_;
        return;
    }
    if (turns_.empty() || turns_.back().variant != next()) turns_.push_back({calls_, next()});
    if (looks() && calls_ < look_.end) {
        const std::size_t place = 2 * (calls_ - look_.begin);
        samples_[place] = elapsed.value;
        samples_[place + 1] = bytes;
    }
    ++calls_;
}

/// What is watched, until others are due to be considered.
void Bandit::look_later() {
    // What agreeing takes may bring nothing either.
    const double rarely =
        planning_charge * agreeing_.value / std::max(arms_[choice_].expected, 1e-9);
    const std::uint64_t watch =
        calls_ + std::max(static_cast<std::uint64_t>(std::ceil(rarely)), std::uint64_t{1});
    if (watch < others_due_)
        look_at(choice_, watch, true);
    else
        look_at(choice_, std::max(others_due_, calls_));
}

void Bandit::take_in(Arm& arm, double seen) const {
    const double limit = 1 + unusual * deviation_;
    // A call that failed took for ever.
    const bool is_usual = arm.averaged > 0 && seen < infinity && seen <= limit * arm.expected &&
                          arm.expected <= limit * seen;
    arm.averaged = is_usual ? arm.averaged + 1 : 1;
    if (is_usual)
        arm.expected +=
            std::max(newest, 1 / static_cast<double>(arm.averaged)) * (seen - arm.expected);
    else
        arm.expected = seen;
    arm.off = noise;
    arm.measured = true;
}

bool Bandit::compare_with_before(Arm& arm, double seen) {
    const bool is_plan = variant(look_.arm) != native;
    const bool is_choice = is_plan && look_.arm == choice_;
    const double limit = unusual * deviation_;
    if (arm.looks == 0 || (arm.looks < first_looks && seen <= (1 + limit) * arm.reference)) {
        arm.reference = arm.looks == 0 ? seen : std::min(arm.reference, seen);
        ++arm.looks;
        as_before_ |= is_choice;
        return false;
    }
    const double ratio = seen / arm.reference;
    const double off = std::max(ratio, 1 / ratio) - 1;
    const bool is_told = changed_ && changed_arm_ == look_.arm;
    if (off <= limit) {
        if (is_told) changed_ = false;
        deviation_ += newest * (off - deviation_);
        deviation_ = std::max(deviation_, noise);
        suspected_ = false;
        arm.follows = arm.returned = false;
        as_before_ |= is_choice;
        if (is_plan && arm.foretold) as_foretold_ = look_.arm;
        return false;
    }
    // What was learned from one change is soon learned to be wrong.
    const bool is_certain = suspected_ || is_told || arm.follows;
    arm.expected = seen;
    arm.averaged = 1;
    suspected_ = !is_certain;
    changed_ = is_certain && is_plan;
    changed_arm_ = look_.arm;
    // MPI's own tell nothing of the network but that others may be faster now.
    if (is_certain && !is_plan) {
        arm.reference = seen;
        others_due_ = calls_;
    }
    return suspected_;
}

void Bandit::hear(std::span<const double> greatest) {
    assert(is_to_hear() && greatest.size() == samples_.size());
    ++agreements_;
    as_foretold_.reset();
    double least = infinity;
    double fewest = infinity;
    double most = 0;
    for (std::size_t k = 2 * (look_.compared - look_.begin); k < greatest.size(); k += 2) {
        least = std::min(least, greatest[k]);
        fewest = std::min(fewest, greatest[k + 1]);
        most = std::max(most, greatest[k + 1]);
    }
    Arm& arm = arms_[look_.arm];
    arm.connected = true;
    arm.looked = calls_;
    arm.over = 0;
    const bool tells = most <= same_size * fewest;
    const bool was_usual = !suspected_ && !changed_;
    bool once_more = false;
    bool surprises = false;
    if (tells) {
        surprises =
            arm.looks == 0 && variant(look_.arm) != native && least > arm.expected * (1 + arm.off);
        if (look_.compared > look_.begin) connecting_ = std::max(greatest.front() - least, 0.0);
        if (arm.tells_return(least)) {
            // What calls take relative to what is predicted stays.
            arm.reference = arm.predicted * least / arm.again->value;
            arm.looks = first_looks;
            arm.follows = arm.returned = true;
        }
        arm.again.reset();
        take_in(arm, least);
        // What a plan from before takes was predicted as badly as what is in use.
        if (const Arm& now = arms_[choice_];
            arm.follows && arm.before && now.measured && variant(choice_) != native)
            arm.reference *= now.expected / now.predicted;
        if (arm.expected < arms_[choice_].expected) choice_ = look_.arm;
        once_more = compare_with_before(arm, least);
        // What takes longer than it was thought to may tell of a change; if so, what is in use does
        // as well.
        surprises = surprises && look_.arm != choice_ && !changed_;
        suspected_ |= surprises;
        if (was_usual) changed_since_ = look_.begin;
    }
    const bool watched = look_.watches && others_due_ > calls_;
    if (!watched) {
        for (Arm& other : arms_)
            if (&other != &arm || !tells) other.off *= forgetting;
        if (look_.arm == choice_) round_ = calls_;
        others_due_ = growth * calls_;
    }
    // Where sizes differ too much a try would bring as little again.
    const auto other = tells && !changed_ && !once_more ? worth_trying(watched) : std::nullopt;
    if (once_more)
        look_at(look_.arm, calls_, true);
    else if (surprises)
        look_at(choice_, calls_);
    else if (other)
        look_at(*other, calls_);
    else
        look_later();
}

std::optional<Seconds> Bandit::usual_of(Variant plan) const {
    const Arm& arm = arms_[plan];
    return arm.looks < first_looks ? std::nullopt : std::optional(Seconds(arm.reference));
}

void Bandit::expect_as_usual(Variant plan, Seconds time) {
    arms_[plan].reference = time.value;
    arms_[plan].looks = first_looks;
    arms_[plan].foretold = false;
}

bool Bandit::pays_for(Seconds finding_out) const {
    const Arm& arm = arms_[changed_arm_];
    const auto calls = static_cast<double>(calls_ - changed_since_);
    return calls * std::abs(arm.expected - arm.reference) >= finding_out.value;
}

void Bandit::deviate_as(const Bandit& before, bool unexplained) {
    deviation_ = before.deviation_;
    const double ratio = before.now() / before.before();
    const double off = std::max(ratio, 1 / ratio) - 1;
    // A call that failed took for ever.
    if (unexplained && std::isfinite(off)) deviation_ += newest * (off - deviation_);
}

void Bandit::accept_change() {
    changed_ = false;
    arms_[changed_arm_].reference = arms_[changed_arm_].expected;
    arms_[changed_arm_].foretold = arms_[changed_arm_].returned = false;
}

double Bandit::Arm::improves_on(double now) const {
    const double least = expected / (1 + off);
    const double most = expected * (1 + off);
    if (now <= least) return 0;
    if (now >= most) return now - (least + most) / 2;
    return (now - least) * (now - least) / (2 * (most - least));
}

/// If they took that, as far as predictions may be off, and not what was predicted.
bool Bandit::Arm::tells_return(double seen) const {
    const auto is_within = [&](double time) {
        return std::max(seen / time, time / seen) <= 1 + off;
    };
    return looks == 0 && again && is_within(again->value) && !is_within(predicted);
}

double Bandit::is_expected_to_lose(const Arm& arm) const {
    const double each = std::max(arm.expected - arms_[choice_].expected, 0.0);
    return static_cast<double>(calls_of_a_look) * each + (arm.connected ? 0 : each + connecting_);
}

/// What a try is expected to gain in as many calls as there were, less what it is to lose.
double Bandit::hope_for(const Arm& arm) const {
    return static_cast<double>(calls_) * arm.improves_on(arms_[choice_].expected) -
           is_expected_to_lose(arm);
}

/// The same if the network may be again as it was before a change. What has lasted for n calls ends
/// in the next m with a chance of m / (n + m), whatever the scale of its changes (rule of
/// succession); and it has to pay in as many calls as went by since the arm was looked at.
double Bandit::hope_for_return(const Arm& arm) const {
    if (!arm.before) return 0;
    const auto since = static_cast<double>(calls_ - arm.looked);
    // Two looks told the change.
    const double ends = since / static_cast<double>(2 * calls_of_a_look + calls_ - arm.changed);
    const double chance = 1 - (1 - arm.over) * (1 - ends);
    const double gain = std::max(arms_[choice_].expected - arm.before->value, 0.0);
    return chance * since * gain - (1 - chance) * is_expected_to_lose(arm);
}

/// The arm of which most is to be hoped, if that pays for a try.
std::optional<std::size_t> Bandit::worth_trying(bool watched) const {
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t k = 0; k < arms_.size(); ++k) {
        if (k == choice_) continue;
        const Arm& arm = arms_[k];
        // What was looked at since others were considered is known as well as a look can tell; but
        // noise may have made a slower one the choice.
        const bool is_known = watched || (arm.measured && arm.looked >= round_);
        const bool was_faster = arm.measured && arm.expected < arms_[choice_].expected;
        const double hope =
            std::max(is_known && !was_faster ? 0 : hope_for(arm), hope_for_return(arm));
        if (hope <= most) continue;
        most = hope;
        best = k;
    }
    return best;
}

std::string Bandit::finding(std::span<const std::string> plans) const {
    if (!chooses()) return "";
    assert(plans.size() + 1 == arms_.size());
    std::string text;
    for (std::size_t k = 0; k < arms_.size(); ++k) {
        const Arm& arm = arms_[k];
        text += fmt::format(
            "{}{} {} {}", text.empty() ? "" : ", ", variant(k) == native ? "MPI's own" : plans[k],
            arm.measured ? "measured" : "predicted", format_seconds(Seconds(arm.expected)));
    }
    return text;
}

}  // namespace espalier::runtime
