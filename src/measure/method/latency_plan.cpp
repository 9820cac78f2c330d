#include "measure/method/latency_plan.hpp"

#include "core/statistics.hpp"
#include "measure/method/sites.hpp"
#include "measure/method/tournament.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace espalier::measure {

namespace {

/// The parts of the budget that latencies may take: all pairs once, and their repetitions.
constexpr double share = 0.5;
constexpr double repeats_share = 0.2;
constexpr std::size_t most_passes = 7;
/// The part of the budget that repetitions of near hosts alone may take.
constexpr double near_share = 0.25;
constexpr std::size_t most_near_passes = 16;
constexpr std::size_t least_near_passes = 5;
/// Two passes that differ by less than this on most pairs leave nothing to learn from a third.
constexpr double settled = 0.01;
/// Relative differences below this are those of a simulator's clock, which has no noise.
constexpr double no_noise = 1e-3;
/// By how many usual disturbances the best of many meetings may be off.
constexpr double chance = 2;
/// The rounds at which steps of the first pass end, so that a look at the clock can change the
/// plan.
constexpr std::size_t first_look = 2;
constexpr std::size_t second_look = 8;
/// The number of times that the result of a sample is checked, and the rounds of each check.
constexpr std::size_t most_checks = 3;
constexpr std::size_t rounds_of_check = 4;

}  // namespace

LatencyPlan::LatencyPlan(std::size_t hosts, double budget, double tolerance)
    : hosts_(hosts), budget_(budget), tolerance_(tolerance), round_trips_(hosts, hosts) {}

/// The seconds that a step takes beside its rounds: rank 0 tells what to do, and is told what was
/// found.
double LatencyPlan::control_time() const {
    double slowest = 0;
    for (std::size_t i = 0; i < hosts_; ++i)
        for (std::size_t j = i + 1; j < hosts_; ++j)
            if (!round_trips_(i, j).empty())
                slowest = std::max(slowest, round_trips_(i, j).front());
    return slowest;
}

std::size_t LatencyPlan::rounds_left(double elapsed) const {
    const double left = (share * budget_ - elapsed) / std::max(round_takes_, 1e-9);
    return left < 1 ? 0 : static_cast<std::size_t>(std::min(left, 1e9));
}

std::optional<LatencyStep> LatencyPlan::next(double elapsed) {
    step_began_ = elapsed;
    if (!sampled_) {
        auto step = next_of_all(elapsed);
        if (!sampled_) return step;
    }
    return next_of_sample(elapsed);
}

std::optional<LatencyStep> LatencyPlan::next_of_sample(double elapsed) {
    const std::size_t most = rounds_left(elapsed);
    auto groups = groups_to_measure(latencies(), tolerance_, most, level_++);
    if (groups.empty()) {
        // Hosts that had no near one in their groups may have been put together all the same. Some
        // meetings inside the clusters, which take little time, bring it to light.
        if (checks_++ >= most_checks || most < rounds_of_check) return std::nullopt;
        return LatencyStep{clusters(), 0, rounds_of_check};
    }
    std::size_t rounds = 0;
    for (const auto& group : groups) rounds = std::max(rounds, tournament_rounds(group.size()));
    return LatencyStep{std::move(groups), 0, rounds};
}

std::optional<LatencyStep> LatencyPlan::next_of_all(double elapsed) {
    const std::size_t rounds = tournament_rounds(hosts_);
    if (next_round_ == rounds) {
        if (!worth_another_pass(elapsed)) return next_of_near(elapsed);
        next_round_ = 0;
    }
    if (next_round_ == 0) pass_began_ = elapsed;
    const std::size_t ahead = (next_round_ < second_look ? std::min(second_look, rounds) : rounds);
    if (passes_ == 0 && next_round_ > 0 && ahead - next_round_ > rounds_left(elapsed)) {
        sampled_ = true;
        return std::nullopt;
    }
    std::size_t last = rounds;
    if (passes_ == 0 && next_round_ < second_look)
        last = std::min(next_round_ < first_look ? first_look : second_look, rounds);
    std::vector<std::size_t> everyone(hosts_);
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    return LatencyStep{{std::move(everyone)}, next_round_, last};
}

/// The next step for pairs of near hosts, all sites at the same time.
std::optional<LatencyStep> LatencyPlan::next_of_near(double elapsed) {
    if (near_passes_ == 0) {
        Matrix<double> known(hosts_, hosts_, 0);
        for (std::size_t i = 0; i < hosts_; ++i)
            for (std::size_t j = 0; j < hosts_; ++j)
                if (i != j) known(i, j) = minimum(round_trips_(std::min(i, j), std::max(i, j)));
        near_ = guess_sites(known);
        std::erase_if(near_, [](const auto& site) { return site.size() < 2; });
    }
    const bool enough =
        passes_ + near_passes_ >= (passes_ > 1 ? 2 : least_near_passes) && is_settled(near_);
    if (near_.empty() || enough || near_passes_ >= most_near_passes ||
        elapsed > near_share * budget_)
        return std::nullopt;
    ++near_passes_;
    std::size_t rounds = 0;
    for (const auto& site : near_) rounds = std::max(rounds, tournament_rounds(site.size()));
    return LatencyStep{near_, 0, rounds};
}

