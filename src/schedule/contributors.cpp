#include "schedule/contributors.hpp"

#include <algorithm>
#include <iterator>

namespace espalier::schedule {

Contributors Contributors::all(std::size_t count) {
    Contributors everyone;
    if (count > 0) everyone.intervals_.push_back({0, count});
    return everyone;
}

bool Contributors::contains(const Contributors& other) const {
    return std::all_of(
        other.intervals_.begin(), other.intervals_.end(), [&](const Interval& inner) {
            return std::any_of(intervals_.begin(), intervals_.end(), [&](const Interval& outer) {
                return outer.begin <= inner.begin && inner.end <= outer.end;
            });
        });
}

bool Contributors::overlaps(const Contributors& other) const {
    auto a = intervals_.begin();
    auto b = other.intervals_.begin();
    while (a != intervals_.end() && b != other.intervals_.end()) {
        if (a->begin < b->end && b->begin < a->end) return true;
        if (a->end <= b->end)
            ++a;
        else
            ++b;
    }
    return false;
}

bool Contributors::adjoins(const Contributors& other) const {
    return precedes(other) || other.precedes(*this);
}

bool Contributors::precedes(const Contributors& other) const {
    return intervals_.size() == 1 && other.intervals_.size() == 1 &&
           intervals_.front().end == other.intervals_.front().begin;
}

void Contributors::add(const Contributors& other) {
    std::vector<Interval> merged;
    merged.reserve(intervals_.size() + other.intervals_.size());
    std::merge(intervals_.begin(), intervals_.end(), other.intervals_.begin(),
               other.intervals_.end(), std::back_inserter(merged),
               [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    intervals_.clear();
    for (const Interval& next : merged) {
        if (!intervals_.empty() && next.begin <= intervals_.back().end)
            intervals_.back().end = std::max(intervals_.back().end, next.end);
        else
            intervals_.push_back(next);
    }
}

}  // namespace espalier::schedule
