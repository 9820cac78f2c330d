#include "runtime/logic/trial.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::runtime {

namespace {

constexpr std::uint64_t rounds_later = 2;

std::string name_of(Trial::Way way, std::span<const std::string> plans) {
    return way == Trial::native ? "MPI's own" : plans[way];
}

}  // namespace

Trial::Trial(std::size_t plans, Seconds predicted)
    : plans_(plans),
      rounds_(predicted < long_call ? rounds : rounds_if_long),
      agreement_(rounds_ * (plans + 1)) {
    assert(plans > 0);
}

Trial Trial::without(Way only) {
    Trial trial;
    trial.tries_ = false;
    trial.choice_ = only;
    return trial;
}

std::vector<Trial::Way> Trial::ways() const {
    std::vector<Way> all;
    for (Way plan = 0; plan < plans_; ++plan) all.push_back(plan);
    // Later it comes first: nobody is to be slower for having the library.
    all.insert(decided_ ? all.begin() : all.end(), native);
    if (!decided_) return all;
    std::erase(all, choice_);
    return {choice_, all[other_ % all.size()]};
}

std::uint64_t Trial::comparing() const { return (decided_ ? rounds_later : rounds_) * of_round(); }

/// In ways(); the calls of every other round are in reverse order.
std::size_t Trial::place_of_next() const {
    const std::size_t place = turn() % of_round();
    return turn() / of_round() % 2 == 0 ? place : of_round() - 1 - place;
}

Trial::Way Trial::next() const { return compares() ? ways()[place_of_next()] : choice_; }

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

double Trial::Round::ratio(std::size_t way, std::size_t to) const {
    return std::isfinite(seconds[way]) ? seconds[way] / seconds[to] : seconds[way];
}

std::vector<Trial::Round> Trial::counted_rounds(std::span<const double> greatest) const {
    const std::size_t calls = of_round();
    std::vector<Round> found;
    const bool connects = !decided_ && rounds_ > rounds_if_long;
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
    if (decided_)
        reconsider(counted_rounds(greatest));
    else
        decide(counted_rounds(greatest));
    decided_ = true;
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max() / epoch;
    agreement_ = agreement_ > last ? std::numeric_limits<std::uint64_t>::max() : agreement_ * epoch;
}

void Trial::decide(const std::vector<Round>& counted) {
    if (counted.empty()) return;
    const std::size_t own = plans_;
    double least = std::numeric_limits<double>::infinity();
    for (Way plan = 0; plan < plans_; ++plan) {
        std::vector<Round> sorted = counted;
        std::ranges::stable_sort(sorted, {}, [&](const Round& r) { return r.ratio(plan, own); });
        const Round& middle = sorted[sorted.size() / 2];
        const double ratio = middle.ratio(plan, own);
        if (found_ && !(ratio < least)) continue;
        least = ratio;
        choice_ = ratio < 1 - margin ? plan : native;
        found_ = Finding{plan, native, Seconds(middle.seconds[plan]), Seconds(middle.seconds[own]),
                         calls_};
    }
}

/// By the round that says least against what there is.
void Trial::reconsider(const std::vector<Round>& counted) {
    const Way challenger = ways()[1];
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
    if (!decided_) return "on trial";
    if (!found_) return "sizes differ too much to compare";
    return fmt::format("measured up to call {}: {} {}, {} {}", found_->calls,
                       name_of(found_->one, plans), format_seconds(found_->of_one),
                       name_of(found_->other, plans), format_seconds(found_->of_other));
}

}  // namespace espalier::runtime
