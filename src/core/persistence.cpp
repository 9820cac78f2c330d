#include "core/persistence.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace espalier {

void Persistence::add(Seconds from, Seconds to, bool ended, double weight) {
    const double begin = coarse(from.value);
    const double end = coarse(to.value);
    if (begin >= end) return;
    const double middle = coarse((from.value + to.value) / 2);
    const double until = ended && middle > begin ? middle : end;
    ages_[begin].come += weight;
    Counts& last = ages_[until];
    last.leave += weight;
    if (ended) last.end += weight;
    const double before = coarse(looks_);
    looks_ += weight;
    if (coarse(looks_) != before) estimate();
}

void Persistence::estimate() {
    curve_.clear();
    double at_risk = 0;
    double lasts = 1;
    for (const auto& [age, counts] : ages_) {
        // One more that lasts, so that no few ends make a certainty.
        if (counts.end > 0) lasts *= 1 - counts.end / (at_risk + 1);
        at_risk += counts.come - counts.leave;
        if (counts.end > 0) curve_.push_back({age, lasts});
    }
}

double Persistence::lasts_beyond(double age) const {
    const auto after = std::ranges::upper_bound(curve_, age, {}, &Point::age);
    return after == curve_.begin() ? 1 : std::prev(after)->lasts;
}

double Persistence::chance(Seconds from, Seconds to) const {
    const double before = lasts_beyond(coarse(from.value));
    return before > 0 ? lasts_beyond(coarse(to.value)) / before : 0;
}

}  // namespace espalier
