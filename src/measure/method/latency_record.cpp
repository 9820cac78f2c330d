#include "measure/method/latency_record.hpp"

#include "core/infinity.hpp"
#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace espalier::measure {

namespace {

/// Relative differences below this are those of a simulator's clock, which has no noise.
constexpr double no_noise = 1e-3;

}  // namespace

LatencyRecord::LatencyRecord(std::size_t hosts, double tolerance)
    : hosts_(hosts),
      tolerance_(tolerance),
      of_way_(all_ways.size(), RoundTrips(hosts)),
      passages_(hosts) {}

double LatencyRecord::round_trip(std::size_t a, std::size_t b) const {
    double least = infinity;
    for (const RoundTrips& way : of_way_)
        for (const double time : way(a, b)) least = std::min(least, time);
    return least < infinity ? least : 0;
}

double LatencyRecord::longest_round_trip() const {
    double longest = 0;
    for (const RoundTrips& way : of_way_)
        way.for_each([&](std::size_t i, std::size_t j, const auto&) {
            longest = std::max(longest, round_trip(i, j));
        });
    return longest;
}

Matrix<double> LatencyRecord::distances() const {
    Matrix<double> shortest(hosts_, hosts_, infinity);
    for (std::size_t i = 0; i < hosts_; ++i) {
        shortest(i, i) = 0;
        for (std::size_t j = 0; j < hosts_; ++j)
            if (const double known = round_trip(i, j); known > 0) shortest(i, j) = known;
    }
    for (std::size_t k = 0; k < hosts_; ++k)
        for (std::size_t i = 0; i < hosts_; ++i)
            for (std::size_t j = 0; j < hosts_; ++j)
                shortest(i, j) = std::min(shortest(i, j), shortest(i, k) + shortest(k, j));
    return shortest;
}

bool LatencyRecord::is_settled(const std::vector<std::vector<std::size_t>>& groups) const {
    std::vector<double> spreads;
    for (const auto& group : groups)
        for (std::size_t a = 0; a < group.size(); ++a)
            for (std::size_t b = a + 1; b < group.size(); ++b) {
                const auto times = of(Way::in_rounds)(group[a], group[b]);
                spreads.push_back(times.size() < 2 ? infinity : deviation(times) / minimum(times));
            }
    return spreads.empty() || median(spreads) <= nothing_new;
}

/// How much the times of a pair usually differ, relative to their least.
std::optional<double> LatencyRecord::usual_spread(const RoundTrips& round_trips) const {
    std::vector<double> spreads;
    round_trips.for_each([&](std::size_t, std::size_t, const std::vector<double>& times) {
        if (times.size() > 1) spreads.push_back(deviation(times) / minimum(times));
    });
    if (spreads.empty()) return std::nullopt;
    return median(spreads);
}

bool LatencyRecord::noisy() const {
    auto spread = usual_spread(of(Way::in_rounds));
    if (!spread) spread = usual_spread(of(Way::at_once));
    return spread.value_or(0) > no_noise;
}

double LatencyRecord::usually_held_up(Way way) const {
    std::vector<double> longer;
    of(way).for_each([&](std::size_t, std::size_t, const std::vector<double>& times) {
        longer.push_back(median(times) - minimum(times));
    });
    return longer.empty() ? 0 : median(longer);
}

LatencyRecord::Bias LatencyRecord::bias(Way way, Way best) const {
    std::vector<double> extra;
    of(way).for_each([&](std::size_t i, std::size_t j, const std::vector<double>& times) {
        if (const auto trusted = of(best)(i, j); !trusted.empty())
            extra.push_back((minimum(times) - minimum(trusted)) / 2);
    });
    const double own = usually_held_up(way) / 2;
    if (way == best || extra.empty()) return {0, own};
    return {std::max(median(extra), 0.0), std::max(deviation(extra), own)};
}

