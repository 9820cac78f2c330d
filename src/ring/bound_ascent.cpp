#include "ring/bound_ascent.hpp"

#include "ring/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace espalier::ring {
namespace {

constexpr int rounds = 500;
/// Relative steps, and softness by W / hosts: at first, and what becomes of them until the end.
constexpr double first_rate = 0.3;
constexpr double first_softness = 0.5;
constexpr double until_end = 0.01;
/// Multipliers in work move as if they were at least that, by W / hosts.
constexpr double least_moved = 0.3;
constexpr double speed_rate = 0.3;
constexpr int rounds_between_cuts = 25;

}  // namespace

double BoundAscent::Trend::move(double slope) {
    constexpr double memory = 0.9;
    constexpr double long_memory = 0.99;
    ++steps;
    mean = memory * mean + (1 - memory) * slope;
    square = long_memory * square + (1 - long_memory) * slope * slope;
    if (!(square > 0)) return 0;
    return mean / (1 - std::pow(memory, steps)) /
           std::sqrt(square / (1 - std::pow(long_memory, steps)));
}

BoundAscent::BoundAscent(const Problem& problem, schedule::RingSharing sharing)
    : problem_(problem),
      sharing_(sharing),
      hosts_(static_cast<Host>(problem.platform.hosts())),
      unit_(problem.work / hosts_),
      tree_(cut_tree(problem.platform)),
      costs_(problem, sharing),
      relaxation_(problem, tree_, costs_),
      mean_hosts_(hosts_, 0),
      mean_edges_(hosts_, hosts_) {
    begin();
}

void BoundAscent::begin() {
    for (Host host = 0; host < hosts_; ++host)
        now_.speeds.push_back(1 / problem_.platform.cycle_time(host));
    now_.prices.assign(problem_.platform.links(), 0);
    now_.crossings.assign(tree_.parts.size(), 0);
    now_.potentials.assign(hosts_, 0);
    trends_.prices.resize(now_.prices.size());
    trends_.speeds.resize(hosts_);
    trends_.potentials.resize(hosts_);
    trends_.crossings.resize(now_.crossings.size());
}

/// What each link would cost if four paths of middling hosts were all that cross it.
std::vector<double> BoundAscent::expected_prices() const {
    const double speeds = std::accumulate(now_.speeds.begin(), now_.speeds.end(), 0.0);
    std::vector<double> prices;
    for (LinkId link = 0; link < problem_.platform.links(); ++link) {
        const auto& data = problem_.platform.link(link);
        constexpr double paths = 4;
        const double price =
            sharing_ == schedule::RingSharing::fair
                ? speeds / hosts_ / data.bandwidth  // no step is shorter than W / speeds
                : problem_.exchange * speeds / hosts_ * paths * paths /
                      (data.bandwidth * data.bandwidth);
        prices.push_back(data.shared ? price : 0);
    }
    return prices;
}

/// Begins with the prices that are given, for links that have any, or those expected, or a part of
/// either: whatever is best.
double BoundAscent::choose_prices(std::span<const double> given, double longest) {
    const auto expected = expected_prices();
    std::vector<double> known = expected;
    constexpr double least_part = 0.05;
    constexpr double sane = 1000;
    for (LinkId link = 0; link < known.size() && link < given.size(); ++link)
        if (given[link] >= 0)
            known[link] =
                std::min(std::max(given[link], least_part * expected[link]), sane * expected[link]);
    Multipliers best = now_;
    double best_time = -1;
    const auto try_prices = [&](const std::vector<double>& prices) {
        constexpr double least_usual = 0.01;
        double before = -1;
        for (const double part : {1.0, 0.4, 0.15, 0.05, least_usual, 1e-3, 1e-6, 1e-12}) {
            // With next to no prices the bound is that without exchange: no place to begin.
            if (part < least_usual && best_time > 0) break;
            for (LinkId link = 0; link < prices.size(); ++link)
                now_.prices[link] = part * prices[link];
            choose_potentials(longest);
            const double time = relaxation_.step_time(now_, longest);
            if (time > best_time) {
                best_time = time;
                best = now_;
            }
            if (time < before) break;
            before = time;
        }
    };
    try_prices(known);
    if (known != expected) try_prices(expected);
    now_ = std::move(best);
    return best_time;
}

/// Each host pays half of its cheapest edge.
void BoundAscent::choose_potentials(double longest) {
    costs_.set_longest(longest);
    costs_.find_prices(now_.prices);
    for (Host one = 0; one < hosts_; ++one) {
        double least = std::numeric_limits<double>::infinity();
        for (Host other = 0; other < hosts_; ++other) {
            if (one == other) continue;
            const double there =
                costs_.cost(one, other, now_.speeds[one], costs_.price(one, other)).cost;
            const double back =
                costs_.cost(other, one, now_.speeds[other], costs_.price(other, one)).cost;
            least = std::min(least, there + back);
        }
        // At more than that, no host is worth its place.
        now_.potentials[one] = std::min(least, longest * now_.speeds[one]) / 2;
    }
}

