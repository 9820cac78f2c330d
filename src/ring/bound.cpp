#include "ring/bound.hpp"

#include "ring/bound_ascent.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::ring {
namespace {

using schedule::RingSharing;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// What rounding may have added to a bound.
constexpr double given_back = 1e-9;
/// Above it a table of all pairs of hosts takes too much memory.
constexpr std::size_t most_hosts = 3000;

double least_alone(const Problem& problem) {
    double least = infinity;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        least = std::min(least, problem.work * problem.platform.cycle_time(host));
    return least;
}

/// The most that can flow between each host and the rest of the network: the sum of its links.
std::vector<double> attachments(const Problem& problem) {
    const Platform& platform = problem.platform;
    std::vector<double> sums(platform.hosts(), infinity);
    if (platform.has_routes()) return sums;
    std::vector<char> counted(platform.links(), 0);
    std::vector<std::vector<LinkId>> links(platform.vertices());
    for (Vertex vertex = 0; vertex < platform.vertices(); ++vertex)
        for (const auto& arc : platform.leaving(vertex)) {
            links[vertex].push_back(arc.link);
            links[arc.to].push_back(arc.link);
        }
    for (Host host = 0; host < platform.hosts(); ++host) {
        auto& own = links[platform.vertex_of(host)];
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        sums[host] = 0;
        for (const LinkId link : own)
            sums[host] += platform.link(link).shared ? platform.link(link).bandwidth : infinity;
    }
    return sums;
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

double bound(const Problem& problem, RingSharing sharing, std::span<const double> prices,
             const Limits& limits, double enough) {
    Meter meter(limits);
    const double alone = least_alone(problem);
    const std::size_t hosts = problem.platform.hosts();
    const double floor = bound_without_exchange(problem);
    const double most = std::min(alone, enough);
    if (hosts == 1 || hosts > most_hosts || !(floor < most))
        return std::min(hosts == 1 ? alone : floor, enough) * (1 - given_back);

    BoundAscent ascent(problem, sharing);
    const auto attached = attachments(problem);
    double least = most;
    if (hosts > 2) least = ascent.run(meter, prices, most);
    for (Host one = 0; one < hosts; ++one)
        for (Host other = one + 1; other < hosts; ++other) {
            double two = two_hosts(problem, ascent.costs(), sharing, one, other,
                                   std::min(attached[one], attached[other]));
            if (hosts > 2 && two < least) two = std::max(two, ascent.step_time_of_two(one, other));
            least = std::min(least, two);
        }
    return std::max(least, std::min(floor, enough)) * (1 - given_back);
}

}  // namespace

double bound_without_exchange(const Problem& problem) {
    double speed = 0;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        speed += 1 / problem.platform.cycle_time(host);
    return problem.work / speed;
}

double lower_bound(const Problem& problem, std::span<const double> prices, const Limits& limits,
                   double enough) {
    return bound(problem, RingSharing::reserved, prices, limits, enough);
}

double fair_lower_bound(const Problem& problem, const Limits& limits, double enough) {
    return bound(problem, RingSharing::fair, {}, limits, enough);
}

}  // namespace espalier::ring
