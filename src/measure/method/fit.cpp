#include "measure/method/fit.hpp"

#include "core/infinity.hpp"
#include "core/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <span>

namespace espalier::measure {

namespace {

/// A latency that varies by less than this, beyond noise, is one number.
constexpr double constant_within = 0.03;
/// How many times its noise a value may be off by chance, if there are many values.
constexpr double noises = 5;
/// Entries that linear interpolation gives to this are not worth their place in a table.
constexpr double interpolated_within = 0.002;

/// How far a gap has to be off the line between others not to be a disturbance, on a noisy clock.
constexpr double bend_on_noisy_clock = 0.25;

/// The messages of a stream, from which on its pace counts alone; and how far a table goes.
constexpr std::uint64_t stream_bytes = 32768;
constexpr std::uint64_t small_bytes = 1024;
constexpr std::uint64_t largest_bytes = 4U << 20U;

/// A function of size, known at some sizes, with how far off the straight line between others may
/// be from each of them.
struct Curve {
    std::vector<double> sizes;
    std::vector<double> times;
    std::vector<double> tolerances;
};

/// The entries that remain when those are left out which the straight line between their kept
/// neighbours gives well enough (Douglas and Peucker's method).
void keep_telling(const Curve& curve, std::size_t first, std::size_t last,
                  std::set<std::size_t>& kept) {
    kept.insert(first);
    kept.insert(last);
    std::size_t worst = first;
    double worst_excess = 1;
    for (std::size_t i = first + 1; i < last; ++i) {
        const double along =
            (curve.sizes[i] - curve.sizes[first]) / (curve.sizes[last] - curve.sizes[first]);
        const double line = curve.times[first] + along * (curve.times[last] - curve.times[first]);
        const double excess = std::abs(line - curve.times[i]) / curve.tolerances[i];
        if (excess > worst_excess) {
            worst_excess = excess;
            worst = i;
        }
    }
    if (worst == first) return;
    keep_telling(curve, first, worst, kept);
    keep_telling(curve, worst, last, kept);
}

/// `relative` is the tolerance where there is no noise.
Curve make_curve(const std::vector<CostPoint>& points, std::span<const double> times,
                 std::span<const double> noise, double relative) {
    Curve curve;
    for (std::size_t i = 0; i < points.size(); ++i) {
        curve.sizes.push_back(static_cast<double>(points[i].bytes));
        curve.times.push_back(times[i]);
        curve.tolerances.push_back(std::max({relative * std::abs(times[i]), noise[i], 1e-15}));
    }
    return curve;
}

std::set<std::size_t> telling(const Curve& curve) {
    std::set<std::size_t> kept;
    keep_telling(curve, 0, curve.sizes.size() - 1, kept);
    return kept;
}

network::CostTable table_of(const std::vector<CostPoint>& points, std::span<const double> times,
                            std::span<const double> noise) {
    std::vector<network::CostTable::Entry> entries;
    for (const std::size_t i : telling(make_curve(points, times, noise, interpolated_within)))
        entries.push_back({Bytes(points[i].bytes), Seconds(times[i])});
    return network::CostTable(std::move(entries));
}

network::CostTable fit_gap(const std::vector<CostPoint>& points, bool noisy) {
    std::vector<double> gaps;
    std::vector<double> noise;
    for (const CostPoint& point : points) {
        gaps.push_back(std::max(point.gap, 0.0));
        // What follows a stream has none, and is a line anyway.
        const bool disturbed = noisy && point.gap_noise > 0;
        noise.push_back(std::max(point.gap_noise, disturbed ? bend_on_noisy_clock * point.gap : 0));
    }
    // Larger messages may really have smaller gaps, but only a clock without noise can tell.
    const std::vector<double> any_fall(points.size(), infinity);
    gaps = without_noisy_falls(gaps, noisy ? any_fall : noise);
    if (gaps.size() > 1) gaps.back() = std::max(gaps.back(), gaps[gaps.size() - 2]);
    return table_of(points, gaps, noise);
}

network::CostTable fit_latency(std::vector<CostPoint> points, bool noisy) {
    std::vector<double> latencies;
    std::vector<double> noise;
    for (const CostPoint& point : points) {
        latencies.push_back(std::max(point.latency, 0.0));
        noise.push_back(point.latency_noise);
    }
    const double middle = median(latencies);
    bool varies = false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (std::abs(latencies[i] - middle) > constant_within * middle + noises * noise[i])
            varies = true;
    // The shortest messages met more often than any others, and what disturbs only adds.
    if (!varies) return network::CostTable(Seconds(noisy ? latencies.front() : middle));

    points.push_back(points.back());
    points.back().bytes *= 2;
    latencies.push_back(latencies.back());
    noise.push_back(noise.back());
    return table_of(points, latencies, noise);
}

/// Raises latencies to `least`, and lowers each to at most that of larger messages.
void level_latencies(std::vector<CostPoint>& points, double least) {
    double most = infinity;
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
        const bool is_drawn = point->delivery <= 0;
        const double own = is_drawn ? point->latency : point->delivery - point->gap;
        most = point->latency = std::min(most, std::max(least, own));
    }
    if (!points.empty()) points.front().latency = least;
}

}  // namespace

