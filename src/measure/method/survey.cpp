#include "measure/method/survey.hpp"

#include "measure/method/statistics.hpp"
#include "measure/method/volley.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

namespace espalier::measure {

namespace {

constexpr std::uint64_t small_message = 1;
constexpr std::uint64_t first_bulk = 32768;
/// Bursts last at least this long, and this many times the noise, beyond their first message.
constexpr double least_burst_s = 5e-6;
constexpr double burst_to_noise = 20;
/// On a long way also this part of the round trip: answers to other probes come in between.
constexpr double burst_share = 4e-3;
constexpr std::uint64_t longest_burst = 64;
constexpr std::uint64_t largest_burst_bytes = 8U << 20U;
/// What repetitions may take of the time left.
constexpr double repeats_share = 0.7;
/// A size that takes more than this part of that is tried twice only: others want the time more,
/// as noise shows less in what takes long.
constexpr double long_share = 0.05;
constexpr std::size_t tries_of_long = 2;
/// Larger messages are only tried to see whether the last slope goes on.
constexpr std::uint64_t largest_needed = 262144;
/// A clock whose round trips differ by less than this is a simulated one.
constexpr double no_noise = 1e-3;
constexpr double bend_tolerance = 0.05;
constexpr double noises = 3;
constexpr std::size_t refinement_repeats = 5;
constexpr std::uint64_t refined_up_to = 131072;
/// Probes are kept apart by this factor of what they are expected to need of the link.
constexpr double distance = 1.15;
/// A gap that came out much smaller than expected may be so because messages met.
constexpr double guess_counts = 0.9;
/// Ratios to the shape that agree to this leave nothing to learn from further sizes.
constexpr double same_shape = 0.03;
/// Those that agree to this can be drawn between.
constexpr double like_shape = 0.5;

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
            return (lower_quartile(bursts) - lower_quartile(single)) /
                   static_cast<double>(burst - 1);
        }
    };

    void find_round_trip();
    void measure(const std::vector<std::uint64_t>& sizes);
    void measure_together(std::deque<std::uint64_t> sizes);
    void refine();
    void repeat(const std::vector<std::uint64_t>& sizes);
    [[nodiscard]] bool noisy() const { return noise_ > no_noise * round_trip_; }
    [[nodiscard]] double spread() const;
    /// To try a size once more.
    [[nodiscard]] double takes(std::uint64_t bytes) const {
        const Samples& samples = samples_.at(bytes);
        return lower_quartile(samples.single) + lower_quartile(samples.bursts);
    }
    [[nodiscard]] bool bends(std::uint64_t low, std::uint64_t middle, std::uint64_t high) const;

    /// Where waiting for each answer costs more than keeping probes apart.
    [[nodiscard]] bool long_haul() const { return round_trip_ > long_round_trip_s; }
    [[nodiscard]] double one_way() const { return round_trip_ / 2; }
    [[nodiscard]] bool measured(std::uint64_t bytes) const;
    [[nodiscard]] std::vector<CostPoint> points() const;
    [[nodiscard]] CostPoint point(std::uint64_t bytes, const Samples& samples) const;
    [[nodiscard]] double gap_guess(std::uint64_t bytes) const;
    [[nodiscard]] double latency_guess(std::uint64_t bytes) const;
    [[nodiscard]] Expectation expect(std::uint64_t bytes, std::uint64_t count) const;
    [[nodiscard]] std::uint64_t burst_of(std::uint64_t bytes) const;
    [[nodiscard]] bool fits(const std::vector<Probe>& volley) const;
    std::vector<std::uint64_t> fire(const std::vector<Probe>& volley);
    bool fire_alone(std::uint64_t bytes);
    void try_alone(std::uint64_t bytes);

    ProbeLink& link_;
    const SurveyOptions& options_;
    double round_trip_ = 0;
    double noise_ = 0;           ///< of a round trip, seconds
    double relative_noise_ = 0;  ///< of any time measured
    bool complete_ = true;
    std::map<std::uint64_t, Samples> samples_;
    std::map<std::uint64_t, CostPoint> hints_;  ///< from probes that were disturbed
};

bool Survey::measured(std::uint64_t bytes) const {
    const auto found = samples_.find(bytes);
    return found != samples_.end() && found->second.complete();
}

/// What makes sense: a burst that took no longer than its first message was the luckier one.
std::vector<CostPoint> Survey::points() const {
    std::vector<CostPoint> found;
    for (const auto& [bytes, samples] : samples_)
        if (samples.complete() && samples.gap() > 0) found.push_back(point(bytes, samples));
    return found;
}

