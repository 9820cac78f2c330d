#include "measure/method/survey.hpp"

#include "measure/method/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

namespace espalier::measure {

namespace {

constexpr std::uint64_t small_message = 1;
constexpr std::uint64_t first_bulk = 32768;
/// From this round trip on, waiting for each answer costs more than keeping probes apart.
constexpr double long_haul_s = 4e-3;
/// How much of the round trip a volley may take to send: no answer is back before it is all sent.
constexpr double window_share = 0.8;
/// Bursts last at least this long, and this many times the noise, beyond their first message.
constexpr double least_burst_s = 5e-6;
constexpr double burst_to_noise = 20;
constexpr std::uint64_t longest_burst = 64;
constexpr std::uint64_t largest_burst_bytes = 8U << 20U;
/// A clock whose round trips differ by less than this is a simulated one.
constexpr double no_noise = 1e-3;
constexpr double bend_tolerance = 0.05;
constexpr std::uint64_t refined_up_to = 128 * 1024;

class Survey {
public:
    Survey(ProbeLink& link, const SurveyOptions& options) : link_(link), options_(options) {}

    LinkCosts run();

private:
    struct Samples {
        std::uint64_t burst = 0;  ///< messages in each burst
        std::vector<double> single;
        std::vector<double> bursts;

        [[nodiscard]] bool complete() const { return !single.empty() && !bursts.empty(); }
        [[nodiscard]] double gap() const {
            return (median(bursts) - median(single)) / static_cast<double>(burst - 1);
        }
    };

    void find_round_trip();
    void measure(const std::vector<std::uint64_t>& sizes);
    void refine();
    [[nodiscard]] bool bends(std::uint64_t low, std::uint64_t middle, std::uint64_t high) const;

    [[nodiscard]] bool long_haul() const { return round_trip_ > long_haul_s; }
    [[nodiscard]] double one_way() const { return round_trip_ / 2; }
    [[nodiscard]] double gap_guess(std::uint64_t bytes) const;
    [[nodiscard]] double answer_guess(std::uint64_t bytes, std::uint64_t count) const;
    [[nodiscard]] Probe probe(std::uint64_t bytes, std::uint64_t count) const;
    [[nodiscard]] std::uint64_t burst_of(std::uint64_t bytes) const;
    [[nodiscard]] bool fits(const std::vector<Probe>& volley) const;
    std::vector<std::uint64_t> fire(std::vector<Probe> volley);
    bool fire_alone(std::uint64_t bytes);
    [[nodiscard]] CostPoint point(std::uint64_t bytes, const Samples& samples) const;

    ProbeLink& link_;
    const SurveyOptions& options_;
    double round_trip_ = 0;
    double noise_ = 0;
    bool complete_ = true;
    std::map<std::uint64_t, Samples> samples_;
};

/// The sizes of a volley whose messages were on the way together, by when they must have arrived.
std::vector<std::uint64_t> met_on_the_way(const std::vector<Probe>& volley,
                                          const std::vector<ProbeLink::Answer>& answers,
                                          const std::map<std::uint64_t, double>& gaps,
                                          double one_way) {
    struct Stay {
        double from, to;
        std::uint64_t bytes;
    };
    std::vector<Stay> stays;
    std::vector<std::uint64_t> met;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        const auto gap = gaps.find(volley[i].bytes);
        if (gap == gaps.end()) continue;
        const double length = gap->second * static_cast<double>(volley[i].count);
        const double end = answers[i].started + answers[i].elapsed - one_way;
        stays.push_back({end - length, end, volley[i].bytes});
        const bool too_close = i + 1 < volley.size() && length > 0.9 * volley[i].pause;
        if (gap->second <= 0 || too_close) met.push_back(volley[i].bytes);
    }
    std::sort(stays.begin(), stays.end(),
              [](const Stay& a, const Stay& b) { return a.from < b.from; });
    for (std::size_t i = 0; i < stays.size(); ++i)
        for (std::size_t j = i + 1; j < stays.size() && stays[j].from < stays[i].to; ++j) {
            const double common = std::min(stays[i].to, stays[j].to) - stays[j].from;
            const double shorter =
                std::min(stays[i].to - stays[i].from, stays[j].to - stays[j].from);
            if (common <= 0.02 * shorter) continue;
            met.push_back(stays[i].bytes);
            met.push_back(stays[j].bytes);
        }
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    return met;
}

/// The least time per byte is not known beforehand: from what is known of other sizes, a time that
/// one message rarely exceeds.
double Survey::gap_guess(std::uint64_t bytes) const {
    const auto above = std::find_if(samples_.lower_bound(bytes), samples_.end(),
                                    [](const auto& entry) { return entry.second.complete(); });
    const auto size = static_cast<double>(bytes);
    if (above != samples_.end()) {
        const double gap = std::max(above->second.gap(), 0.0);
        if (above->first == bytes) return gap;
        return std::min(1.2 * gap, 2.2 * gap * size / static_cast<double>(above->first));
    }
    for (auto below = samples_.rbegin(); below != samples_.rend(); ++below)
        if (below->second.complete())
            return 1.3 * std::max(below->second.gap(), 0.0) *
                   std::max(1.0, size / static_cast<double>(below->first));
    return 0;
}

double Survey::answer_guess(std::uint64_t bytes, std::uint64_t count) const {
    double known = round_trip_;
    for (const auto& [size, samples] : samples_)
        if (size <= bytes && !samples.single.empty()) known = median(samples.single);
    return known + static_cast<double>(count) * gap_guess(bytes);
}

std::uint64_t Survey::burst_of(std::uint64_t bytes) const {
    if (const auto known = samples_.find(bytes); known != samples_.end() && known->second.burst > 0)
        return known->second.burst;
    const double target = std::max(least_burst_s, burst_to_noise * noise_);
    const double gap = std::max(gap_guess(bytes), 1e-9);
    const std::uint64_t allowed = std::max<std::uint64_t>(largest_burst_bytes / bytes, 2);
    const double wanted = 1 + std::ceil(target / gap);
    const std::uint64_t most = std::min(longest_burst, allowed);
    return wanted >= static_cast<double>(most)
               ? most
               : std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 2);
}

