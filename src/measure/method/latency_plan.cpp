#include "measure/method/latency_plan.hpp"

#include "core/infinity.hpp"
#include "measure/method/sites.hpp"
#include "measure/method/tournament.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace espalier::measure {

namespace {

/// The parts of the budget that latencies may take: all pairs once, and their repetitions.
constexpr double share = 0.5;
constexpr double repeats_share = 0.2;
/// The part of the budget that steps of near hosts may take, all together, and the most seconds;
/// the first half is for those in which all meet. As much again is for clusters that still change.
constexpr double near_share = 0.15;
constexpr double longest_near = 0.4;
constexpr std::size_t most_near_steps = 3;
/// Hosts that may ping each other at once, and how often: the first ping connects.
constexpr std::size_t most_at_once = 64;
constexpr std::size_t pings = 3;
/// How often hosts ping undisturbed.
constexpr std::size_t undisturbed_pings = 4;
/// Steps in turn.
constexpr std::size_t most_turns = 4;
/// Pairs of each host inside its cluster, and of each two clusters, that are worth most.
constexpr std::size_t pairs_of_each = 3;
/// The rounds at which steps of the first pass end, so that a look at the clock can change the
/// plan.
constexpr std::size_t first_look = 2;
constexpr std::size_t second_look = 8;
/// The number of times that the result of a sample is checked, and the rounds of each check.
constexpr std::size_t most_checks = 3;
constexpr std::size_t rounds_of_check = 4;
/// Messages both ways that seem to take less than this part of the least round trip.
constexpr double of_a_clock_that_jumped = 0.5;

}  // namespace

LatencyPlan::LatencyPlan(std::size_t hosts, double budget, double tolerance)
    : hosts_(hosts), budget_(budget), found_(hosts, tolerance) {}

std::size_t LatencyPlan::rounds_left(double elapsed) const {
    const double left = (share * budget_ - elapsed) / std::max(round_takes_, 1e-9);
    return left < 1 ? 0 : static_cast<std::size_t>(std::min(left, 1e9));
}

std::optional<LatencyStep> LatencyPlan::next(double elapsed) {
    step_began_ = elapsed;
    std::optional<LatencyStep> step;
    if (!sampled_) step = next_of_all(elapsed);
    if (sampled_) step = next_of_sample(elapsed);
    if (!step) return step;
    std::size_t hosts = 0;
    for (const auto& group : step->groups) hosts += group.size();
    // What passages take of rank 0's memory.
    step->by_clocks =
        (step->way == Way::at_once || step->way == Way::among_few) && hosts <= most_at_once;
    return step;
}

std::optional<LatencyStep> LatencyPlan::next_of_sample(double elapsed) {
    const std::size_t most = rounds_left(elapsed);
    // Meetings tell more, but take as long as hosts are many.
    const bool at_once = most < most_at_once && most > pings + 1;
    const Groups clusters = found_.clusters();
    auto groups = groups_to_measure(clusters, found_.latencies(), found_.tolerance(),
                                    at_once ? most_at_once - 1 : most, level_++);
    if (groups.empty()) {
        // Hosts that had no near one in their groups may have been put together all the same. Some
        // meetings inside the clusters, which take little time, bring it to light.
        if (checks_++ >= most_checks || most < rounds_of_check) return std::nullopt;
        return LatencyStep{clusters, 0, rounds_of_check};
    }
    const std::size_t rounds = rounds_of(groups);
    return at_once ? LatencyStep{std::move(groups), 0, rounds, pings, Way::at_once}
                   : LatencyStep{std::move(groups), 0, rounds};
}

std::vector<std::size_t> LatencyPlan::everyone() const {
    std::vector<std::size_t> hosts(hosts_);
    std::iota(hosts.begin(), hosts.end(), std::size_t{0});
    return hosts;
}

std::optional<LatencyStep> LatencyPlan::next_of_all(double elapsed) {
    if (hosts_ < 2) return std::nullopt;
    const std::size_t rounds = tournament_rounds(hosts_);
    if (hosts_ <= most_at_once) {
        if (passes_ == 0) return LatencyStep{{everyone()}, 0, rounds, pings, Way::at_once};
        if (near_steps_++ < most_near_steps)
            if (auto step = next_of_near()) return step;
        near_steps_ = most_near_steps;
        return next_undisturbed();
    }
    if (next_round_ == rounds) {
        if (!worth_another_pass(elapsed)) return next_undisturbed();
        next_round_ = 0;
    }
    if (next_round_ == 0) pass_began_ = elapsed;
    const std::size_t ahead = (next_round_ < second_look ? std::min(second_look, rounds) : rounds);
    // The first meetings also connect.
    const bool hopeless = rounds > 2 * rounds_left(elapsed);
    if (passes_ == 0 && next_round_ > 0 &&
        (hopeless || ahead - next_round_ > rounds_left(elapsed))) {
        sampled_ = true;
        return std::nullopt;
    }
    std::size_t last = rounds;
    if (passes_ == 0 && next_round_ < second_look)
        last = std::min(next_round_ < first_look ? first_look : second_look, rounds);
    return LatencyStep{{everyone()}, next_round_, last};
}

