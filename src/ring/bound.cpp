#include "ring/bound.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "ring/allocation.hpp"
#include "ring/bound_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace espalier::ring {
namespace {

using schedule::RingSharing;
/// The relative rounding error by which a bound is lowered.
constexpr double given_back = 1e-9;
/// Above it a table of all pairs of hosts takes too much memory.
constexpr std::size_t most_hosts = 3000;

constexpr int rounds = 500;
/// Relative steps, and softness by W / hosts: at first, and what becomes of them until the end.
constexpr double first_rate = 0.3;
constexpr double first_softness = 0.5;
constexpr double until_end = 0.01;
/// Multipliers in work move as if they were at least that, by W / hosts.
constexpr double least_moved = 0.3;
constexpr double speed_rate = 0.3;
constexpr int rounds_between_cuts = 25;

/// Looks for multipliers whose relaxation needs a long step: gradient steps on all of them at once,
/// each scaled by its own recent slopes (the rule known as Adam), on softened choices that get
/// sharper while the steps get smaller. Every multiplier met gives a sound bound, so nothing here
/// needs to be exact.
class BoundAscent {
public:
    BoundAscent(const Problem& problem, RingSharing sharing);

    /// A step that all rings of three hosts or more need, at most `enough`.
    [[nodiscard]] double run(Meter& meter, double enough);
    [[nodiscard]] const PathCosts& costs() const { return costs_; }

private:
    /// The state of Adam's method for one multiplier.
    struct Trend {
        double mean = 0;
        double square = 0;
        int steps = 0;
        double move(double slope);
    };
    struct Trends {
        std::vector<Trend> prices;
        std::vector<Trend> speeds;
        std::vector<Trend> potentials;
        std::vector<Trend> crossings;
        std::vector<Trend> cuts;
    };

    [[nodiscard]] std::vector<double> expected_prices() const;
    double choose_prices(double longest);
    void choose_potentials(double longest);
    void move(double rate, const Multipliers& slopes);
    void drop_cuts();
    void add_cuts(const Relaxation::Choice& choice);

