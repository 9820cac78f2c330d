#include "measure/method/volley.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <tuple>

namespace espalier::measure {

namespace {

/// The part of the time until an answer is expected in which it is surely not there yet.
constexpr double surely_in_flight = 0.8;
constexpr double least_pause_s = 1e-6;
/// The relative error with which a latency is known beforehand, at best.
constexpr double latency_error = 2e-3;
/// Stays that shared the link seem to touch: by what it cost the first message of a burst, the
/// burst's gap is underestimated. So those that are this near, in lengths of the shorter, are taken
/// to have met.
constexpr double suspiciously_near = 0.05;

struct Stay {
    double from, to;
    std::uint64_t bytes;
};

}  // namespace

std::optional<std::vector<Probe>> schedule(std::vector<Expectation> probes) {
    std::sort(probes.begin(), probes.end(), [](const Expectation& a, const Expectation& b) {
        return std::tie(a.bytes, a.count) < std::tie(b.bytes, b.count);
    });
    std::vector<Stay> stays;
    std::vector<double> starts;
    double start = 0;
    double first_answer = infinity;
    for (const Expectation& probe : probes) {
        const double before = probe.latency * (1 - latency_error);
        const double length = probe.length + 2 * latency_error * probe.latency;
        // Each stay that is in the way pushes the start behind it, and perhaps into another one.
        for (bool moved = true; moved;) {
            moved = false;
            for (const Stay& stay : stays) {
                const double from = start + before;
                if (from >= stay.to || from + length <= stay.from) continue;
                start = stay.to - before + least_pause_s;
                moved = true;
            }
        }
        starts.push_back(start);
        stays.push_back({start + before, start + before + length, probe.bytes});
        first_answer = std::min(first_answer, start + surely_in_flight * probe.answer);
        start += least_pause_s;
    }
    if (starts.back() > first_answer) return std::nullopt;
    std::vector<Probe> volley;
    for (std::size_t i = 0; i < probes.size(); ++i)
        volley.push_back({probes[i].bytes, probes[i].count,
                          i + 1 < starts.size() ? starts[i + 1] - starts[i] : 0});
    return volley;
}

std::vector<std::uint64_t> sizes_that_met(std::span<const Probe> volley,
                                          std::span<const ProbeLink::Answer> answers,
                                          const std::map<std::uint64_t, double>& gaps,
                                          double one_way) {
    std::vector<Stay> stays;
    std::vector<std::uint64_t> met;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        const auto gap = gaps.find(volley[i].bytes);
        if (gap == gaps.end()) continue;
        const double length = gap->second * static_cast<double>(volley[i].count);
        const double end = answers[i].started + answers[i].elapsed - one_way;
        stays.push_back({end - length, end, volley[i].bytes});
        // A message that shares with the burst behind it makes the gap seem as long as the pause.
        const bool burst_is_next = i + 1 < volley.size() && volley[i + 1].bytes == volley[i].bytes;
        const bool too_close = burst_is_next && length > 0.97 * volley[i].pause;
        if (too_close) met.push_back(volley[i].bytes);
    }
    for (std::size_t i = 0; i < stays.size(); ++i)
        for (std::size_t j = i + 1; j < stays.size(); ++j) {
            const double apart =
                std::max(stays[i].from, stays[j].from) - std::min(stays[i].to, stays[j].to);
            const double shorter =
                std::min(stays[i].to - stays[i].from, stays[j].to - stays[j].from);
            if (apart >= suspiciously_near * shorter) continue;
            met.push_back(stays[i].bytes);
            met.push_back(stays[j].bytes);
        }
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    return met;
}

}  // namespace espalier::measure