/// The groups of these hosts, as large as possible, that are near enough for so many of their
/// greatest round trips, by their size, to take no longer than `seconds`: single linkage up to some
/// distance.
LatencyPlan::Groups LatencyPlan::near_groups(
    const std::vector<std::size_t>& hosts, double seconds,
    const std::function<double(std::size_t)>& round_trips) const {
    const Matrix<double> all = found_.distances();
    Matrix<double> known(hosts.size(), hosts.size(), 0);
    std::vector<double> distances;
    for (std::size_t a = 0; a < hosts.size(); ++a)
        for (std::size_t b = 0; b < hosts.size(); ++b) {
            known(a, b) = all(hosts[a], hosts[b]);
            if (a != b) distances.push_back(known(a, b));
        }
    std::sort(distances.begin(), distances.end());
    const auto is_in_time = [&](const std::vector<std::size_t>& group) {
        double longest = 0;
        for (const std::size_t a : group)
            for (const std::size_t b : group) longest = std::max(longest, known(a, b));
        return longest * round_trips(group.size()) <= seconds;
    };
    // Groups grow with the distance, and so does the time that they take.
    const auto too_far = std::ranges::partition_point(distances, [&](double distance) {
        return std::ranges::all_of(groups_within(known, distance), is_in_time);
    });
    if (too_far == distances.begin()) return {};
    Groups groups = groups_within(known, *std::prev(too_far));
    std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
    for (auto& group : groups)
        for (std::size_t& host : group) host = hosts[host];
    return groups;
}

/// The next step for pairs of near hosts, all groups at the same time: two passes, if there is
/// time, which show whether what they find lasts. What was held up before may be near after all,
/// so that groups may grow.
std::optional<LatencyStep> LatencyPlan::next_of_near() {
    const double seconds = seconds_for_near() / 2 - near_took_;
    for (const std::size_t passes : {std::size_t{2}, std::size_t{1}}) {
        Groups near = near_groups(everyone(), seconds, [&](std::size_t size) {
            return static_cast<double>(passes * tournament_rounds(size));
        });
        if (near.empty()) continue;
        if (near == near_) return std::nullopt;
        near_ = std::move(near);
        return LatencyStep{near_, 0, rounds_of(near_), passes};
    }
    return std::nullopt;
}

/// The next step in which few are busy, if those that are near are not settled. Clusters may be
/// others after each, so that there are several, and more as long as clusters change.
std::optional<LatencyStep> LatencyPlan::next_undisturbed() {
    if (!disturbed()) return std::nullopt;
    const double all = seconds_for_near();
    // Meetings that others held up leave the turns their half.
    if (undisturbed_steps_ == 0) near_took_ = std::min(near_took_, all / 2);
    while (undisturbed_steps_ < 2 * most_turns) {
        const double left = all - near_took_;
        const std::size_t turn = undisturbed_steps_ / 2;
        const bool few = undisturbed_steps_ % 2 == 0;
        const double part = 1 / static_cast<double>(most_turns - turn);
        ++undisturbed_steps_;
        auto step = few ? next_among_few(part * left / 2) : next_in_turn(part * left);
        if (step) return step;
    }
    if (near_took_ > 2 * all || found_.clusters() == clusters_before_) return std::nullopt;
    return next_in_turn(all / static_cast<double>(most_turns));
}

/// One host of each cluster pings those of the others that are not too far.
std::optional<LatencyStep> LatencyPlan::next_among_few(double seconds) {
    const Groups clusters = found_.clusters();
    if (clusters.size() == std::exchange(clusters_pinged_, clusters.size())) return std::nullopt;
    std::vector<std::size_t> few;
    for (const auto& cluster : clusters)
        few.push_back(cluster[undisturbed_steps_ % cluster.size()]);
    Groups groups = near_groups(few, seconds,
                                [](std::size_t) { return static_cast<double>(undisturbed_pings); });
    if (groups.empty()) return std::nullopt;
    const std::size_t rounds = rounds_of(groups);
    return LatencyStep{std::move(groups), 0, rounds, undisturbed_pings, Way::among_few};
}