    const Problem& problem_;
    RingSharing sharing_;
    Host hosts_;
    double unit_;  ///< W / hosts
    CutTree tree_;
    PathCosts costs_;
    Relaxation relaxation_;
    Multipliers now_;
    Trends trends_;
};

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

BoundAscent::BoundAscent(const Problem& problem, RingSharing sharing)
    : problem_(problem),
      sharing_(sharing),
      hosts_(static_cast<Host>(problem.platform.hosts())),
      unit_(problem.work / hosts_),
      tree_(cut_tree(problem.platform)),
      costs_(problem, sharing),
      relaxation_(problem, tree_, costs_) {
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

/// The prices of links if four paths of hosts of middling speed were all that cross each.
std::vector<double> BoundAscent::expected_prices() const {
    const double speeds = std::accumulate(now_.speeds.begin(), now_.speeds.end(), 0.0);
    std::vector<double> prices;
    for (LinkId link = 0; link < problem_.platform.links(); ++link) {
        const auto& data = problem_.platform.link(link);
        constexpr double paths = 4;
        const double price =
            sharing_ == RingSharing::fair
                ? speeds / hosts_ / data.bandwidth  // no step is shorter than W / speeds
                : problem_.exchange * speeds / hosts_ * paths * paths /
                      (data.bandwidth * data.bandwidth);
        prices.push_back(data.shared ? price : 0);
    }
    return prices;
}

/// Begins with the part of the expected prices that is best.
double BoundAscent::choose_prices(double longest) {
    const auto expected = expected_prices();
    constexpr double least_usual = 0.01;
    Multipliers best = now_;
    double best_time = -1;
    double before = -1;
    for (const double part : {1.0, 0.4, 0.15, 0.05, least_usual, 1e-3, 1e-6, 1e-12}) {
        // With next to no prices the bound is that without exchange: no place to begin.
        if (part < least_usual && best_time > 0) break;
        for (LinkId link = 0; link < expected.size(); ++link)
            now_.prices[link] = part * expected[link];
        choose_potentials(longest);
        const double time = relaxation_.step_time(now_, longest);
        if (time > best_time) {
            best_time = time;
            best = now_;
        }
        if (time < before) break;
        before = time;
    }
    now_ = std::move(best);
    return best_time;
}

/// Sets potentials so that each host pays half of its cheapest edge.
void BoundAscent::choose_potentials(double longest) {
    costs_.set_longest(longest);
    costs_.find_prices(now_.prices);
    for (Host one = 0; one < hosts_; ++one) {
        double least = infinity;
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

double BoundAscent::run(Meter& meter, double enough) {
    const std::uint64_t pairs = std::uint64_t{hosts_} * hosts_;
    const std::uint64_t steps = costs_.steps_of_prices() + 16 * pairs;
    const double affordable = std::min<double>(
        rounds, static_cast<double>(meter.work_left()) / static_cast<double>(steps));
    Meter own(meter.share(1));
    double best = choose_prices(enough);
    double longest = enough;
    const double floor = bound_without_exchange(problem_);
    for (int round = 0; round < affordable && !(best >= enough) && !meter.over(); ++round) {
        double used = round / affordable;
        // Time counts only where it is short, so that what it measures never shows otherwise.
        constexpr double late = 0.1;
        if (own.used() > used + late) used = own.used();
        const double sharper = std::pow(until_end, used);
        const double time = relaxation_.step_time(now_, longest);
        best = std::max(best, time);
        const auto choice =
            relaxation_.choose(std::max(best, floor), first_softness * unit_ * sharper);
        move(first_rate * sharper, choice.slopes);
        if (round % rounds_between_cuts == rounds_between_cuts - 1) {
            drop_cuts();
            add_cuts(choice);
        }
        constexpr double ahead = 1.2;
        if (round > rounds_between_cuts) longest = std::min(enough, ahead * std::max(best, time));
        const std::uint64_t spent = steps + now_.cuts.size() * 2 * pairs;
        own.spend(spent);
        meter.spend(spent);
    }
    return best;
}

void BoundAscent::move(double rate, const Multipliers& slopes) {
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

void BoundAscent::drop_cuts() {
    constexpr int tried = 60;
    std::size_t kept = 0;
    for (std::size_t cut = 0; cut < now_.cuts.size(); ++cut) {
        if (now_.cuts[cut].value == 0 && trends_.cuts[cut].steps > tried) continue;
        std::swap(now_.cuts[kept], now_.cuts[cut]);
        std::swap(trends_.cuts[kept++], trends_.cuts[cut]);
    }
    now_.cuts.resize(kept);
    trends_.cuts.resize(kept);
}

/// Sets of hosts that the chosen edges enter less than a ring would. Joins hosts by their heaviest
/// edges, as for a tree (Kruskal); each set on the way is tried.
void BoundAscent::add_cuts(const Relaxation::Choice& choice) {
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
            if (choice.edges(one, other) > least_weight)
                edges.push_back({choice.edges(one, other), one, other});
    std::ranges::stable_sort(edges, std::greater{}, &Edge::weight);
    std::vector<Host> set_of(hosts_);
    std::iota(set_of.begin(), set_of.end(), Host{0});
    for (const Edge& edge : edges) {
        const Host into = set_of[edge.one];
        const Host from = set_of[edge.other];
        if (into == from) continue;
        std::ranges::replace(set_of, from, into);
        if (std::ranges::count(set_of, into) + 1 >= hosts_ || now_.cuts.size() >= most_cuts) return;

        Multipliers::Cut cut{std::vector<char>(hosts_, 0), hosts_, hosts_, 0};
        for (Host host = 0; host < hosts_; ++host) {
            cut.in[host] = set_of[host] == into;
            Host& likeliest = cut.in[host] != 0 ? cut.inside : cut.outside;
            if (likeliest == hosts_ || choice.hosts[host] > choice.hosts[likeliest])
                likeliest = host;
        }
        double entered = 0;
        for (const Edge& other : edges)
            if (cut.in[other.one] != cut.in[other.other]) entered += other.weight;
        const double due = 2 * (choice.hosts[cut.inside] + choice.hosts[cut.outside] - 1);
        const bool known = std::ranges::any_of(now_.cuts, [&](const Multipliers::Cut& old) {
            return old.in == cut.in && old.inside == cut.inside;
        });
        if (known || due - entered < least_violation) continue;
        now_.cuts.push_back(std::move(cut));
        trends_.cuts.emplace_back();
    }
}

double least_alone(const Problem& problem) {
    double least = infinity;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        least = std::min(least, problem.work * problem.platform.cycle_time(host));
    return least;
}

/// Two hosts have four paths. Each is at best as wide as the widest path; and where the sum of
/// their rates is at most B, they take at least (sum of square roots of speeds)^2 H / B of work
/// from their senders, by the Cauchy-Schwarz inequality.
double two_hosts(const Problem& problem, const PathCosts& costs, RingSharing sharing, Host one,
                 Host other, double most_flow) {
    const double speeds[2] = {1 / problem.platform.cycle_time(one),
                              1 / problem.platform.cycle_time(other)};
    const PathCosts::Extremes paths[2] = {costs.extremes(one, other), costs.extremes(other, one)};
    double delays = 0;
    double sends = 0;
    double longest = 0;
    const double messages = sharing == RingSharing::fair ? 1 : 2;  // one after the other
    for (const int from : {0, 1}) {
        const double send = problem.exchange / paths[from].width;
        delays += messages * speeds[from] * paths[from].delay;
        sends += messages * speeds[from] * send;
        longest = std::max(longest, messages * (paths[from].delay + send));
    }
    if (sharing == RingSharing::reserved) {
        const double roots = 2 * (std::sqrt(speeds[0]) + std::sqrt(speeds[1]));
        sends = std::max(sends, problem.exchange * roots * roots / most_flow);
    }
    return std::max(longest, (problem.work + delays + sends) / (speeds[0] + speeds[1]));
}

}  // namespace

double bound_without_exchange(const Problem& problem) {
    double speed = 0;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        speed += 1 / problem.platform.cycle_time(host);
    return problem.work / speed;
}

double lower_bound(const Problem& problem, RingSharing sharing, const Limits& limits,
                   double enough) {
    Meter meter(limits);
    const double alone = least_alone(problem);
    const std::size_t hosts = problem.platform.hosts();
    const double floor = bound_without_exchange(problem);
    const double most = std::min(alone, enough);
    if (hosts == 1 || hosts > most_hosts || !(floor < most))
        return std::min(hosts == 1 ? alone : floor, enough) * (1 - given_back);

    BoundAscent ascent(problem, sharing);
    const auto& bandwidths = problem.platform.bandwidths();
    double least = most;
    if (hosts > 2) least = ascent.run(meter, most);
    for (Host one = 0; one < hosts; ++one)
        for (Host other = one + 1; other < hosts; ++other) {
            double two = two_hosts(problem, ascent.costs(), sharing, one, other,
                                   std::min(problem.platform.capacity_at(one, bandwidths),
                                            problem.platform.capacity_at(other, bandwidths)));
            // Of the only paths that there are, it can be told what they share.
            if (two < least && sharing == RingSharing::reserved && problem.platform.has_routes())
                two = optimal_rates(problem, embed(problem, {one, other})).division.step_time;
            least = std::min(least, two);
        }
    return std::max(least, std::min(floor, enough)) * (1 - given_back);
}

}  // namespace espalier::ring
