#include "measure/method/shape.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::measure {

namespace {

/// Sizes whose ratios to the shape differ by more than this factor are too different to draw after
/// the shape between them.
constexpr double too_different = 1.5;

struct Ratio {
    double latency = 1;
    double gap = 1;
};

double fraction(std::uint64_t at, std::uint64_t low, std::uint64_t high) {
    return static_cast<double>(at - low) / static_cast<double>(high - low);
}

double mix(double low, double high, double along) { return low + along * (high - low); }

bool differ(double a, double b, double factor) { return std::max(a, b) > factor * std::min(a, b); }

CostPoint first_not_below(std::uint64_t bytes, const std::vector<CostPoint>& points,
                          std::vector<CostPoint>::const_iterator& found) {
    found = std::find_if(points.begin(), points.end(),
                         [&](const CostPoint& point) { return point.bytes >= bytes; });
    return found == points.end() ? points.back() : *found;
}

}  // namespace

CostPoint Shape::at(std::uint64_t bytes) const {
    assert(known());
    std::vector<CostPoint>::const_iterator above;
    CostPoint result = first_not_below(bytes, points_, above);
    result.bytes = bytes;
    if (above == points_.end()) {
        const CostPoint& last = points_.back();
        const CostPoint& before = points_[points_.size() - 2];
        const double slope =
            (last.gap - before.gap) / static_cast<double>(last.bytes - before.bytes);
        result.gap += std::max(slope, 0.0) * static_cast<double>(bytes - last.bytes);
    } else if (above != points_.begin() && above->bytes != bytes) {
        const CostPoint& below = *(above - 1);
        const double along = fraction(bytes, below.bytes, above->bytes);
        result.latency = mix(below.latency, above->latency, along);
        result.gap = mix(below.gap, above->gap, along);
    }
    return result;
}

CostPoint Shape::scaled(std::uint64_t bytes, const std::vector<CostPoint>& measured) const {
    assert(known() && !measured.empty());
    const auto ratio_at = [&](const CostPoint& point) {
        const CostPoint own = at(point.bytes);
        return Ratio{own.latency > 0 ? point.latency / own.latency : 1,
                     own.gap > 0 ? point.gap / own.gap : 1};
    };
    std::vector<CostPoint>::const_iterator above;
    Ratio ratio = ratio_at(first_not_below(bytes, measured, above));
    if (above != measured.end() && above != measured.begin() && above->bytes != bytes) {
        const Ratio below = ratio_at(*(above - 1));
        const double along = fraction(bytes, (above - 1)->bytes, above->bytes);
        ratio = {mix(below.latency, ratio.latency, along), mix(below.gap, ratio.gap, along)};
    }
    CostPoint result = at(bytes);
    result.latency *= ratio.latency;
    result.gap *= ratio.gap;
    return result;
}

bool Shape::holds(const std::vector<CostPoint>& measured, double tolerance) const {
    if (!known() || measured.size() < 2) return false;
    Ratio least{1e300, 1e300};
    Ratio greatest{0, 0};
    for (const CostPoint& point : measured) {
        const CostPoint own = at(point.bytes);
        if (own.latency <= 0 || own.gap <= 0) return false;
        const Ratio ratio{point.latency / own.latency, point.gap / own.gap};
        least = {std::min(least.latency, ratio.latency), std::min(least.gap, ratio.gap)};
        greatest = {std::max(greatest.latency, ratio.latency), std::max(greatest.gap, ratio.gap)};
    }
    return !differ(least.latency, greatest.latency, 1 + tolerance) &&
           !differ(least.gap, greatest.gap, 1 + tolerance);
}

std::vector<CostPoint> Shape::completed(std::vector<CostPoint> measured) const {
    if (!known() || measured.empty()) return measured;
    std::vector<CostPoint> added;
    for (const CostPoint& own : points_) {
        std::vector<CostPoint>::const_iterator above;
        const CostPoint high = first_not_below(own.bytes, measured, above);
        if (high.bytes == own.bytes) continue;
        const CostPoint low =
            above == measured.begin() || above == measured.end() ? high : *(above - 1);
        const CostPoint at_low = at(low.bytes);
        const CostPoint at_high = at(high.bytes);
        if (differ(low.gap * at_high.gap, high.gap * at_low.gap, too_different) ||
            differ(low.latency * at_high.latency, high.latency * at_low.latency, too_different))
            continue;
        CostPoint point = scaled(own.bytes, measured);
        point.delivery = 0;
        point.latency_noise = std::max(low.latency_noise, high.latency_noise);
        point.gap_noise = std::max(low.gap_noise, high.gap_noise);
        added.push_back(point);
    }
    measured.insert(measured.end(), added.begin(), added.end());
    std::sort(measured.begin(), measured.end(),
              [](const CostPoint& a, const CostPoint& b) { return a.bytes < b.bytes; });
    return measured;
}

}  // namespace espalier::measure
