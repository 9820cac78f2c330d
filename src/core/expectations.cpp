#include "core/expectations.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier {

namespace {

/// The multiple of the usual difference that is a change.
constexpr double surely = 3;

double relative_difference(double a, double b) {
    const double greater = std::max(a, b);
    return greater > 0 ? std::abs(a - b) / greater : 0;
}

double square(double value) { return value * value; }

}  // namespace

bool Expectations::changes(double before, double value) {
    const double difference = relative_difference(before, value);
    ++differences_[coarse(difference)];
    ++compared_;
    std::size_t below = 0;
    for (const auto& [usual, count] : differences_) {
        below += count;
        if (2 * below >= compared_) return difference > surely * usual;
    }
    return false;
}

void Expectations::set_level(History& quantity, double level) {
    double& present = quantity.levels.back();
    quantity.sum += level - present;
    quantity.squares += square(level) - square(present);
    present = level;
}

void Expectations::add(std::size_t index, Seconds at, double value) {
    History& quantity = quantities_[index];
    const bool first = quantity.levels.empty();
    assert(first || at >= quantity.at);
    const bool ended = !first && changes(quantity.last, value);
    for (CommonChanges& common : common_) {
        if (first)
            common.begin(index, at);
        else
            common.add(index, quantity.at, at, ended,
                       persistence_.chance(quantity.at - quantity.since, at - quantity.since));
    }
    if (!first) persistence_.add(quantity.at - quantity.since, at - quantity.since, ended);
    if (ended) {
        const double mean = quantity.sum / static_cast<double>(quantity.levels.size());
        if (mean > 0) {
            const double ratio = value / mean;
            ++ratios_[coarse(ratio)];
            ++renewed_;
            ratio_sum_ += ratio;
            ratio_squares_ += square(ratio);
        }
    } else if (!first && quantity.levels.back() > 0) {
        const double level = quantity.levels.back();
        const double before = (quantity.last - level) / level;
        left_ += before * (value - level) / level;
        deviated_ += square(before);
    }
    if (first || ended) {
        quantity.since = first ? at : Seconds((quantity.at.value + at.value) / 2);
        quantity.measurements = 0;
        quantity.levels.push_back(0);
    }
    quantity.measurements += 1;
    const double level = quantity.levels.back();
    set_level(quantity, level + (value - level) / static_cast<double>(quantity.measurements));
    quantity.last = value;
    quantity.at = at;
}

std::optional<Seconds> Expectations::measured(std::size_t index) const {
    const History& quantity = quantities_[index];
    if (quantity.levels.empty()) return std::nullopt;
    return quantity.at;
}

double Expectations::last(std::size_t index) const { return quantities_[index].last; }

double Expectations::chance(std::size_t index, Seconds time) const {
    const History& quantity = quantities_[index];
    assert(!quantity.levels.empty() && time >= quantity.at);
    const auto best = std::ranges::max_element(common_, {}, &CommonChanges::advantage);
    if (best != common_.end() && best->advantage() > 0)
        return best->chance(index, quantity.at, time);
    return persistence_.chance(quantity.at - quantity.since, time - quantity.since);
}

double Expectations::present(const History& quantity) const {
    const double left = deviated_ > 0 ? std::clamp(left_ / deviated_, 0.0, 1.0) : 1;
    const double level = quantity.levels.back();
    return level + left * (quantity.last - level);
}

Expectations::Expected Expectations::at(std::size_t index, Seconds time) const {
    const History& quantity = quantities_[index];
    const double lasts = chance(index, time);
    const auto levels = static_cast<double>(quantity.levels.size());
    const double mean = quantity.sum / levels;
    double sum = quantity.sum;
    double squares = quantity.squares;
    double count = levels;
    if (renewed_ > 0) {
        const auto renewed = static_cast<double>(renewed_);
        sum += mean * ratio_sum_ / renewed;
        squares += square(mean) * ratio_squares_ / renewed;
        count += 1;
    }
    const double centre = sum / count;
    const double variance = std::max(squares / count - square(centre), 0.0);
    const double now = present(quantity);
    const double value = lasts * now + (1 - lasts) * centre;
    return {value, std::sqrt(lasts * square(now - value) +
                             (1 - lasts) * (variance + square(centre - value)))};
}

double Expectations::below(std::size_t index, Seconds time, double limit) const {
    const History& quantity = quantities_[index];
    const double lasts = chance(index, time);
    const auto levels = static_cast<double>(quantity.levels.size());
    double gain = 0;
    for (const double level : quantity.levels) gain += std::max(limit - level, 0.0);
    double count = levels;
    if (renewed_ > 0) {
        const double mean = quantity.sum / levels;
        double by_ratios = 0;
        for (const auto& [ratio, times] : ratios_) {
            if (ratio * mean >= limit) break;
            by_ratios += (limit - ratio * mean) * static_cast<double>(times);
        }
        gain += by_ratios / static_cast<double>(renewed_);
        count += 1;
    }
    return lasts * std::max(limit - present(quantity), 0.0) + (1 - lasts) * gain / count;
}

}  // namespace espalier
