#include "runtime/logic/trial.hpp"

#include "core/infinity.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::runtime {

namespace {

constexpr std::uint64_t rounds_later = 2;

std::string name_of(Trial::Variant variant, std::span<const std::string> plans) {
    return variant == Trial::native ? "MPI's own" : plans[variant];
}

}  // namespace

Trial::Trial(std::size_t plans, Seconds predicted)
    : plans_(plans), rounds_(predicted < long_call ? rounds : rounds_if_long), left_(all()) {
    assert(plans > 0);
    if (predicted >= noticeable) stage_ = Stage::leaving_out;
    agreement_ = comparing();
}

Trial Trial::without(Variant only) {
    Trial trial;
    trial.tries_ = false;
    trial.choice_ = only;
    return trial;
}

std::vector<Trial::Variant> Trial::all() const {
    std::vector<Variant> all;
    for (Variant plan = 0; plan < plans_; ++plan) all.push_back(plan);
    all.push_back(native);
    return all;
}

std::vector<Trial::Variant> Trial::variants() const {
    if (stage_ != Stage::reconsidering) return left_;
    std::vector<Variant> others = left_;
    std::erase(others, choice_);
    // MPI's own comes first: nobody is to be slower for having the library.
    std::stable_partition(others.begin(), others.end(),
                          [](Variant variant) { return variant == native; });
    return {choice_, others[other_ % others.size()]};
}

std::uint64_t Trial::comparing() const {
    switch (stage_) {
        case Stage::leaving_out:
            return rounds_ / 2 * of_round();
        case Stage::choosing:
            return (rounds_ - before_) * of_round();
        case Stage::reconsidering:
            break;
    }
    return rounds_later * of_round();
}

/// The index, in variants(), of the next call's. The calls of every other round are in reverse
/// order.
std::size_t Trial::place_of_next() const {
    const std::size_t place = turn() % of_round();
    const std::uint64_t round = turn() / of_round() + before_;
    return round % 2 == 0 ? place : of_round() - 1 - place;
}

Trial::Variant Trial::next() const { return compares() ? variants()[place_of_next()] : choice_; }

bool Trial::add(Seconds elapsed, double bytes) {
    if (!tries_) return false;
    if (compares()) {
        samples_.resize(comparing() * 2);
        const std::size_t at = 2 * of_round() * (turn() / of_round()) + place_of_next();
        // No clock tells of less than that, and ratios need some time.
        samples_[at] = std::max(elapsed.value, 1e-9);
        samples_[at + of_round()] = bytes;
    }
    return ++calls_ == agreement_;
}

bool Trial::Round::counts() const {
    const auto [least, most] = std::ranges::minmax(bytes);
    return most <= same_size * least &&
           std::ranges::any_of(seconds, [](double each) { return std::isfinite(each); });
}

/// The round with only those variants of `all` that are in `left`.
Trial::Round Trial::Round::of(std::span<const Variant> all, std::span<const Variant> left) const {
    Round round;
    for (std::size_t place = 0; place < all.size(); ++place) {
        if (std::ranges::find(left, all[place]) == left.end()) continue;
        round.seconds.push_back(seconds[place]);
        round.bytes.push_back(bytes[place]);
    }
    return round;
}

double Trial::Round::ratio(std::size_t variant, std::size_t to) const {
    return std::isfinite(seconds[variant]) ? seconds[variant] / seconds[to] : seconds[variant];
}

std::vector<Trial::Round> Trial::counted_rounds(std::span<const double> greatest) const {
    const std::size_t calls = of_round();
    std::vector<Round> found;
    const bool connects =
        stage_ != Stage::reconsidering && before_ == 0 && rounds_ > rounds_if_long;
    for (std::size_t at = connects ? 2 * calls : 0; at < greatest.size(); at += 2 * calls) {
        const auto times = greatest.subspan(at, calls);
        const auto bytes = greatest.subspan(at + calls, calls);
        Round round{{times.begin(), times.end()}, {bytes.begin(), bytes.end()}};
        if (round.counts()) found.push_back(std::move(round));
    }
    return found;
}

void Trial::agree(std::span<const double> greatest) {
    assert(tries_ && calls_ == agreement_ && greatest.size() == samples_.size());
    ++agreements_;
    std::vector<Round> counted = counted_rounds(greatest);
    switch (stage_) {
        case Stage::leaving_out:
            early_ = std::move(counted);
            return leave_out();
        case Stage::choosing:
            counted.insert(counted.begin(), early_.begin(), early_.end());
            decide(counted);
            return keep_choice_until(rounds_ * (plans_ + 1));
        case Stage::reconsidering:
            reconsider(counted);
            left_ = all();
            return keep_choice_until(agreement_);
    }
}