void believe_meetings(LinkCosts& costs, double least) {
    if (!costs.noisy) return;
    for (CostPoint& point : costs.points)
        if (point.delivery > least) point.gap = std::min(point.gap, point.delivery - least);
    level_latencies(costs.points, least);
}

void follow_stream(LinkCosts& costs, const StreamPace& pace) {
    const bool unknown = costs.points.empty();
    if (pace.rate <= 0 || (!unknown && !costs.noisy)) return;
    const double of_stream = static_cast<double>(stream_bytes) / pace.rate;
    double overhead = infinity;
    for (const CostPoint& point : costs.points)
        if (point.bytes <= small_bytes && point.gap > 0) overhead = std::min(overhead, point.gap);
    if (unknown) overhead = pace.overhead;
    overhead = std::min(overhead, of_stream / 2);
    const auto gap = [&](std::uint64_t bytes) {
        const double part = static_cast<double>(bytes) / static_cast<double>(stream_bytes);
        return part < 1 ? overhead + part * (of_stream - overhead) : part * of_stream;
    };
    std::erase_if(costs.points, [](const CostPoint& known) { return known.delivery <= 0; });
    for (CostPoint& known : costs.points) {
        known.gap = gap(known.bytes);
        known.gap_noise = 0;
    }
    level_latencies(costs.points, pace.latency);
    std::map<std::uint64_t, CostPoint> points;
    for (const CostPoint& known : costs.points) points[known.bytes] = known;
    for (const std::uint64_t bytes : {std::uint64_t{1}, stream_bytes, largest_bytes}) {
        if (points.contains(bytes)) continue;
        const auto above = points.upper_bound(bytes);
        const double latency = above != points.end() ? above->second.latency
                               : points.empty()      ? pace.latency
                                                     : points.rbegin()->second.latency;
        points[bytes] = {bytes, latency, gap(bytes), 0, 0, 0};
    }
    points.begin()->second.latency = pace.latency;
    costs.points.clear();
    for (const auto& [bytes, point] : points) costs.points.push_back(point);
    costs.noisy = true;
    costs.complete = true;
}

network::PLogP fit(const LinkCosts& costs) {
    assert(!costs.points.empty());
    return {fit_latency(costs.points, costs.noisy), fit_gap(costs.points, costs.noisy)};
}

std::vector<std::uint64_t> telling_sizes(const LinkCosts& costs, double tolerance) {
    std::vector<double> gaps, gap_noise, latencies, latency_noise;
    for (const CostPoint& point : costs.points) {
        gaps.push_back(point.gap);
        gap_noise.push_back(point.gap_noise);
        latencies.push_back(point.latency);
        latency_noise.push_back(point.latency_noise);
    }
    std::vector<std::uint64_t> sizes;
    if (costs.points.empty()) return sizes;
    std::set<std::size_t> kept = telling(make_curve(costs.points, gaps, gap_noise, tolerance));
    kept.merge(telling(make_curve(costs.points, latencies, latency_noise, tolerance)));
    for (const std::size_t i : kept) sizes.push_back(costs.points[i].bytes);
    return sizes;
}

}  // namespace espalier::measure
