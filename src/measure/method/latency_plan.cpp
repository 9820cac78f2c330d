#include "measure/method/latency_plan.hpp"

#include "core/infinity.hpp"
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
/// The part of the budget that repetitions of near hosts alone may take, and the most seconds: busy
/// machines disturb the same pairs for some hundredths of a second.
constexpr double near_share = 0.1;
constexpr double longest_near = 0.3;
/// Passes of near hosts that show how long one takes, and the most meetings of a host in a step.
constexpr std::size_t first_near_passes = 8;
constexpr std::size_t most_near_meetings = 2000;
/// How many hosts of a cluster meet those of others again that are up to so many times as far away.
constexpr std::size_t of_each = 2;
constexpr double hardly_farther = 4;
/// Hosts that may ping each other at once, and how often: the first ping connects.
constexpr std::size_t most_at_once = 64;
constexpr std::size_t pings = 3;
/// Two passes that differ by less than this on most pairs leave nothing to learn from a third.
constexpr double settled = 0.01;
/// Relative differences below this are those of a simulator's clock, which has no noise.
constexpr double no_noise = 1e-3;
/// The rounds at which steps of the first pass end, so that a look at the clock can change the
/// plan.
constexpr std::size_t first_look = 2;
constexpr std::size_t second_look = 8;
/// The number of times that the result of a sample is checked, and the rounds of each check.
constexpr std::size_t most_checks = 3;
constexpr std::size_t rounds_of_check = 4;

/// The rounds after which each two of every group have met.
std::size_t rounds_of(const std::vector<std::vector<std::size_t>>& groups) {
    std::size_t rounds = 0;
    for (const auto& group : groups) rounds = std::max(rounds, tournament_rounds(group.size()));
    return rounds;
}

}  // namespace

LatencyPlan::LatencyPlan(std::size_t hosts, double budget, double tolerance)
    : hosts_(hosts),
      budget_(budget),
      tolerance_(tolerance),
      round_trips_(hosts),
      pings_(hosts),
      again_(hosts) {}

/// The seconds that a step takes beside its rounds: rank 0 tells what to do, and is told what was
/// found.
double LatencyPlan::control_time() const {
    double slowest = 0;
    for (std::size_t i = 0; i < hosts_; ++i)
        for (const auto* known : {&round_trips_, &pings_})
            for (const auto& [j, times] : known->from(i))
                slowest = std::max(slowest, round_trip(i, j));
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
    // Meetings tell more, but take as long as hosts are many.
    const bool at_once = most < most_at_once && most > pings + 1;
    auto groups =
        groups_to_measure(latencies(), tolerance_, at_once ? most_at_once - 1 : most, level_++);
    if (groups.empty()) {
        // Hosts that had no near one in their groups may have been put together all the same. Some
        // meetings inside the clusters, which take little time, bring it to light.
        if (checks_++ >= most_checks || most < rounds_of_check) return std::nullopt;
        return LatencyStep{clusters(), 0, rounds_of_check};
    }
    const std::size_t rounds = rounds_of(groups);
    return at_once ? LatencyStep{std::move(groups), 0, rounds, pings, true}
                   : LatencyStep{std::move(groups), 0, rounds};
}

std::vector<std::size_t> LatencyPlan::everyone() const {
    std::vector<std::size_t> hosts(hosts_);
    std::iota(hosts.begin(), hosts.end(), std::size_t{0});
    return hosts;
}

/// The least round trip of the pair so far, in seconds; 0 if there was none.
double LatencyPlan::round_trip(std::size_t i, std::size_t j) const {
    double least = infinity;
    for (const auto* known : {&round_trips_, &pings_})
        for (const double time : (*known)(i, j)) least = std::min(least, time);
    return least < infinity ? least : 0;
}

/// The seconds that all meetings of a group take, whose latencies are known: a meeting takes a
/// round trip.
double LatencyPlan::time_to_meet(const std::vector<std::size_t>& group,
                                 const Matrix<double>& distances) {
    double slowest = 0;
    for (const std::size_t a : group)
        for (const std::size_t b : group) slowest = std::max(slowest, distances(a, b));
    return slowest * static_cast<double>(tournament_rounds(group.size()));
}

/// Whether two passes of all meetings take no more than their share.
bool LatencyPlan::time_to_meet_all() const {
    return 2 * time_to_meet(everyone(), distances()) <= repeats_share * budget_;
}