/// Makes the choice for eight times as many calls. A variant that was left out is not compared at
/// their end.
void Trial::keep_choice_until(std::uint64_t calls) {
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max() / epoch;
    stage_ = Stage::reconsidering;
    before_ = 0;
    early_.clear();
    agreement_ = calls > last ? std::numeric_limits<std::uint64_t>::max() : calls * epoch;
    if (left_.size() > 1) return;
    left_ = all();
    keep_choice_until(agreement_);
}

/// Leaves out the variants that the rounds so far show to be clearly slower.
void Trial::leave_out() {
    before_ = rounds_ / 2;
    stage_ = Stage::choosing;
    if (!early_.empty()) {
        const std::vector<double> seconds = early_.back().seconds;
        const double least = std::ranges::min(seconds);
        const Seconds excess =
            rounds_ > rounds_if_long ? hopeless_excess : hopeless_excess_at_first;
        const auto is_hopeless = [&](double each) {
            return each > hopeless * least && each - least > excess.value;
        };
        std::vector<Variant> left;
        for (std::size_t place = 0; place < seconds.size(); ++place)
            if (!is_hopeless(seconds[place])) left.push_back(left_[place]);
        for (Round& round : early_) round = round.of(left_, left);
        if (is_hopeless(seconds.back()) || left.size() == 1) {
            // By MPI's own, or by nothing else.
            const auto best = std::ranges::min_element(seconds.begin(), seconds.end() - 1);
            found_ = Finding{left_[static_cast<std::size_t>(best - seconds.begin())], native,
                             Seconds(*best), Seconds(seconds.back()), calls_};
            choice_ = *best < seconds.back() ? found_->one : native;
        }
        left_ = std::move(left);
    }
    if (left_.size() == 1) return keep_choice_until(rounds_ * (plans_ + 1));
    agreement_ = calls_ + comparing();
}

/// Ratios are to MPI's own where that is left, else to the last plan.
void Trial::decide(const std::vector<Round>& counted) {
    if (counted.empty()) return;
    const std::size_t last = left_.size() - 1;
    const bool has_native = left_[last] == native;
    double least = infinity;
    for (std::size_t place = 0; place < left_.size(); ++place) {
        if (left_[place] == native) continue;
        std::vector<Round> sorted = counted;
        std::ranges::stable_sort(sorted, {}, [&](const Round& r) { return r.ratio(place, last); });
        const Round& middle = sorted[sorted.size() / 2];
        const double ratio = middle.ratio(place, last);
        if (place > 0 && !(ratio < least)) continue;
        least = ratio;
        choice_ = !has_native || ratio < 1 - margin ? left_[place] : native;
        // What MPI's own took when it was left out stays known.
        const Seconds own = has_native ? Seconds(middle.seconds[last]) : found_->of_other;
        found_ = Finding{left_[place], native, Seconds(middle.seconds[place]), own, calls_};
    }
}

/// Compares the choice with its challenger, by the round that speaks least against the choice.
void Trial::reconsider(const std::vector<Round>& counted) {
    const Variant challenger = variants()[1];
    ++other_;
    if (counted.size() < rounds_later) return;
    const Round& kindest = *std::ranges::max_element(
        counted, {}, [](const Round& round) { return round.ratio(1, 0); });
    found_ = Finding{choice_, challenger, Seconds(kindest.seconds[0]), Seconds(kindest.seconds[1]),
                     calls_};
    // Without a plan nothing can be lost.
    const double needed = challenger == native ? 1 : 1 - margin;
    if (kindest.ratio(1, 0) < needed) choice_ = challenger;
}

std::string Trial::finding(std::span<const std::string> plans) const {
    if (!tries_) return "";
    assert(plans.size() == plans_);
    if (stage_ != Stage::reconsidering) return "on trial";
    if (!found_) return "sizes differ too much to compare";
    return fmt::format("measured up to call {}: {} {}, {} {}", found_->calls,
                       name_of(found_->one, plans), format_seconds(found_->of_one),
                       name_of(found_->other, plans), format_seconds(found_->of_other));
}

}  // namespace espalier::runtime
