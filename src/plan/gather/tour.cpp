#include "plan/gather/tour.hpp"

#include <utility>

namespace espalier::plan::gather {

namespace {

/// Of a sum; less is rounding.
constexpr double least_gain = 1e-12;

}  // namespace

Tour::Tour(const Problem& problem, Aim aim, Order order)
    : problem_(problem), aim_(aim), order_(std::move(order)) {
    changes_.resize(problem.crossing.size(), 0);
    survey();
}

void Tour::replace(Order order) {
    order_ = std::move(order);
    survey();
}

void Tour::survey() {
    value_ = value_of(problem_, order_);
    crossings_.assign(problem_.crossing.size(), 0);
    for (std::size_t place = 0; place < size(); ++place)
        for (const std::uint32_t c : problem_.draws(at(place), at(place + 1))) ++crossings_[c];
}

void Tour::cross(const Leg& leg, int by) {
    for (const std::uint32_t c : problem_.draws(leg.from, leg.to)) {
        touched_.push_back(c);
        changes_[c] += by;
    }
}

bool Tour::count_slowest(std::span<const Leg> removed, std::span<const Leg> added, int& change) {
    const double slowest = value_.slowest;
    for (const Leg& leg : added) {
        if (problem_.step(leg.from, leg.to) > slowest) return false;
        if (problem_.step(leg.from, leg.to) == slowest) ++change;
    }
    for (const Leg& leg : removed)
        if (problem_.step(leg.from, leg.to) == slowest) --change;
    if (crossings_.empty()) return true;
    touched_.clear();
    for (const Leg& leg : added) cross(leg, 1);
    for (const Leg& leg : removed) cross(leg, -1);
    bool good = true;
    for (const std::uint32_t c : touched_) {
        if (changes_[c] == 0) continue;
        const double before = crossings_[c] * problem_.crossing[c];
        const double after = (crossings_[c] + changes_[c]) * problem_.crossing[c];
        changes_[c] = 0;
        good = good && after <= slowest;
        change += (after == slowest ? 1 : 0) - (before == slowest ? 1 : 0);
    }
    return good;
}

bool Tour::is_better(std::span<const Leg> removed, std::span<const Leg> added) {
    double longer = 0;
    for (const Leg& leg : added) longer += problem_.hop(leg.from, leg.to);
    for (const Leg& leg : removed) longer -= problem_.hop(leg.from, leg.to);
    const bool shorter = longer < -least_gain * value_.sum;
    if (aim_ == Aim::sum) return shorter;
    int change = 0;
    if (!count_slowest(removed, added, change)) return false;
    return change < 0 || (change == 0 && shorter);
}

}  // namespace espalier::plan::gather