std::optional<LatencyStep> LatencyPlan::next_of_all(double elapsed) {
    const std::size_t rounds = tournament_rounds(hosts_);
    if (!all_meet_ && hosts_ > 1 && hosts_ <= most_at_once)
        return LatencyStep{{everyone()}, 0, rounds, pings, true};
    if (!all_meet_.value_or(true)) return next_of_near(elapsed);
    if (next_round_ == rounds) {
        if (near_passes_ > 0 || !worth_another_pass(elapsed)) return next_of_near(elapsed);
        next_round_ = 0;
    }
    if (next_round_ == 0) pass_began_ = elapsed;
    const std::size_t ahead = (next_round_ < second_look ? std::min(second_look, rounds) : rounds);
    // The first meetings also connect.
    const bool hopeless = !all_meet_ && rounds > 2 * rounds_left(elapsed);
    if (passes_ == 0 && next_round_ > 0 &&
        (hopeless || ahead - next_round_ > rounds_left(elapsed))) {
        if (all_meet_) {
            // Meetings take longer than pings said, as on busy machines; all pairs are known.
            all_meet_ = false;
            return next_of_near(elapsed);
        }
        sampled_ = true;
        return std::nullopt;
    }
    std::size_t last = rounds;
    if (passes_ == 0 && next_round_ < second_look)
        last = std::min(next_round_ < first_look ? first_look : second_look, rounds);
    return LatencyStep{{everyone()}, next_round_, last};
}

/// The round trips of all pairs, by way of others where that is shorter: what disturbed one of them
/// did not disturb all.
Matrix<double> LatencyPlan::distances() const {
    Matrix<double> shortest(hosts_, hosts_, 0);
    for (std::size_t i = 0; i < hosts_; ++i)
        for (std::size_t j = 0; j < hosts_; ++j)
            if (i != j) shortest(i, j) = round_trip(i, j);
    for (std::size_t k = 0; k < hosts_; ++k)
        for (std::size_t i = 0; i < hosts_; ++i)
            for (std::size_t j = 0; j < hosts_; ++j)
                shortest(i, j) = std::min(shortest(i, j), shortest(i, k) + shortest(k, j));
    return shortest;
}

/// The groups of hosts, as large as possible, that are near enough for their meetings to take no
/// longer than `seconds`: single linkage up to some distance.
std::vector<std::vector<std::size_t>> LatencyPlan::near_groups(double seconds) const {
    const Matrix<double> known = this->distances();
    std::vector<double> distances;
    for (std::size_t i = 0; i < hosts_; ++i)
        for (std::size_t j = 0; j < hosts_; ++j)
            if (i != j) distances.push_back(known(i, j));
    std::sort(distances.begin(), distances.end());
    // Groups grow with the distance, and so does the time that they take.
    const auto too_far = std::ranges::partition_point(distances, [&](double distance) {
        return std::ranges::all_of(groups_within(known, distance), [&](const auto& group) {
            return time_to_meet(group, known) <= seconds;
        });
    });
    if (too_far == distances.begin()) return {};
    auto groups = groups_within(known, *std::prev(too_far));
    std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
    return groups;
}

/// By how many seconds pings of pairs that met were late at most.
double LatencyPlan::latest_ping() const {
    double latest = 0;
    for (std::size_t i = 0; i < hosts_; ++i)
        for (const auto& [j, times] : round_trips_.from(i))
            if (const auto& of_pings = pings_(i, j); !of_pings.empty())
                latest = std::max(latest, minimum(of_pings) - minimum(times));
    return latest;
}

/// Two hosts of each cluster, or its only one, in groups whose clusters may be one but for what
/// disturbed them: between these it is hardly farther than inside, or seems to be by late pings.
std::vector<std::vector<std::size_t>> LatencyPlan::doubtful_groups() const {
    const Matrix<double> known = this->distances();
    std::vector<std::size_t> some;
    std::vector<std::size_t> cluster_of;
    std::vector<double> inside;
    for (const auto& cluster : clusters()) {
        for (std::size_t k = 0; k < std::min(cluster.size(), of_each); ++k) {
            some.push_back(cluster[k]);
            cluster_of.push_back(inside.size());
        }
        inside.push_back(cluster.size() < of_each ? infinity : known(cluster[0], cluster[1]));
    }
    const double late = latest_ping();
    Matrix<double> too_far(some.size(), some.size(), 0);
    for (std::size_t a = 0; a < some.size(); ++a)
        for (std::size_t b = 0; b < some.size(); ++b) {
            const double near = std::min(inside[cluster_of[a]], inside[cluster_of[b]]);
            if (cluster_of[a] == cluster_of[b]) continue;
            const bool met = !round_trips_(some[a], some[b]).empty();
            const double most = hardly_farther * near + (met ? 0 : late);
            too_far(a, b) =
                near < infinity ? std::max(known(some[a], some[b]) - most, 0.0) : infinity;
        }
    auto groups = groups_within(too_far, 0);
    std::erase_if(groups, [](const auto& group) { return group.size() <= of_each; });
    for (auto& group : groups)
        for (std::size_t& host : group) host = some[host];
    return groups;
}