Probe Survey::probe(std::uint64_t bytes, std::uint64_t count) const {
    return {bytes, count, 1.3 * static_cast<double>(count) * gap_guess(bytes) + 1e-6};
}

/// Whether a volley would be over by the deadline, as far as can be told.
bool Survey::fits(const std::vector<Probe>& volley) const {
    double start = link_.now() + (long_haul() ? one_way() : round_trip_);
    double end = start;
    for (const Probe& next : volley) {
        end = std::max(end, start + answer_guess(next.bytes, next.count));
        start += next.pause;
    }
    return end <= options_.deadline;
}

/// Fires a volley and keeps its samples, except those of sizes that disturbed each other, which are
/// returned.
std::vector<std::uint64_t> Survey::fire(std::vector<Probe> volley) {
    const auto answers = link_.fire(volley);
    std::map<std::uint64_t, Samples> fresh;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        Samples& samples = fresh[volley[i].bytes];
        if (volley[i].count > 1) samples.burst = volley[i].count;
        (volley[i].count == 1 ? samples.single : samples.bursts).push_back(answers[i].elapsed);
    }
    std::vector<std::uint64_t> met;
    if (volley.size() > 1) {
        std::map<std::uint64_t, double> gaps;
        for (const auto& [bytes, samples] : fresh)
            if (samples.complete()) gaps[bytes] = samples.gap();
        met = met_on_the_way(volley, answers, gaps, one_way());
    }
    for (const auto& [bytes, samples] : fresh) {
        if (std::binary_search(met.begin(), met.end(), bytes)) continue;
        Samples& kept = samples_[bytes];
        if (samples.burst > 0) kept.burst = samples.burst;
        kept.single.insert(kept.single.end(), samples.single.begin(), samples.single.end());
        kept.bursts.insert(kept.bursts.end(), samples.bursts.begin(), samples.bursts.end());
    }
    return met;
}

/// One message, then a burst, each alone on the link. False where there is no time.
bool Survey::fire_alone(std::uint64_t bytes) {
    const std::vector<Probe> single{probe(bytes, 1)};
    const std::vector<Probe> burst{probe(bytes, burst_of(bytes))};
    if (!fits(single) || !fits(burst)) return false;
    fire(single);
    const std::vector<Probe> known_burst{probe(bytes, burst_of(bytes))};
    if (!fits(known_burst)) return false;
    fire(known_burst);
    return true;
}

void Survey::find_round_trip() {
    round_trip_ = options_.round_trip;
    std::vector<Probe> volley;
    if (long_haul()) {
        for (int i = 0; i < 3; ++i) volley.push_back({small_message, 1, 0.05 * round_trip_});
        volley.push_back({first_bulk, 1, 0.3 * round_trip_});
        volley.push_back({first_bulk, 2, 0});
        fire(volley);
    } else {
        for (int i = 0; i < 5; ++i) fire({{small_message, 1, 0}});
    }
    const std::vector<double>& single = samples_.at(small_message).single;
    round_trip_ = median(single);
    noise_ = deviation(single);
}

void Survey::measure(const std::vector<std::uint64_t>& sizes) {
    std::deque<std::uint64_t> queue(sizes.begin(), sizes.end());
    std::vector<std::uint64_t> alone;
    while (!queue.empty()) {
        std::vector<Probe> volley;
        double sending = 0;
        double window = 0;
        while (long_haul() && !queue.empty()) {
            const std::uint64_t bytes = queue.front();
            const Probe single = probe(bytes, 1);
            const Probe burst = probe(bytes, burst_of(bytes));
            const double answer = window_share * answer_guess(bytes, 0);
            const double allowed = volley.empty() ? answer : std::min(window, answer);
            if (sending + single.pause + burst.pause > allowed) break;
            volley.insert(volley.end(), {single, burst});
            std::stable_sort(volley.begin(), volley.end(),
                             [](const Probe& a, const Probe& b) { return a.bytes < b.bytes; });
            if (!fits(volley)) {
                std::erase_if(volley, [&](const Probe& next) { return next.bytes == bytes; });
                break;
            }
            sending += single.pause + burst.pause;
            window = allowed;
            queue.pop_front();
        }
        if (volley.empty()) {
            alone.push_back(queue.front());
            queue.pop_front();
        } else {
            const auto met = fire(std::move(volley));
            alone.insert(alone.end(), met.begin(), met.end());
        }
        for (const std::uint64_t bytes : alone) complete_ = fire_alone(bytes) && complete_;
        alone.clear();
    }
}