/// Before a size is measured: a gap that the true one rarely exceeds by much.
double Survey::gap_guess(std::uint64_t bytes) const {
    if (measured(bytes)) return std::max(samples_.at(bytes).gap(), 0.0);
    if (const auto hint = hints_.find(bytes); hint != hints_.end()) return hint->second.gap;
    const std::vector<CostPoint> known = points();
    if (known.empty()) return 0;
    if (options_.shape.known()) return options_.shape.scaled(bytes, known).gap;

    const auto size = static_cast<double>(bytes);
    for (const CostPoint& above : known)
        if (above.bytes >= bytes)
            return above.gap * std::min(1.2, 2.2 * size / static_cast<double>(above.bytes));
    const CostPoint& last = known.back();
    return 1.3 * last.gap * size / static_cast<double>(last.bytes);
}

double Survey::latency_guess(std::uint64_t bytes) const {
    if (measured(bytes)) return point(bytes, samples_.at(bytes)).latency;
    if (const auto hint = hints_.find(bytes); hint != hints_.end()) return hint->second.latency;
    const std::vector<CostPoint> known = points();
    if (known.empty()) return one_way();
    if (options_.shape.known()) return options_.shape.scaled(bytes, known).latency;

    double latency = one_way();
    for (const CostPoint& below : known)
        if (below.bytes <= bytes) latency = below.latency;
    return latency;
}

Expectation Survey::expect(std::uint64_t bytes, std::uint64_t count) const {
    const double latency = latency_guess(bytes);
    const double length = static_cast<double>(count) * gap_guess(bytes);
    return {bytes, count, latency, distance * length, latency + length + one_way()};
}

std::uint64_t Survey::burst_of(std::uint64_t bytes) const {
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

/// Whether a volley would be over by the deadline, as far as can be told.
bool Survey::fits(const std::vector<Probe>& volley) const {
    double start = link_.now() + (long_haul() ? one_way() : round_trip_);
    double end = start;
    for (const Probe& next : volley) {
        end = std::max(end, start + expect(next.bytes, next.count).answer);
        start += next.pause;
    }
    return end <= options_.deadline;
}

/// Fires a volley and keeps its samples, except those of sizes that disturbed each other, which are
/// returned.
std::vector<std::uint64_t> Survey::fire(const std::vector<Probe>& volley) {
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
            if (samples.complete())
                gaps[bytes] = std::max(samples.gap(), guess_counts * gap_guess(bytes));
        met = met_on_the_way(volley, answers, gaps, one_way());
        for (const auto& [bytes, samples] : fresh)
            if (samples.complete() && samples.gap() <= 0) met.push_back(bytes);
        std::sort(met.begin(), met.end());
    }
    for (const auto& [bytes, samples] : fresh) {
        if (std::binary_search(met.begin(), met.end(), bytes)) {
            hints_[bytes] = point(bytes, samples);
            continue;
        }
        Samples& kept = samples_[bytes];
        if (samples.burst > 0) kept.burst = samples.burst;
        kept.single.insert(kept.single.end(), samples.single.begin(), samples.single.end());
        kept.bursts.insert(kept.bursts.end(), samples.bursts.begin(), samples.bursts.end());
    }
    met.erase(std::unique(met.begin(), met.end()), met.end());
    return met;
}

/// One message, then a burst, each alone on the link. False where there is no time.
bool Survey::fire_alone(std::uint64_t bytes) {
    const std::vector<Probe> single{{bytes, 1, 0}};
    if (!fits(single) || !fits({{bytes, burst_of(bytes), 0}})) return false;
    fire(single);
    const std::vector<Probe> burst{{bytes, burst_of(bytes), 0}};
    if (!fits(burst)) return false;
    fire(burst);
    return true;
}

void Survey::try_alone(std::uint64_t bytes) {
    if (!fire_alone(bytes) && bytes <= largest_needed) complete_ = false;
}

void Survey::find_round_trip() {
    round_trip_ = options_.round_trip;
    if (long_haul()) {
        const double apart = 0.05 * round_trip_;
        fire({{small_message, 1, apart},
              {small_message, 1, apart},
              {small_message, longest_burst, apart},
              {first_bulk, 1, 0.3 * round_trip_},
              {first_bulk, 2, 0}});
    } else {
        for (int i = 0; i < 5; ++i) fire({{small_message, 1, 0}});
    }
    if (const auto small = samples_.find(small_message); small != samples_.end()) {
        round_trip_ = lower_quartile(small->second.single);
        noise_ = deviation(small->second.single);
    }
}

