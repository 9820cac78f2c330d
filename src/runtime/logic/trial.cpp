#include "runtime/logic/trial.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace espalier::runtime {

namespace {

constexpr std::size_t samples_of_pair = 4;

Trial::Way other_than(Trial::Way way) {
    return way == Trial::Way::planned ? Trial::Way::native : Trial::Way::planned;
}

}  // namespace

Trial Trial::without(Way only) {
    Trial trial;
    trial.tries_ = false;
    trial.choice_ = only;
    return trial;
}

Trial::Way Trial::next() const {
    if (!compares()) return choice_;
    const std::uint64_t turn = calls_ + comparing_ - agreement_;
    const bool planned_first = turn / 2 % 2 == 0;
    return (turn % 2 == 0) == planned_first ? Way::planned : Way::native;
}

bool Trial::add(Seconds elapsed, double bytes) {
    if (!tries_) return false;
    if (compares()) {
        const std::uint64_t turn = calls_ + comparing_ - agreement_;
        const auto way = static_cast<std::size_t>(next());
        samples_.resize(comparing_ / 2 * samples_of_pair);
        const std::size_t first = turn / 2 * samples_of_pair;
        // No clock tells of less than that, and ratios need some time.
        samples_[first + way] = std::max(elapsed.value, 1e-9);
        samples_[first + 2 + way] = bytes;
    }
    return ++calls_ == agreement_;
}

Trial::Pair Trial::pair_of(std::span<const double> samples, std::size_t index) {
    const auto of = samples.subspan(index * samples_of_pair, samples_of_pair);
    return {{of[0], of[1]}, {of[2], of[3]}};
}

bool Trial::Pair::counts() const {
    const auto [less, more] = std::minmax(bytes[0], bytes[1]);
    return more <= same_size * less && (std::isfinite(seconds[0]) || std::isfinite(seconds[1]));
}

void Trial::agree(std::span<const double> greatest) {
    assert(tries_ && calls_ == agreement_ && greatest.size() == samples_.size());
    ++agreements_;
    std::vector<Pair> pairs;
    // In the first pair of all, connections are made.
    for (std::size_t p = decided_ ? 0 : 1; p < greatest.size() / samples_of_pair; ++p)
        if (const Pair pair = pair_of(greatest, p); pair.counts()) pairs.push_back(pair);
    std::ranges::stable_sort(pairs, {}, &Pair::ratio);
    if (decided_)
        reconsider(pairs);
    else
        decide(pairs);
    decided_ = true;
    comparing_ = comparing_later;
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max() / epoch;
    agreement_ = agreement_ > last ? std::numeric_limits<std::uint64_t>::max() : agreement_ * epoch;
}

void Trial::decide(const std::vector<Pair>& pairs) {
    if (pairs.empty()) return;
    found_ = pairs[pairs.size() / 2];
    found_at_ = calls_;
    choice_ = found_.ratio() < 1 - margin ? Way::planned : Way::native;
}

/// By the pair that says least against what there is.
void Trial::reconsider(const std::vector<Pair>& pairs) {
    if (pairs.size() < comparing_later / 2) return;
    const bool planned = choice_ == Way::planned;
    found_ = planned ? pairs.front() : pairs.back();
    found_at_ = calls_;
    if (planned ? found_.ratio() > 1 : found_.ratio() < 1 - margin) choice_ = other_than(choice_);
}

std::string Trial::finding() const {
    if (!tries_) return "";
    if (!decided_) return "on trial";
    if (found_at_ == 0) return "sizes differ too much to compare";
    return fmt::format("measured up to call {}: planned {}, MPI's own {}", found_at_,
                       format_seconds(Seconds(found_.seconds[0])),
                       format_seconds(Seconds(found_.seconds[1])));
}

}  // namespace espalier::runtime
