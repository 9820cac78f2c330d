#include "ring/fair_share.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace espalier::ring {

namespace {

std::vector<simulate::FairLinks::Link> links_of(const Platform& platform) {
    std::vector<simulate::FairLinks::Link> links;
    for (LinkId link = 0; link < platform.links(); ++link)
        links.push_back({platform.link(link).bandwidth, platform.link(link).shared});
    return links;
}

simulate::RingTraffic traffic_of(const Problem& problem, const std::vector<Host>& order) {
    simulate::RingTraffic traffic;
    traffic.exchange = problem.exchange;
    const std::size_t n = order.size();
    const auto message = [&](Host from, Host to) {
        const Path& path = problem.routes(from, to);
        return simulate::RingTraffic::Message{problem.delay(from, to, path), path, 0,
                                              problem.weight(from, to, path)};
    };
    for (std::size_t place = 0; n > 1 && place < n; ++place) {
        traffic.to_successor.push_back(message(order[place], order[(place + 1) % n]));
        traffic.to_predecessor.push_back(message(order[place], order[(place + n - 1) % n]));
    }
    return traffic;
}

void normalise(std::vector<double>& shares) {
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
}

/// The place whose messages, its own and those for it, take longest together.
std::size_t farthest(const simulate::RingSteps& steps) {
    const std::size_t n = steps.to_successor.size();
    std::vector<double> times(n, 0);
    for (std::size_t place = 0; place < n; ++place) {
        const double forward = 1 / steps.to_successor[place];
        const double backward = 1 / steps.to_predecessor[place];
        times[place] += forward + backward;
        times[(place + 1) % n] += forward;
        times[(place + n - 1) % n] += backward;
    }
    return static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
}

void leave_out(std::size_t place, std::vector<Host>& order, std::vector<double>& shares) {
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
    shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(place));
    normalise(shares);
}

}  // namespace

std::vector<double> speed_shares(const Problem& problem, const std::vector<Host>& hosts) {
    std::vector<double> shares;
    for (const Host host : hosts) shares.push_back(1 / problem.platform.cycle_time(host));
    normalise(shares);
    return shares;
}

FairShare::FairShare(const Problem& problem)
    : problem_(problem), simulator_(links_of(problem.platform)) {}

simulate::RingSteps FairShare::simulate(const std::vector<Host>& order,
                                        const std::vector<double>& shares,
                                        const simulate::RingHorizon& horizon) {
    std::vector<double> computing;
    for (std::size_t place = 0; place < order.size(); ++place)
        computing.push_back(shares[place] * problem_.work *
                            problem_.platform.cycle_time(order[place]));
    constexpr std::size_t steps_of_a_host = 500;
    spent_ += order.size() * (horizon.settling + horizon.measured) * steps_of_a_host;
    return simulator_.run(traffic_of(problem_, order), computing, schedule::RingSharing::fair,
                          horizon);
}

Solution FairShare::evaluate(std::vector<Host> order, std::vector<double> shares,
                             const simulate::RingHorizon& horizon) {
    const simulate::RingSteps steps = simulate(order, shares, horizon);
    Solution solution;
    solution.embedding = embed(problem_, std::move(order));
    solution.rates = {steps.to_successor, steps.to_predecessor};
    solution.division = {steps.step_time, std::move(shares)};
    return solution;
}

Solution FairShare::divide(std::vector<Host> order, const Balancing& balancing,
                           const std::vector<double>& start) {
    std::vector<double> shares = speed_shares(problem_, order);
    if (!start.empty()) {
        for (std::size_t place = 0; place < order.size(); ++place)
            if (start[order[place]] > 0) shares[place] = start[order[place]];
        normalise(shares);
    }
    struct {
        std::vector<Host> order;
        std::vector<double> shares;
        double step_time = infinity;
    } best;
    for (std::size_t round = 0; round < balancing.rounds; ++round) {
        const simulate::RingSteps steps = simulate(order, shares, balancing.horizon);
        if (steps.step_time < best.step_time) best = {order, shares, steps.step_time};
        if (order.size() == 1) break;
        const Division division = divide_work(problem_, order, steps.sending);
        const double longest = *std::max_element(steps.sending.begin(), steps.sending.end());
        const bool bound_by_messages = longest >= division.step_time * (1 - 1e-12);
        if (bound_by_messages && round > 0) {
            leave_out(farthest(steps), order, shares);
            continue;
        }
        if (division.step_time >= steps.step_time * (1 - 1e-6) && round > 0) break;
        for (std::size_t place = 0; place < order.size(); ++place)
            shares[place] = (shares[place] + division.shares[place]) / 2;
    }
    return evaluate(std::move(best.order), std::move(best.shares), balancing.horizon);
}

}  // namespace espalier::ring
