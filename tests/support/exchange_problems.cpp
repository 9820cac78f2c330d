#include "support/exchange_problems.hpp"

#include "plan/exchange/bound.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace espalier::test {

StatedFabric::StatedFabric(Matrix<double> gaps, Matrix<double> latencies)
    : gaps_(std::move(gaps)), latencies_(std::move(latencies)) {}

simulate::MessageCost StatedFabric::cost(std::size_t from, std::size_t to, Bytes) const {
    return {Seconds(gaps_(from, to)), Seconds(latencies_.rows() > 0 ? latencies_(from, to) : 0)};
}

simulate::CostFloor StatedFabric::floor(std::size_t from, std::size_t to, Bytes size) const {
    const auto of = cost(from, to, size);
    return {of.latency, of.gap.value / static_cast<double>(size.value), of.gap};
}

StatedExchange::StatedExchange(const Matrix<double>& gaps, Matrix<double> latencies,
                               std::size_t ports) {
    Matrix<Bytes> sizes(gaps.rows(), gaps.rows());
    for (std::size_t i = 0; i < gaps.rows(); ++i)
        for (std::size_t j = 0; j < gaps.rows(); ++j)
            if (i != j && gaps(i, j) > 0) sizes(i, j) = Bytes(1);
    fabric_ = std::make_unique<StatedFabric>(gaps, std::move(latencies));
    problem_ = {plan::exchange::make_problem(
        *fabric_,
        schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(std::move(sizes))),
        ports)};
}

StatedExchange::StatedExchange(network::Network network, const Matrix<double>& bytes,
                               std::size_t ports)
    : network_(std::make_unique<const network::Network>(std::move(network))),
      fabric_(simulate::make_fabric(*network_)) {
    auto sizes = std::make_shared<Matrix<Bytes>>(bytes.rows(), bytes.columns());
    for (std::size_t from = 0; from < bytes.rows(); ++from)
        for (std::size_t to = 0; to < bytes.columns(); ++to)
            (*sizes)(from, to) = Bytes(static_cast<std::uint64_t>(bytes(from, to)));
    problem_ = {plan::exchange::make_problem(*fabric_,
                                             schedule::exchange_of_sizes(std::move(sizes)), ports)};
}

network::Network behind_an_uplink() {
    network::GridNetwork grid = *uniform_grid(4, 1, 0, 0.01).grid();
    for (const std::size_t node : {0u, 1u})
        grid.links(node, 3)->latency = network::CostTable(Seconds(3));
    grid.links(0, 1)->latency = grid.links(1, 0)->latency = network::CostTable(Seconds(0.1));
    grid.shared.push_back({"uplink", BytesPerSecond(100), {{0, 2}, {0, 3}, {1, 2}, {1, 3}}});
    grid.transport = {Bytes(100), Seconds(0), network::Transport::Shares::evenly};
    return network::Network(std::move(grid));
}

double StatedExchange::bound() const { return plan::exchange::exchange_bound(problem_); }

schedule::Schedule StatedExchange::schedule(const demands::Found& found) const {
    auto schedule = make_schedule(problem_, found);
    for (std::size_t node = 0; node < problem_.nodes(); ++node)
        schedule.nodes[node] = fmt::format("n{}", node);
    if (const auto violation = schedule::find_violation(schedule)) ADD_FAILURE() << violation->what;
    return schedule;
}

schedule::Schedule StatedExchange::schedule(const plan::exchange::Found& found) const {
    return schedule(demands::as_found(problem_, found));
}

double StatedExchange::makespan(const demands::Found& found) const {
    return simulate::simulate(schedule(found), *fabric_).makespan.value;
}

double StatedExchange::makespan(const plan::exchange::Found& found) const {
    return makespan(demands::as_found(problem_, found));
}

Matrix<double> random_times(Random& random, std::size_t nodes, Times times) {
    const auto draw = [&]() -> double {
        switch (times) {
            case Times::even:
                return random.uniform(0.1, 1);
            case Times::ranges:
                return std::pow(10, random.uniform(-4, 0));
            case Times::whole:
                return static_cast<double>(1 + random.below(3));
            case Times::equal:
                return 1;
            case Times::sparse:
                return random.below(4) == 0 ? random.uniform(0.1, 1) : 0;
            case Times::few:
                return random.below(nodes) == 0 ? 1 : 1e-3 * random.uniform(0.1, 1);
        }
        return 0;
    };
    Matrix<double> drawn(nodes, nodes, 0);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            if (i != j) drawn(i, j) = draw();
    return drawn;
}

void for_random_times(std::uint64_t seed, std::size_t least, std::size_t most, int rounds,
                      const std::function<void(const Matrix<double>&, Random&)>& check) {
    Random random(seed);
    for (int round = 0; round < rounds; ++round)
        for (const Times times : all_times)
            check(random_times(random, least + random.below(most - least + 1), times), random);
}

Matrix<double> with_messages_to_oneself(const Matrix<double>& times) {
    Matrix<double> doubled(2 * times.rows(), 2 * times.rows(), 0);
    for (std::size_t to = 0; to < times.rows(); ++to)
        for (std::size_t from = 0; from < times.columns(); ++from)
            doubled(2 * from, 2 * to + 1) = times(to, from);
    return doubled;
}

}  // namespace espalier::test