double BoundAscent::run(Meter& meter, std::span<const double> prices, double enough) {
    const std::uint64_t pairs = std::uint64_t{hosts_} * hosts_;
    const std::uint64_t steps = costs_.steps_of_prices() + 16 * pairs;
    const double affordable = std::min<double>(
        rounds, static_cast<double>(meter.work_left()) / static_cast<double>(steps));
    const double begun = meter.used();
    double best = choose_prices(prices, enough);
    double longest = enough;
    best_ = now_;
    const double floor = bound_without_exchange(problem_);
    for (int round = 0; round < affordable && !(best >= enough) && !meter.over(); ++round) {
        double used = round / affordable;
        // Time counts only where it is short, so that what it measures never shows otherwise.
        constexpr double late = 0.1;
        const double time_used = (meter.used() - begun) / std::max(1 - begun, 1e-9);
        if (time_used > used + late) used = std::min(time_used, 1.0);
        const double sharper = std::pow(until_end, used);
        const double time = relaxation_.step_time(now_, longest);
        if (time > best) {
            best = time;
            best_ = now_;
        }
        relaxation_.choose(std::max(best, floor), first_softness * unit_ * sharper, choice_);
        average();
        move(first_rate * sharper);
        if (round % rounds_between_cuts == rounds_between_cuts - 1) {
            drop_cuts();
            add_cuts();
        }
        constexpr double ahead = 1.2;
        if (round > rounds_between_cuts) longest = std::min(enough, ahead * std::max(best, time));
        meter.spend(steps + now_.cuts.size() * 2 * pairs);
    }
    return relaxation_.step_time(best_, best);
}

void BoundAscent::move(double rate) {
    const auto& slopes = choice_.slopes;
    for (LinkId link = 0; link < now_.prices.size(); ++link)
        now_.prices[link] *=
            std::exp(-rate * trends_.prices[link].move(slopes.prices[link] * now_.prices[link]));
    const double least = least_moved * unit_;
    for (Host host = 0; host < hosts_; ++host) {
        double& potential = now_.potentials[host];
        potential -= rate * std::max(std::abs(potential), least) *
                     trends_.potentials[host].move(slopes.potentials[host]);
        double& speed = now_.speeds[host];
        speed -= speed_rate * rate * speed * trends_.speeds[host].move(slopes.speeds[host]);
        speed = std::max(speed, 1 / problem_.platform.cycle_time(host));
    }
    const auto move_positive = [&](double& value, Trend& trend, double slope) {
        value = std::max(0.0, value - rate * std::max(value, least) * trend.move(slope));
    };
    for (std::size_t part = 1; part < now_.crossings.size(); ++part)
        move_positive(now_.crossings[part], trends_.crossings[part], slopes.crossings[part]);
    for (std::size_t cut = 0; cut < now_.cuts.size(); ++cut)
        move_positive(now_.cuts[cut].value, trends_.cuts[cut], slopes.cuts[cut].value);
}

void BoundAscent::average() {
    constexpr double weight = 0.1;
    for (Host one = 0; one < hosts_; ++one) {
        mean_hosts_[one] += weight * (choice_.hosts[one] - mean_hosts_[one]);
        for (Host other = one + 1; other < hosts_; ++other)
            mean_edges_(one, other) +=
                weight * (choice_.edges(one, other) - mean_edges_(one, other));
    }
}

void BoundAscent::drop_cuts() {
    constexpr int tried = 60;
    std::size_t kept = 0;
    for (std::size_t cut = 0; cut < now_.cuts.size(); ++cut) {
        if (!(now_.cuts[cut].value > 0) && trends_.cuts[cut].steps > tried) continue;
        if (kept != cut) {
            now_.cuts[kept] = std::move(now_.cuts[cut]);
            trends_.cuts[kept] = trends_.cuts[cut];
        }
        ++kept;
    }
    now_.cuts.resize(kept);
    trends_.cuts.resize(kept);
}

/// Joins hosts by their heaviest edges, as for a tree (Kruskal); each set on the way is tried.
void BoundAscent::add_cuts() {
    struct Edge {
        double weight = 0;
        Host one = 0;
        Host other = 0;
    };
    constexpr double least_weight = 0.02;
    constexpr double least_violation = 0.1;
    constexpr std::size_t most_cuts = 200;
    std::vector<Edge> edges;
    for (Host one = 0; one < hosts_; ++one)
        for (Host other = one + 1; other < hosts_; ++other)
            if (mean_edges_(one, other) > least_weight)
                edges.push_back({mean_edges_(one, other), one, other});
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& a, const Edge& b) { return a.weight > b.weight; });
    std::vector<std::vector<Host>> sets(hosts_);
    std::vector<Host> set_of(hosts_);
    for (Host host = 0; host < hosts_; ++host) {
        sets[host] = {host};
        set_of[host] = host;
    }
    for (const Edge& edge : edges) {
        const Host into = set_of[edge.one];
        const Host from = set_of[edge.other];
        if (into == from) continue;
        for (const Host host : sets[from]) set_of[host] = into;
        sets[into].insert(sets[into].end(), sets[from].begin(), sets[from].end());
        sets[from].clear();
        if (sets[into].size() + 1 >= hosts_ || now_.cuts.size() >= most_cuts) return;

        Multipliers::Cut cut{std::vector<char>(hosts_, 0), hosts_, hosts_, 0};
        for (const Host host : sets[into]) cut.in[host] = 1;
        for (Host host = 0; host < hosts_; ++host) {
            Host& likeliest = cut.in[host] != 0 ? cut.inside : cut.outside;
            if (likeliest == hosts_ || mean_hosts_[host] > mean_hosts_[likeliest]) likeliest = host;
        }
        double entered = 0;
        for (const Edge& other : edges)
            if (cut.in[other.one] != cut.in[other.other]) entered += other.weight;
        const double due = 2 * (mean_hosts_[cut.inside] + mean_hosts_[cut.outside] - 1);
        if (due - entered < least_violation) continue;
        const bool known =
            std::any_of(now_.cuts.begin(), now_.cuts.end(), [&](const Multipliers::Cut& old) {
                return old.in == cut.in && old.inside == cut.inside;
            });
        if (known) continue;
        now_.cuts.push_back(std::move(cut));
        trends_.cuts.emplace_back();
    }
}

}  // namespace espalier::ring