/// What the way that disturbs each pair least says of it.
Estimates LatencyRecord::estimates() const {
    Way best = Way::at_once;
    for (const Way way : all_ways)
        if (!of(way).empty()) best = way;
    Estimates estimates(hosts_);
    for (const Way way : all_ways) {
        const Bias bias = this->bias(way, best);
        of(way).for_each([&](std::size_t i, std::size_t j, const std::vector<double>& times) {
            const double least = way == best ? round_trip(i, j) : minimum(times);
            estimates.at(i, j) = {static_cast<float>(least / 2 - bias.usual),
                                  static_cast<float>(bias.noise)};
        });
    }
    return estimates;
}

bool LatencyRecord::undisturbed(std::size_t a, std::size_t b) const {
    return of(Way::among_few).has(a, b) || of(Way::in_turn).has(a, b);
}

std::vector<std::vector<std::size_t>> LatencyRecord::clusters() const {
    Estimates estimates = this->estimates();
    if (of(Way::in_turn).empty()) return alike(std::move(estimates), tolerance_);
    std::vector<bool> had_turns(hosts_, false);
    of(Way::in_turn).for_each([&](std::size_t i, std::size_t j, const auto&) {
        had_turns[i] = had_turns[j] = true;
    });
    // What company disturbed says nothing more of hosts that had their turns, and what even then is
    // clearly longer than by way of another one was held up for at least the difference.
    Estimates trusted(hosts_);
    const Matrix<double> shortest = distances();
    for (std::size_t i = 0; i < hosts_; ++i)
        for (const auto& [j, estimate] : estimates.from(i)) {
            const bool turns = had_turns[i] && had_turns[j];
            if (turns && !undisturbed(i, j)) continue;
            const double held_up = estimate.latency - (1 + tolerance_) * shortest(i, j) / 2;
            trusted.at(i, j) = estimate;
            if (turns && held_up > estimate.noise)
                trusted.at(i, j).noise = static_cast<float>(held_up);
        }
    return alike(std::move(trusted), tolerance_);
}

LatencyMatrix LatencyRecord::latencies() const {
    LatencyMatrix latencies =
        estimates().map([](const Estimate& estimate) { return double{estimate.latency}; });
    if (of(Way::among_few).empty() && of(Way::in_turn).empty()) return latencies;
    // Hosts of a cluster are alike: what some of them found undisturbed holds for the others. Where
    // all were disturbed, those that were least are taken, less what that usually is too long.
    struct Pairs {
        std::size_t from = 0;
        std::size_t to = 0;
        std::vector<double> undisturbed;
        double least = infinity;
    };
    std::vector<Pairs> all;
    std::array<std::vector<double>, 2> extra;  // between clusters, and inside
    const auto clusters = this->clusters();
    for (std::size_t from = 0; from < clusters.size(); ++from)
        for (std::size_t to = 0; to <= from; ++to) {
            Pairs& pairs = all.emplace_back();
            pairs.from = from;
            pairs.to = to;
            for (const std::size_t a : clusters[from])
                for (const std::size_t b : clusters[to]) {
                    if (undisturbed(a, b)) pairs.undisturbed.push_back(round_trip(a, b) / 2);
                    for (const Way way : {Way::at_once, Way::in_rounds})
                        for (const double time : of(way)(a, b))
                            pairs.least = std::min(pairs.least, time / 2);
                }
            if (!pairs.undisturbed.empty() && pairs.least < infinity)
                extra[from == to ? 1 : 0].push_back(pairs.least - minimum(pairs.undisturbed));
        }
    // Near hosts answer at the same time, and so are in each other's way more than far ones.
    if (extra[0].empty()) extra[0] = extra[1];
    if (extra[1].empty()) extra[1] = extra[0];
    for (const Pairs& pairs : all) {
        const bool trusted = !pairs.undisturbed.empty();
        const auto& usual = extra[pairs.from == pairs.to ? 1 : 0];
        const double company = usual.empty() ? 0 : std::max(median(usual), 0.0);
        const double found = trusted ? minimum(pairs.undisturbed) : pairs.least - company;
        if (found == infinity) continue;
        for (const std::size_t a : clusters[pairs.from])
            for (const std::size_t b : clusters[pairs.to])
                if (a != b && !of(Way::in_turn).has(a, b)) latencies.at(a, b) = found;
    }
    return latencies;
}

}  // namespace espalier::measure