/// The next step for pairs of near hosts, all groups at the same time: a few passes, and then, if
/// these differ, as many as there is time for.
std::optional<LatencyStep> LatencyPlan::next_of_near(double elapsed) {
    const double seconds = std::min(near_share * budget_, longest_near);
    std::size_t times = first_near_passes;
    if (near_passes_ == 0) {
        near_ = near_groups(seconds / 2 / first_near_passes);
        if (near_.empty()) {
            // On a busy machine pings take long; to meet once is better than not at all.
            near_ = near_groups(seconds / 2);
            times = 1;
        }
    }
    const bool enough = passes_ + near_passes_ > 1 && is_settled(near_);
    if (near_.empty() || enough) return std::nullopt;
    if (near_steps_ > 1) return next_of_doubtful(seconds / 2);
    const std::size_t rounds = rounds_of(near_);
    if (near_passes_ > 0) {
        const double left = std::min(share * budget_ - elapsed, seconds - near_took_);
        const auto passes = static_cast<double>(near_passes_) * left / near_took_;
        const std::size_t most = most_near_meetings / rounds;
        if (passes < 1) return next_of_doubtful(seconds / 2);
        times = passes < static_cast<double>(most) ? static_cast<std::size_t>(passes) : most;
    }
    ++near_steps_;
    near_passes_ += times;
    return LatencyStep{near_, 0, rounds, times};
}

/// Some of those that may be one cluster meet again: fewer disturb each other.
std::optional<LatencyStep> LatencyPlan::next_of_doubtful(double seconds) {
    if (!doubtful_.empty()) return std::nullopt;
    doubtful_ = doubtful_groups();
    if (doubtful_.empty()) return std::nullopt;
    const std::size_t rounds = rounds_of(doubtful_);
    const double round = near_took_ / static_cast<double>(near_passes_ * rounds_of(near_));
    double pass = round * static_cast<double>(rounds);
    for (const auto& group : doubtful_) pass = std::max(pass, time_to_meet(group, distances()));
    const std::size_t most = most_near_meetings / rounds;
    return LatencyStep{
        doubtful_, 0, rounds,
        static_cast<std::size_t>(std::clamp(seconds / pass, 1.0, static_cast<double>(most)))};
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

/// How much the times of a pair usually differ, relative to their least.
std::optional<double> LatencyPlan::usual_spread(const Meetings& all_times) const {
    std::vector<double> spreads;
    for (std::size_t i = 0; i < hosts_; ++i)
        for (const auto& [j, times] : all_times.from(i))
            if (times.size() > 1) spreads.push_back(deviation(times) / minimum(times));
    if (spreads.empty()) return std::nullopt;
    return median(spreads);
}

bool LatencyPlan::noisy() const {
    auto spread = usual_spread(round_trips_);
    if (!spread) spread = usual_spread(pings_);
    return spread.value_or(0) > no_noise;
}

bool LatencyPlan::worth_another_pass(double elapsed) const {
    if (hosts_ < 2 || passes_ >= most_passes) return false;
    if (elapsed + pass_took_ > repeats_share * budget_) return false;
    if (passes_ < 2) return true;
    return !is_settled({everyone()});
}

void LatencyPlan::record_pair(std::size_t i, std::size_t j, double wait_of_i, double wait_of_j,
                              bool pinged) {
    if (pinged)
        pings_.at(i, j).push_back(std::min(wait_of_i, wait_of_j));
    else
        round_trips_.at(i, j).push_back(wait_of_i + wait_of_j);
    if (!doubtful_.empty()) again_.at(i, j).push_back(wait_of_i + wait_of_j);
}

void LatencyPlan::record(const LatencyStep& step, const std::vector<std::vector<double>>& waits,
                         double elapsed) {
    for (const auto& group : step.groups)
        for (std::size_t round = step.first;
             round < std::min(step.last, tournament_rounds(group.size())); ++round)
            for (const auto& [low, high] : pairs_of_round(group.size(), round)) {
                const std::size_t i = std::min(group[low], group[high]);
                const std::size_t j = std::max(group[low], group[high]);
                for (std::size_t time = 0; time < step.times; ++time)
                    record_pair(i, j, waits[i][step.place(time, round)],
                                waits[j][step.place(time, round)], step.at_once);
            }
    if (step.at_once && !sampled_) all_meet_ = time_to_meet_all();
    if (step.at_once) return;
    double took = elapsed - step_began_;
    took = std::max(took - control_time(), 0.1 * took);
    if (near_passes_ > 0) {
        near_took_ += took;
        return;
    }
    round_takes_ = took / static_cast<double>(step.last - step.first);
    if (sampled_) return;
    next_round_ = step.last;
    if (next_round_ < tournament_rounds(hosts_)) return;
    ++passes_;
    pass_took_ = elapsed - pass_began_;
}

LatencyMatrix LatencyPlan::latencies() const {
    LatencyMatrix latencies(hosts_);
    for (std::size_t i = 0; i < hosts_; ++i)
        for (const auto* known : {&round_trips_, &pings_})
            for (const auto& [j, times] : known->from(i))
                if (const double least = round_trip(i, j); least > 0)
                    latencies.at(i, j) = least / 2;
    return latencies;
}

std::vector<std::vector<std::size_t>> LatencyPlan::clusters() const {
    const LatencyMatrix least = latencies();
    auto clusters = alike(everyone(), near_, least, round_trips_, tolerance_);
    for (const auto& group : doubtful_)
        clusters = joined(alike(group, {group}, least, again_, tolerance_), std::move(clusters));
    return clusters;
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
