#include "measure/method/link_samples.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::measure {

namespace {

/// Bursts last at least this long, and this many times the noise, beyond their first message.
constexpr double least_burst_s = 5e-6;
constexpr double burst_to_noise = 20;
/// The part of a long path's round trip that a burst should last at least, since answers to other
/// probes arrive in between.
constexpr double burst_share = 4e-3;
constexpr std::uint64_t largest_burst_bytes = 8U << 20U;
/// A clock whose round trips differ by less than this is a simulated one.
constexpr double no_noise = 1e-3;
constexpr double bend_tolerance = 0.05;
constexpr double noises = 3;
/// Probes are kept apart by this factor of what they are expected to need of the link.
constexpr double distance = 1.15;
/// A gap that came out much smaller than expected may be so because messages met.
constexpr double guess_counts = 0.9;

}  // namespace

double LinkSamples::OfSize::gap() const {
    return (lower_quartile(bursts) - lower_quartile(single)) / static_cast<double>(burst - 1);
}

bool LinkSamples::noisy() const { return noise_ > no_noise * round_trip_; }

double LinkSamples::takes(std::uint64_t bytes) const {
    const OfSize& samples = samples_.at(bytes);
    return lower_quartile(samples.single) + lower_quartile(samples.bursts);
}

std::vector<std::uint64_t> LinkSamples::sizes() const {
    std::vector<std::uint64_t> sizes;
    for (const auto& [bytes, samples] : samples_)
        if (samples.complete()) sizes.push_back(bytes);
    return sizes;
}

bool LinkSamples::measured(std::uint64_t bytes) const {
    const auto found = samples_.find(bytes);
    return found != samples_.end() && found->second.complete();
}

std::vector<CostPoint> LinkSamples::points() const {
    std::vector<CostPoint> found;
    for (const auto& [bytes, samples] : samples_)
        if (samples.complete() && samples.gap() > 0) found.push_back(point(bytes, samples));
    return found;
}

double LinkSamples::gap_guess(std::uint64_t bytes) const {
    if (measured(bytes)) return std::max(samples_.at(bytes).gap(), 0.0);
    if (const auto hint = hints_.find(bytes); hint != hints_.end()) return hint->second.gap;
    const std::vector<CostPoint> known = points();
    if (known.empty()) return 0;
    if (shape_.known()) return shape_.scaled(bytes, known).gap;

    const auto size = static_cast<double>(bytes);
    for (const CostPoint& above : known)
        if (above.bytes >= bytes)
            return above.gap * std::min(1.2, 2.2 * size / static_cast<double>(above.bytes));
    const CostPoint& last = known.back();
    return 1.3 * last.gap * size / static_cast<double>(last.bytes);
}

double LinkSamples::latency_guess(std::uint64_t bytes) const {
    if (measured(bytes)) return point(bytes, samples_.at(bytes)).latency;
    if (const auto hint = hints_.find(bytes); hint != hints_.end()) return hint->second.latency;
    const std::vector<CostPoint> known = points();
    if (known.empty()) return one_way();
    if (shape_.known()) return shape_.scaled(bytes, known).latency;

    double latency = one_way();
    for (const CostPoint& below : known)
        if (below.bytes <= bytes) latency = below.latency;
    return latency;
}

Expectation LinkSamples::expect(std::uint64_t bytes, std::uint64_t count) const {
    const double latency = latency_guess(bytes);
    const double length = static_cast<double>(count) * gap_guess(bytes);
    return {bytes, count, latency, distance * length, latency + length + one_way()};
}

std::uint64_t LinkSamples::burst_of(std::uint64_t bytes) const {
    if (const auto known = samples_.find(bytes); known != samples_.end() && known->second.burst > 0)
        return known->second.burst;
    const double target = std::max(
        {least_burst_s, burst_to_noise * noise_, long_haul() ? burst_share * round_trip_ : 0});
    const double gap = std::max(gap_guess(bytes), 1e-9);
    const std::uint64_t most_bytes = points().empty() ? first_bulk : largest_burst_bytes;
    const std::uint64_t allowed = std::max<std::uint64_t>(most_bytes / bytes, 2);
    const double wanted = 1 + std::ceil(target / gap);
    const std::uint64_t most = std::min(longest_burst, allowed);
    return wanted >= static_cast<double>(most)
               ? most
               : std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 2);
}

