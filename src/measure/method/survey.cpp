#include "measure/method/survey.hpp"

#include "measure/method/link_samples.hpp"
#include "measure/method/volley.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace espalier::measure {

namespace {

constexpr std::uint64_t small_message = 1;
constexpr std::uint64_t first_bulk = LinkSamples::first_bulk;
/// The part of the time left that repetitions may take.
constexpr double repeats_share = 0.7;
/// A size that takes more than this part of that is tried twice only: others want the time more,
/// as noise shows less in what takes long.
constexpr double long_share = 0.05;
constexpr std::size_t tries_of_long = 2;
/// Larger messages are only tried to see whether the last slope goes on.
constexpr std::uint64_t largest_needed = 262144;
constexpr std::size_t refinement_repeats = 5;
constexpr std::uint64_t refined_up_to = 131072;
/// Ratios to the shape that agree to this leave nothing to learn from further sizes.
constexpr double same_shape = 0.03;
/// Ratios to the shape that agree within this are interpolated without a sample between them.
constexpr double like_shape = 0.5;

class Survey {
public:
    Survey(ProbeLink& link, const SurveyOptions& options)
        : link_(link), options_(options), samples_(options.shape, options.round_trip) {}

    LinkCosts run();

private:
    void find_round_trip();
    void measure(const std::vector<std::uint64_t>& sizes);
    void measure_together(std::deque<std::uint64_t> sizes);
    void refine();
    void repeat(const std::vector<std::uint64_t>& sizes);
    [[nodiscard]] bool fits(const std::vector<Probe>& volley) const;
    std::vector<std::uint64_t> fire(const std::vector<Probe>& volley) {
        return samples_.add(volley, link_.fire(volley));
    }
    bool fire_alone(std::uint64_t bytes);
    void try_alone(std::uint64_t bytes);

    ProbeLink& link_;
    const SurveyOptions& options_;
    bool complete_ = true;
    LinkSamples samples_;
};

/// Whether a volley would be over by the deadline, as far as can be told.
bool Survey::fits(const std::vector<Probe>& volley) const {
    double start =
        link_.now() + (samples_.long_haul() ? samples_.one_way() : samples_.round_trip());
    double end = start;
    for (const Probe& next : volley) {
        end = std::max(end, start + samples_.expect(next.bytes, next.count).answer);
        start += next.pause;
    }
    return end <= options_.deadline;
}

/// Sends one message, then a burst, each alone on the link. False if there is no time.
bool Survey::fire_alone(std::uint64_t bytes) {
    const std::vector<Probe> single{{bytes, 1, 0}};
    if (!fits(single) || !fits({{bytes, samples_.burst_of(bytes), 0}})) return false;
    fire(single);
    const std::vector<Probe> burst{{bytes, samples_.burst_of(bytes), 0}};
    if (!fits(burst)) return false;
    fire(burst);
    return true;
}

void Survey::try_alone(std::uint64_t bytes) {
    if (!fire_alone(bytes) && bytes <= largest_needed) complete_ = false;
}

void Survey::find_round_trip() {
    if (samples_.long_haul()) {
        const double apart = 0.05 * samples_.round_trip();
        fire({{small_message, 1, apart},
              {small_message, 1, apart},
              {small_message, LinkSamples::longest_burst, apart},
              {first_bulk, 1, 0.3 * samples_.round_trip()},
              {first_bulk, 2, 0}});
    } else {
        for (int i = 0; i < 5; ++i) fire({{small_message, 1, 0}});
    }
    samples_.learn_round_trip(small_message);
}

void Survey::measure(const std::vector<std::uint64_t>& sizes) {
    if (samples_.long_haul()) {
        measure_together({sizes.begin(), sizes.end()});
        return;
    }
    for (const std::uint64_t bytes : sizes) try_alone(bytes);
}

/// Measures as many sizes at a time as can be kept apart, in the order given. Sizes that disturb
/// each other all the same are tried again with what the first try told, and at last one by one.
void Survey::measure_together(std::deque<std::uint64_t> sizes) {
    std::map<std::uint64_t, int> tries;
    while (!sizes.empty()) {
        std::vector<Expectation> expected;
        std::vector<Probe> volley;
        const bool knows_speed = !samples_.points().empty();
        while (knows_speed && !sizes.empty() && tries[sizes.front()] < 2) {
            const std::uint64_t bytes = sizes.front();
            expected.push_back(samples_.expect(bytes, 1));
            expected.push_back(samples_.expect(bytes, samples_.burst_of(bytes)));
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

/// Adds sizes where the straight line between two neighbours is wrong, the widest intervals first.
void Survey::refine() {
    struct Interval {
        std::uint64_t low, high;
    };
    std::deque<Interval> open;
    std::optional<std::uint64_t> previous;
    for (const std::uint64_t bytes : samples_.sizes()) {
        if (bytes > refined_up_to) continue;
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
        for (std::size_t i = 0; i < (samples_.noisy() ? refinement_repeats : 1); ++i)
            measure({middle});
        if (!samples_.measured(middle) || !samples_.bends(low, middle, high)) continue;
        open.push_back({low, middle});
        open.push_back({middle, high});
    }
}

/// Repeats all sizes on a noisy clock, the first sizes first, as time permits; a size that takes
/// long is repeated only once.
void Survey::repeat(const std::vector<std::uint64_t>& sizes) {
    const bool was_complete = complete_;
    const double now = link_.now();
    const double until = now + repeats_share * (options_.deadline - now);
    for (std::size_t pass = 1; samples_.noisy() && pass < options_.repeats && link_.now() < until;
         ++pass) {
        std::vector<std::uint64_t> again;
        for (const std::uint64_t bytes : sizes)
            if (samples_.measured(bytes) &&
                (pass < tries_of_long || samples_.takes(bytes) < long_share * (until - now)))
                again.push_back(bytes);
        measure(again);
    }
    complete_ = was_complete;
    samples_.learn_noise();
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
        if (!samples_.measured(bytes) && options_.at_any_rate && !fire_alone(bytes)) {
            fire({{bytes, 1, 0}});
            fire({{bytes, samples_.burst_of(bytes), 0}});
        }
        if (!samples_.measured(bytes)) sizes.push_back(bytes);
    }
    for (const std::uint64_t bytes : options_.sizes)
        if (bytes != small_message && bytes != first_bulk) sizes.push_back(bytes);
    measure(sizes);
    if (options_.shape.known() && !options_.shape.holds(samples_.points(), same_shape)) {
        // This link bends elsewhere, or less: look where the other one does.
        std::vector<std::uint64_t> more;
        for (const CostPoint& own : options_.shape.points())
            if (!samples_.measured(own.bytes)) more.push_back(own.bytes);
        measure(more);
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    repeat(sizes);
    refine();

    LinkCosts costs;
    costs.spread = samples_.spread();
    costs.points = options_.shape.completed(samples_.points());
    costs.noisy = samples_.noisy();
    costs.complete = complete_ || options_.shape.holds(samples_.points(), like_shape);
    return costs;
}

}  // namespace

std::vector<std::uint64_t> default_sizes() {
    constexpr std::uint64_t kib = 1024;
    // A rank has room for the largest, on either side.
    return {16 * kib, 8 * kib,  4 * kib,   2 * kib, 1 * kib,    512,       256,
            64,       64 * kib, 256 * kib, 128,     1024 * kib, 128 * kib, 512 * kib};
}

LinkCosts survey(ProbeLink& link, const SurveyOptions& options) {
    return Survey(link, options).run();
}

}  // namespace espalier::measure
