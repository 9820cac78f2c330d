#include "call.hpp"

#include "core/infinity.hpp"
#include "network/convert.hpp"
#include "plan/race.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace espalier::bench {

namespace {

network::GridNetwork grid_of(const Call& call, const Matrix<Seconds>& latencies,
                             Matrix<std::optional<double>> spread = {}) {
    const std::size_t size = latencies.rows();
    network::PairwiseNetwork network{.nodes = {},
                                     .startup = Matrix<std::optional<Seconds>>(size, size),
                                     .bandwidth = Matrix<std::optional<BytesPerSecond>>(size, size),
                                     .egress = {},
                                     .ingress = {},
                                     .cycle_times = {},
                                     .spread = std::move(spread)};
    for (std::size_t i = 0; i < size; ++i) {
        network.nodes.push_back(fmt::format("n{}", i));
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            network.startup(i, j) = latencies(i, j);
            network.bandwidth(i, j) = call.bandwidth;
        }
    }
    return call.start_up == StartUp::busy ? to_grid(network) : to_grid_in_flight(network);
}

plan::Request request_of(const Call& call) {
    plan::Request request;
    request.kind = schedule::Kind::broadcast;
    request.bytes = call.bytes;
    request.algorithm = call.algorithm;
    request.segmenting = {};
    request.bounded = false;
    return request;
}

/// The sum of the times at which nodes are done, in seconds.
double all_done(const plan::Ranked& ranked) {
    if (!ranked.simulated) return infinity;
    double sum = 0;
    for (const Seconds done : ranked.plan.timeline.completion) sum += done.value;
    return sum;
}

}  // namespace

schedule::Plan plan_call(const Call& call, const Matrix<Seconds>& latencies, Trust trust) {
    const network::GridNetwork grid = grid_of(call, latencies);
    const network::GridView view(grid);
    const plan::Request request = request_of(call);
    plan::Race race =
        plan::race(plan::Job::everywhere(view), request, Limits{Seconds(1e8), call.steps});
    const auto chosen = trust == Trust::exact ? race.ranked.begin()
                                              : std::ranges::min_element(race.ranked, {}, all_done);
    if (const auto violation = find_violation(chosen->plan.schedule))
        throw std::runtime_error(violation->what);
    return std::move(chosen->plan);
}

schedule::Plan plan_call(const Call& call, const Matrix<Seconds>& latencies, Hedge hedge) {
    const network::GridNetwork grid = grid_of(call, latencies, std::move(hedge.spread));
    const network::GridView view(grid);
    plan::Request request = request_of(call);
    request.robust = hedge.percentile;
    plan::Race race =
        plan::race(plan::Job::everywhere(view), request, Limits{Seconds(1e8), call.robust_steps});
    schedule::Plan plan = std::move(race.ranked.front().plan);
    if (const auto violation = find_violation(plan.schedule))
        throw std::runtime_error(violation->what);
    return plan;
}

schedule::Timeline run_call(const Call& call, const schedule::Schedule& schedule,
                            const Matrix<Seconds>& latencies) {
    const network::GridNetwork grid = grid_of(call, latencies);
    const network::GridView view(grid);
    return simulate::simulate(schedule, *plan::fabric_of(plan::Job::everywhere(view)));
}

}  // namespace espalier::bench