/// Pairs to ping in turn, those first that are worth most: inside clusters a few of each host, then
/// one of each two clusters of which nothing is known but what company disturbed, the nearest
/// first, then again some of two clusters: a host may seem to be apart because it was busy.
LatencyPlan::Groups LatencyPlan::pairs_by_worth() const {
    struct Candidate {
        std::size_t level;
        double distance;
        std::vector<std::size_t> hosts;
    };
    std::vector<Candidate> candidates;
    const auto add = [&](std::size_t level, double distance, std::size_t a, std::size_t b) {
        candidates.push_back({level, distance, {std::min(a, b), std::max(a, b)}});
    };
    const auto clusters = found_.clusters();
    const Matrix<double> known = found_.distances();
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const auto& own = clusters[c];
        for (std::size_t round = 0; round < tournament_rounds(own.size()); ++round)
            for (const auto& [a, b] : pairs_of_round(own.size(), round))
                if (!found_.of(Way::in_turn).has(own[a], own[b]))
                    add(round < pairs_of_each ? 0 : pairs_of_each + 2, static_cast<double>(round),
                        own[a], own[b]);
        for (std::size_t d = 0; d < c; ++d) {
            const auto& other = clusters[d];
            double nearest = infinity;
            Groups pairs;
            for (const std::size_t a : own)
                for (const std::size_t b : other) {
                    nearest = std::min(nearest, known(a, b));
                    if (found_.undisturbed(a, b)) pairs.push_back({a, b});
                }
            const std::size_t level = pairs.empty() ? 1 : 2;
            for (std::size_t k = 0; k < pairs_of_each; ++k) {
                std::vector<std::size_t> pair{own[k % own.size()], other[k % other.size()]};
                if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(std::move(pair));
            }
            for (std::size_t k = 0; k < std::min(pairs_of_each, pairs.size()); ++k)
                add(level + k, nearest, pairs[k][0], pairs[k][1]);
        }
    }
    std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) {
        return std::pair(candidate.level, candidate.distance);
    });
    Groups pairs;
    for (Candidate& candidate : candidates) pairs.push_back(std::move(candidate.hosts));
    return pairs;
}

/// As many pairs as there is time for ping in turn.
std::optional<LatencyStep> LatencyPlan::next_in_turn(double seconds) {
    clusters_before_ = found_.clusters();
    LatencyStep step{{}, 0, 0, undisturbed_pings};
    const LatencyMatrix latencies = found_.latencies();
    const double held_up = found_.usually_held_up(Way::in_turn);
    for (auto& pair : pairs_by_worth()) {
        const double round_trip = 2 * latencies(pair[0], pair[1]).value_or(0) + held_up;
        const double takes = waking_s + static_cast<double>(undisturbed_pings + 1) * round_trip;
        if (takes > seconds) continue;
        seconds -= takes;
        step.groups.push_back(std::move(pair));
    }
    if (step.groups.empty()) return std::nullopt;
    step.last = 1;
    return in_turn(step);
}

double LatencyPlan::seconds_for_near() const {
    return std::min(near_share * budget_, longest_near);
}

bool LatencyPlan::disturbed() const { return hosts_ <= most_at_once && !found_.is_settled(near_); }

bool LatencyPlan::worth_another_pass(double elapsed) const {
    return passes_ < 2 && elapsed + pass_took_ <= repeats_share * budget_;
}

void LatencyPlan::record(const LatencyStep& step, const std::vector<Timed>& timed, double elapsed) {
    for_each_round_trip(step, timed, [&](std::size_t a, std::size_t b, double round_trip) {
        found_.add(step.way, a, b, round_trip);
    });
    for_each_passages(step, timed, [&](std::size_t a, std::size_t b, double there, double back) {
        if (there + back < of_a_clock_that_jumped * found_.round_trip(a, b)) return;
        // What held up a message one way does not hold up all of those the other way.
        found_.add(step.way, a, b, there + back);
        // Clocks don't keep pace: only what is found at the same time can be compared.
        if (step.way == Way::at_once && step.groups.size() == 1) found_.add(a, b, {there, back});
    });
    // Beside what the step itself takes, rank 0 tells what to do, and is told what was found.
    double took = elapsed - step_began_;
    took = std::max(took - found_.longest_round_trip(), 0.1 * took);
    if (near_steps_ > 0) {
        near_took_ += took;
        return;
    }
    if (step.way == Way::in_rounds)
        round_takes_ = took / static_cast<double>(step.last - step.first);
    if (sampled_) return;
    next_round_ = step.last;
    if (next_round_ < tournament_rounds(hosts_)) return;
    ++passes_;
    pass_took_ = elapsed - pass_began_;
}

std::vector<std::string> LatencyPlan::warnings() const {
    const std::size_t skipped = unknown_pairs(found_.latencies());
    if (skipped == 0) return {};
    return {
        fmt::format("all {} rounds of pairs would take more than {:.0f}% of the budget: hosts "
                    "were sampled in groups, and {} of the {} pairs of hosts not measured",
                    tournament_rounds(hosts_), share * 100, skipped, hosts_ * (hosts_ - 1) / 2)};
}

}  // namespace espalier::measure