bool Survey::bends(std::uint64_t low, std::uint64_t middle, std::uint64_t high) const {
    const CostPoint a = point(low, samples_.at(low));
    const CostPoint b = point(middle, samples_.at(middle));
    const CostPoint c = point(high, samples_.at(high));
    const double along = static_cast<double>(middle - low) / static_cast<double>(high - low);
    const auto off = [&](double at_low, double at_middle, double at_high, double noise) {
        const double line = at_low + along * (at_high - at_low);
        return std::abs(line - at_middle) > bend_tolerance * at_middle + 3 * noise;
    };
    return off(a.gap, b.gap, c.gap, a.gap_noise + b.gap_noise + c.gap_noise) ||
           off(a.latency, b.latency, c.latency,
               a.latency_noise + b.latency_noise + c.latency_noise);
}

/// Adds sizes where the straight line between two neighbours is wrong, the widest intervals first.
void Survey::refine() {
    struct Interval {
        std::uint64_t low, high;
    };
    std::deque<Interval> open;
    std::optional<std::uint64_t> previous;
    for (const auto& [bytes, samples] : samples_) {
        if (!samples.complete() || bytes > refined_up_to) continue;
        if (previous) open.push_back({*previous, bytes});
        previous = bytes;
    }
    std::size_t left = options_.refinements;
    while (!open.empty() && left > 0) {
        const auto [low, high] = open.front();
        open.pop_front();
        if (high - low < std::max<std::uint64_t>(high / 32, 16)) continue;
        const std::uint64_t middle = low + (high - low) / 2;
        --left;
        measure({middle});
        if (!samples_[middle].complete()) continue;
        if (!bends(low, middle, high)) continue;
        open.push_back({low, middle});
        open.push_back({middle, high});
    }
}

CostPoint Survey::point(std::uint64_t bytes, const Samples& samples) const {
    CostPoint result;
    result.bytes = bytes;
    result.gap = std::max(samples.gap(), 0.0);
    result.latency = std::max(median(samples.single) - result.gap - one_way(), 0.0);
    const double single_noise = std::max(deviation(samples.single), noise_);
    const double burst_noise = std::max(deviation(samples.bursts), noise_);
    result.gap_noise = (single_noise + burst_noise) / static_cast<double>(samples.burst - 1);
    result.latency_noise = single_noise + result.gap_noise + noise_;
    return result;
}

LinkCosts Survey::run() {
    find_round_trip();
    std::vector<std::uint64_t> first{small_message, first_bulk};
    std::erase_if(first, [&](std::uint64_t bytes) { return samples_[bytes].complete(); });
    for (const std::uint64_t bytes : options_.sizes)
        if (bytes != small_message && bytes != first_bulk) first.push_back(bytes);
    measure(first);
    refine();

    const bool noisy = noise_ > no_noise * round_trip_;
    for (std::size_t pass = 1; noisy && pass < options_.repeats; ++pass) {
        std::vector<std::uint64_t> again;
        for (const std::uint64_t bytes : first)
            if (samples_[bytes].complete()) again.push_back(bytes);
        for (const auto& [bytes, samples] : samples_)
            if (samples.complete() && std::find(again.begin(), again.end(), bytes) == again.end())
                again.push_back(bytes);
        const bool was_complete = complete_;
        measure(again);
        complete_ = was_complete;
    }

    round_trip_ = median(samples_.at(small_message).single);
    LinkCosts costs;
    std::vector<double> spreads;
    for (const auto& [bytes, samples] : samples_) {
        if (!samples.complete()) continue;
        costs.points.push_back(point(bytes, samples));
        spreads.push_back(deviation(samples.single) / median(samples.single));
    }
    costs.spread = spreads.empty() ? 0 : median(spreads);
    costs.complete = complete_;
    return costs;
}

}  // namespace

std::vector<std::uint64_t> default_sizes() {
    constexpr std::uint64_t kib = 1024;
    return {64 * kib, 256 * kib,  16 * kib, 8 * kib, 4 * kib,   2 * kib,   1 * kib,    512,
            64,       1024 * kib, 256,      128,     128 * kib, 512 * kib, 4096 * kib, 2048 * kib};
}

LinkCosts survey(ProbeLink& link, const SurveyOptions& options) {
    return Survey(link, options).run();
}

}  // namespace espalier::measure