/// Whether most pairs of each group got the same time and again.
bool LatencyPlan::is_settled(const std::vector<std::vector<std::size_t>>& groups) const {
    std::vector<double> spreads;
    for (const auto& group : groups)
        for (std::size_t a = 0; a < group.size(); ++a)
            for (std::size_t b = a + 1; b < group.size(); ++b) {
                const auto& times = round_trips_(group[a], group[b]);
                spreads.push_back(deviation(times) / minimum(times));
            }
    return spreads.empty() || median(spreads) <= settled;
}

bool LatencyPlan::noisy() const {
    std::vector<double> spreads;
    for (std::size_t i = 0; i < hosts_; ++i)
        for (std::size_t j = i + 1; j < hosts_; ++j)
            if (const auto& times = round_trips_(i, j); times.size() > 1)
                spreads.push_back(deviation(times) / minimum(times));
    return !spreads.empty() && median(spreads) > no_noise;
}

bool LatencyPlan::worth_another_pass(double elapsed) const {
    if (hosts_ < 2 || passes_ >= most_passes) return false;
    if (elapsed + pass_took_ > repeats_share * budget_) return false;
    if (passes_ < 2) return true;
    std::vector<std::size_t> everyone(hosts_);
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    return !is_settled({everyone});
}

void LatencyPlan::record(const LatencyStep& step, const std::vector<std::vector<double>>& waits,
                         double elapsed) {
    for (const auto& group : step.groups)
        for (std::size_t round = step.first;
             round < std::min(step.last, tournament_rounds(group.size())); ++round)
            for (const auto& [low, high] : pairs_of_round(group.size(), round)) {
                const std::size_t i = std::min(group[low], group[high]);
                const std::size_t j = std::max(group[low], group[high]);
                const std::size_t k = round - step.first;
                round_trips_(i, j).push_back(waits[i][k] + waits[j][k]);
            }
    if (near_passes_ > 0) return;
    const double took = elapsed - step_began_;
    round_takes_ =
        std::max(took - control_time(), 0.1 * took) / static_cast<double>(step.last - step.first);
    if (sampled_) return;
    next_round_ = step.last;
    if (next_round_ < tournament_rounds(hosts_)) return;
    ++passes_;
    pass_took_ = elapsed - pass_began_;
}

LatencyMatrix LatencyPlan::latencies() const {
    LatencyMatrix latencies(hosts_, hosts_);
    for (std::size_t i = 0; i < hosts_; ++i)
        for (std::size_t j = i + 1; j < hosts_; ++j) {
            if (round_trips_(i, j).empty()) continue;
            latencies(i, j) = minimum(round_trips_(i, j)) / 2;
            latencies(j, i) = latencies(i, j);
        }
    return latencies;
}

/// How much longer a meeting of near hosts usually takes than the best meeting of the same two, in
/// seconds one way.
double LatencyPlan::disturbance() const {
    std::vector<double> extra;
    for (const auto& group : near_)
        for (std::size_t a = 0; a < group.size(); ++a)
            for (std::size_t b = a + 1; b < group.size(); ++b) {
                const auto& times = round_trips_(group[a], group[b]);
                extra.push_back((median(times) - minimum(times)) / 2);
            }
    return extra.empty() ? 0 : median(extra);
}

std::vector<std::vector<std::size_t>> LatencyPlan::clusters() const {
    // Differences that may be chance do not tell hosts apart.
    const double blur = chance * disturbance();
    LatencyMatrix blurred = latencies();
    for (std::size_t i = 0; i < hosts_; ++i)
        for (std::size_t j = 0; j < hosts_; ++j)
            if (blurred(i, j)) *blurred(i, j) += blur;
    return partition_hosts(blurred, tolerance_);
}

std::vector<std::string> LatencyPlan::warnings() const {
    const std::size_t skipped = unknown_pairs(latencies());
    if (skipped == 0) return {};
    return {
        fmt::format("all {} rounds of pairs would take more than {:.0f}% of the budget: hosts "
                    "were sampled in groups, and {} of the {} pairs of hosts not measured",
                    tournament_rounds(hosts_), share * 100, skipped, hosts_ * (hosts_ - 1) / 2)};
}

}  // namespace espalier::measure