void Survey::measure(const std::vector<std::uint64_t>& sizes) {
    if (long_haul()) {
        measure_together({sizes.begin(), sizes.end()});
        return;
    }
    for (const std::uint64_t bytes : sizes) try_alone(bytes);
}

/// As many sizes at a time as can be kept apart, in the order given. What is disturbed all the same
/// is tried again with what that told, and at last alone.
void Survey::measure_together(std::deque<std::uint64_t> sizes) {
    std::map<std::uint64_t, int> tries;
    while (!sizes.empty()) {
        std::vector<Expectation> expected;
        std::vector<Probe> volley;
        const bool knows_speed = !points().empty();
        while (knows_speed && !sizes.empty() && tries[sizes.front()] < 2) {
            const std::uint64_t bytes = sizes.front();
            expected.push_back(expect(bytes, 1));
            expected.push_back(expect(bytes, burst_of(bytes)));
            const auto longer = schedule(expected);
            if (!longer || !fits(*longer)) break;
            volley = *longer;
            sizes.pop_front();
            ++tries[bytes];
        }
        if (volley.empty()) {
            try_alone(sizes.front());
            sizes.pop_front();
            continue;
        }
        const auto met = fire(volley);
        sizes.insert(sizes.end(), met.begin(), met.end());
    }
}

bool Survey::bends(std::uint64_t low, std::uint64_t middle, std::uint64_t high) const {
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
        for (std::size_t i = 0; i < (noisy() ? refinement_repeats : 1); ++i) measure({middle});
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

/// Where the clock is noisy, tries everything again, the first sizes first, as time permits; what
/// takes long, only once.
void Survey::repeat(const std::vector<std::uint64_t>& sizes) {
    const bool was_complete = complete_;
    const double now = link_.now();
    const double until = now + repeats_share * (options_.deadline - now);
    for (std::size_t pass = 1; noisy() && pass < options_.repeats && link_.now() < until; ++pass) {
        std::vector<std::uint64_t> again;
        for (const std::uint64_t bytes : sizes)
            if (measured(bytes) &&
                (pass < tries_of_long || takes(bytes) < long_share * (until - now)))
                again.push_back(bytes);
        measure(again);
    }
    complete_ = was_complete;
    relative_noise_ = spread();
}

/// The median over sizes of how far repeated samples are apart, relative.
double Survey::spread() const {
    std::vector<double> spreads;
    for (const auto& [bytes, samples] : samples_)
        if (samples.complete())
            spreads.push_back(deviation(samples.single) / median(samples.single));
    return spreads.empty() ? 0 : median(spreads);
}

LinkCosts Survey::run() {
    if (!options_.at_any_rate && link_.now() + 3 * options_.round_trip > options_.deadline) {
        LinkCosts nothing;
        nothing.complete = false;
        return nothing;
    }
    find_round_trip();
    std::vector<std::uint64_t> sizes;
    for (const std::uint64_t bytes : {small_message, first_bulk}) {
        if (!measured(bytes) && options_.at_any_rate && !fire_alone(bytes)) {
            fire({{bytes, 1, 0}});
            fire({{bytes, burst_of(bytes), 0}});
        }
        if (!measured(bytes)) sizes.push_back(bytes);
    }
    for (const std::uint64_t bytes : options_.sizes)
        if (bytes != small_message && bytes != first_bulk) sizes.push_back(bytes);
    measure(sizes);
    if (options_.shape.known() && !options_.shape.holds(points(), same_shape)) {
        // This link bends elsewhere, or less: look where the other one does.
        std::vector<std::uint64_t> more;
        for (const CostPoint& own : options_.shape.points())
            if (!measured(own.bytes)) more.push_back(own.bytes);
        measure(more);
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    repeat(sizes);
    refine();

    LinkCosts costs;
    costs.spread = spread();
    costs.points = options_.shape.completed(points());
    costs.noisy = noisy();
    costs.complete = complete_ || options_.shape.holds(points(), like_shape);
    return costs;
}

}  // namespace

std::vector<std::uint64_t> default_sizes() {
    constexpr std::uint64_t kib = 1024;
    return {16 * kib, 8 * kib,   4 * kib, 2 * kib,    1 * kib,   512,       256,        64,
            64 * kib, 256 * kib, 128,     1024 * kib, 128 * kib, 512 * kib, 4096 * kib, 2048 * kib};
}

LinkCosts survey(ProbeLink& link, const SurveyOptions& options) {
    return Survey(link, options).run();
}

}  // namespace espalier::measure