std::vector<std::uint64_t> LinkSamples::add(std::span<const Probe> volley,
                                            std::span<const ProbeLink::Answer> answers) {
    std::map<std::uint64_t, OfSize> fresh;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        OfSize& samples = fresh[volley[i].bytes];
        if (volley[i].count > 1) samples.burst = volley[i].count;
        (volley[i].count == 1 ? samples.single : samples.bursts).push_back(answers[i].elapsed);
    }
    std::vector<std::uint64_t> met;
    if (volley.size() > 1) {
        std::map<std::uint64_t, double> gaps;
        for (const auto& [bytes, samples] : fresh)
            if (samples.complete())
                gaps[bytes] = std::max(samples.gap(), guess_counts * gap_guess(bytes));
        met = sizes_that_met(volley, answers, gaps, one_way());
        for (const auto& [bytes, samples] : fresh)
            if (samples.complete() && samples.gap() <= 0) met.push_back(bytes);
        std::sort(met.begin(), met.end());
    }
    for (const auto& [bytes, samples] : fresh) {
        if (std::binary_search(met.begin(), met.end(), bytes)) {
            hints_[bytes] = point(bytes, samples);
            continue;
        }
        OfSize& kept = samples_[bytes];
        if (samples.burst > 0) kept.burst = samples.burst;
        kept.single.insert(kept.single.end(), samples.single.begin(), samples.single.end());
        kept.bursts.insert(kept.bursts.end(), samples.bursts.begin(), samples.bursts.end());
    }
    met.erase(std::unique(met.begin(), met.end()), met.end());
    return met;
}

void LinkSamples::learn_round_trip(std::uint64_t bytes) {
    const auto found = samples_.find(bytes);
    if (found == samples_.end()) return;
    round_trip_ = lower_quartile(found->second.single);
    noise_ = deviation(found->second.single);
}

bool LinkSamples::bends(std::uint64_t low, std::uint64_t middle, std::uint64_t high) const {
    const CostPoint a = point(low, samples_.at(low));
    const CostPoint b = point(middle, samples_.at(middle));
    const CostPoint c = point(high, samples_.at(high));
    const double along = static_cast<double>(middle - low) / static_cast<double>(high - low);
    const auto off = [&](double at_low, double at_middle, double at_high, double noise) {
        const double line = at_low + along * (at_high - at_low);
        return std::abs(line - at_middle) > bend_tolerance * at_middle + noises * noise;
    };
    return off(a.gap, b.gap, c.gap, a.gap_noise + b.gap_noise + c.gap_noise) ||
           off(a.latency, b.latency, c.latency,
               a.latency_noise + b.latency_noise + c.latency_noise);
}

CostPoint LinkSamples::point(std::uint64_t bytes, const OfSize& samples) const {
    CostPoint result;
    result.bytes = bytes;
    result.gap = std::max(samples.gap(), 0.0);
    result.delivery = std::max(lower_quartile(samples.single) - one_way(), 0.0);
    result.latency = std::max(result.delivery - result.gap, 0.0);
    const auto noise_of = [&](const std::vector<double>& times) {
        return std::max({deviation(times), noise_, relative_noise_ * median(times)});
    };
    const double single_noise = noise_of(samples.single);
    const double burst_noise = noise_of(samples.bursts);
    result.gap_noise = (single_noise + burst_noise) / static_cast<double>(samples.burst - 1);
    result.latency_noise = single_noise + result.gap_noise + noise_;
    return result;
}

double LinkSamples::spread() const {
    std::vector<double> spreads;
    for (const auto& [bytes, samples] : samples_)
        if (samples.complete())
            spreads.push_back(deviation(samples.single) / median(samples.single));
    return spreads.empty() ? 0 : median(spreads);
}

}  // namespace espalier::measure
