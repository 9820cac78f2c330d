#include "measure/method/fit.hpp"

#include "measure/method/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>
#include <span>

namespace espalier::measure {

namespace {

/// A latency that varies by less than this, beyond noise, is one number.
constexpr double constant_within = 0.03;
/// Entries that linear interpolation gives to this are not worth their place in a table.
constexpr double interpolated_within = 0.002;

/// The entries that remain when those are left out which the straight line between their kept
/// neighbours gives to a relative `tolerance` (Douglas and Peucker's method).
void keep_telling(std::span<const double> sizes, std::span<const double> times, std::size_t first,
                  std::size_t last, double tolerance, std::set<std::size_t>& kept) {
    kept.insert(first);
    kept.insert(last);
    std::size_t worst = first;
    double worst_error = tolerance;
    for (std::size_t i = first + 1; i < last; ++i) {
        const double along = (sizes[i] - sizes[first]) / (sizes[last] - sizes[first]);
        const double line = times[first] + along * (times[last] - times[first]);
        const double error = std::abs(line - times[i]) / std::max(std::abs(times[i]), 1e-15);
        if (error > worst_error) {
            worst_error = error;
            worst = i;
        }
    }
    if (worst == first) return;
    keep_telling(sizes, times, first, worst, tolerance, kept);
    keep_telling(sizes, times, worst, last, tolerance, kept);
}

std::set<std::size_t> telling(const std::vector<CostPoint>& points, std::span<const double> times,
                              double tolerance) {
    std::vector<double> sizes;
    for (const CostPoint& point : points) sizes.push_back(static_cast<double>(point.bytes));
    std::set<std::size_t> kept;
    keep_telling(sizes, times, 0, points.size() - 1, tolerance, kept);
    return kept;
}

network::CostTable table_of(const std::vector<CostPoint>& points, std::span<const double> times) {
    std::vector<network::CostTable::Entry> entries;
    for (const std::size_t i : telling(points, times, interpolated_within))
        entries.push_back({Bytes(points[i].bytes), Seconds(times[i])});
    return network::CostTable(std::move(entries));
}

network::CostTable fit_gap(const std::vector<CostPoint>& points) {
    std::vector<double> gaps;
    std::vector<double> noise;
    for (const CostPoint& point : points) {
        gaps.push_back(std::max(point.gap, 0.0));
        noise.push_back(point.gap_noise);
    }
    gaps = without_noisy_falls(gaps, noise);
    if (gaps.size() > 1) gaps.back() = std::max(gaps.back(), gaps[gaps.size() - 2]);
    return table_of(points, gaps);
}

network::CostTable fit_latency(std::vector<CostPoint> points) {
    std::vector<double> latencies;
    std::vector<double> noise;
    for (const CostPoint& point : points) {
        latencies.push_back(std::max(point.latency, 0.0));
        noise.push_back(point.latency_noise);
    }
    const double middle = median(latencies);
    bool varies = false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (std::abs(latencies[i] - middle) > constant_within * middle + 3 * noise[i])
            varies = true;
    if (!varies) return network::CostTable(Seconds(middle));

    points.push_back(points.back());
    points.back().bytes *= 2;
    latencies.push_back(latencies.back());
    return table_of(points, latencies);
}

}  // namespace

network::PLogP fit(const LinkCosts& costs) {
    assert(!costs.points.empty());
    return {fit_latency(costs.points), fit_gap(costs.points)};
}

std::vector<std::uint64_t> telling_sizes(const LinkCosts& costs, double tolerance) {
    std::vector<double> gaps;
    std::vector<double> latencies;
    for (const CostPoint& point : costs.points) {
        gaps.push_back(point.gap);
        latencies.push_back(point.latency);
    }
    std::vector<std::uint64_t> sizes;
    if (costs.points.empty()) return sizes;
    std::set<std::size_t> kept = telling(costs.points, gaps, tolerance);
    kept.merge(telling(costs.points, latencies, tolerance));
    for (const std::size_t i : kept) sizes.push_back(costs.points[i].bytes);
    return sizes;
}

}  // namespace espalier::measure
