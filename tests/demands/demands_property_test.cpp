#include "demands/bounds.hpp"
#include "demands/exchange_plan.hpp"
#include "plan/algorithm.hpp"
#include "schedule/demands.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "support/exchange_oracle.hpp"
#include "support/exchange_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace espalier::demands {
namespace {

using espalier::test::best_of_all_orders;
using espalier::test::simulated_score;
using espalier::test::StatedFabric;

/// An exchange with demands, on a fabric of stated times.
struct Demanding {
    StatedFabric fabric;
    ExchangeRequest request;
    Problem problem;
    std::vector<std::string> names;

    Demanding(Matrix<double> gaps, Matrix<double> latencies, const Matrix<Bytes>& sizes)
        : fabric(std::move(gaps), std::move(latencies)) {
        request.collective =
            schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(sizes));
        request.limits = {Seconds(5), 2'000'000};
        for (std::size_t node = 0; node < sizes.rows(); ++node)
            names.push_back("n" + std::to_string(node));
    }
    void finish() { problem = make_exchange_problem(fabric, request); }
};

/// At most `most` messages between three or four nodes; with whole times there are many ties.
std::unique_ptr<Demanding> draw(Random& random, std::size_t most) {
    const std::size_t nodes = 3 + random.below(2);
    const bool whole = random.below(2) == 0;
    const bool latencies = random.below(3) == 0;
    const auto time = [&] {
        return whole ? static_cast<double>(1 + random.below(3)) : random.uniform(0.1, 3);
    };
    Matrix<double> gaps(nodes, nodes, 0);
    Matrix<double> delays(nodes, nodes, 0);
    Matrix<Bytes> sizes(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j) {
            if (i == j) continue;
            gaps(i, j) = time();
            if (latencies) delays(i, j) = time();
        }
    for (std::size_t m = 0; m < most; ++m) {
        const std::size_t from = random.below(nodes);
        const std::size_t to = random.below(nodes);
        if (from != to) sizes(from, to) = Bytes(1);
    }
    auto drawn = std::make_unique<Demanding>(std::move(gaps), std::move(delays), sizes);
    const std::size_t kind = random.below(3);  // deadlines, a critical node, or both
    if (kind != 0) drawn->request.critical = random.below(nodes);
    if (kind != 1) {
        drawn->request.dues = {nodes, nodes};
        for (std::size_t i = 0; i < nodes; ++i)
            for (std::size_t j = 0; j < nodes; ++j) {
                if (random.below(4) != 0)
                    drawn->request.dues(i, j).deadline = time() * random.uniform(0.5, 3);
                if (random.below(2) == 0)
                    drawn->request.dues(i, j).priority = static_cast<double>(1 + random.below(4));
            }
    }
    drawn->finish();
    return drawn;
}

void expect_same(const Score& a, const Score& b) {
    EXPECT_NEAR(a.critical, b.critical, 1e-9);
    EXPECT_NEAR(a.missed, b.missed, 1e-9);
    EXPECT_NEAR(a.tardiness, b.tardiness, 1e-8);
    EXPECT_NEAR(a.makespan, b.makespan, 1e-9);
}

TEST(ExchangeQosProperty, optimal_is_the_best_of_all_orders_by_every_part_of_the_score) {
    Random random(11);
    for (int trial = 0; trial < 60; ++trial) {
        const auto drawn = draw(random, 8);
        if (drawn->problem.messages.empty()) continue;
        drawn->request.algorithm = "optimal";
        const auto plan = plan_exchange(drawn->fabric, drawn->names, drawn->request);
        ASSERT_FALSE(schedule::find_violation(plan.schedule));
        const Score found = score_of(drawn->problem, plan.schedule, plan.timeline);
        const Score best = best_of_all_orders(drawn->problem, better);
        SCOPED_TRACE(trial);
        EXPECT_TRUE(plan.optimal);
        expect_same(found, best);
    }
}

TEST(ExchangeQosProperty, bounds_hold_for_all_orders) {
    Random random(12);
    const auto by = [](auto field) {
        return [=](const Score& a, const Score& b) { return a.*field < b.*field; };
    };
    for (int trial = 0; trial < 60; ++trial) {
        const auto drawn = draw(random, 6);
        if (drawn->problem.messages.empty()) continue;
        SCOPED_TRACE(trial);
        const Problem& problem = drawn->problem;
        const Score any = any_bounds(problem);
        const Score direct = direct_bounds(problem);
        const double critical = best_of_all_orders(problem, by(&Score::critical)).critical;
        const double missed = best_of_all_orders(problem, by(&Score::missed)).missed;
        EXPECT_LE(direct.critical, critical + 1e-9);
        EXPECT_LE(any.critical, critical + 1e-9);
        EXPECT_LE(direct.missed, missed + 1e-9);
        EXPECT_LE(any.missed, missed + 1e-9);
        EXPECT_LE(any.makespan, best_of_all_orders(problem, by(&Score::makespan)).makespan + 1e-9);
        drawn->request.algorithm = "auto";
        const auto plan = plan_exchange(drawn->fabric, drawn->names, drawn->request);
        EXPECT_LE(plan.critical_bound.value,
                  schedule::critical_done(plan.schedule, plan.timeline).value + 1e-9);
        if (plan.scope == schedule::BoundScope::whole_message) {
            EXPECT_LE(plan.missed_bound, missed + 1e-9);
            EXPECT_LE(plan.critical_bound.value, critical + 1e-9);
        }
    }
}

TEST(ExchangeQosProperty, quick_times_are_the_simulators) {
    Random random(13);
    for (int trial = 0; trial < 200; ++trial) {
        const auto drawn = draw(random, 8);
        Problem problem = drawn->problem;
        problem.ports = 1 + random.below(3);
        Order order;
        for (std::size_t m = 0; m < problem.messages.size(); ++m) {
            const Message& message = problem.messages[m];
            const std::size_t relay = random.below(problem.nodes());
            if (relay == message.from || relay == message.to) {
                order.push_back(direct(problem, m));
            } else {
                order.push_back({m, message.from, relay});
                order.push_back({m, relay, message.to});
            }
        }
        expect_same(score_of(problem, ends_of(problem, order)), simulated_score(problem, order));
    }
}

TEST(ExchangeQosProperty, planners_for_demands_bring_every_message_to_its_receiver) {
    Random random(14);
    for (int trial = 0; trial < 30; ++trial) {
        const auto drawn = draw(random, 12);
        drawn->request.ports = 1 + random.below(2);
        drawn->request.relays = random.below(2) == 0;
        drawn->request.limits = {Seconds(5), 20'000};
        for (const char* name : {"demands-first", "staged"}) {
            drawn->request.algorithm = name;
            const auto plan = plan_exchange(drawn->fabric, drawn->names, drawn->request);
            const auto violation = schedule::find_violation(plan.schedule);
            EXPECT_FALSE(violation) << name << ": " << violation->what;
            EXPECT_LE(plan.any_bound, plan.timeline.makespan * (1 + 1e-9));
            EXPECT_LE(plan.lower_bound, plan.timeline.makespan * (1 + 1e-9));
        }
    }
}

/// Pairs with a start-up and a bandwidth, some with caps of their nodes or a shared link.
network::Network random_network(Random& random, std::size_t nodes) {
    network::PairwiseNetwork pairs;
    for (std::size_t node = 0; node < nodes; ++node)
        pairs.nodes.push_back("n" + std::to_string(node));
    pairs.startup = {nodes, nodes};
    pairs.bandwidth = {nodes, nodes};
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j) {
            pairs.startup(i, j) = Seconds(random.below(2) == 0 ? 0 : random.uniform(0.01, 2));
            pairs.bandwidth(i, j) = BytesPerSecond(std::pow(10, random.uniform(0, 2)));
        }
    if (random.below(2) == 0)
        for (std::size_t i = 0; i < nodes; ++i)
            pairs.egress.emplace_back(std::pow(10, random.uniform(0, 2)));
    if (random.below(2) == 0)
        for (std::size_t i = 0; i < nodes; ++i)
            pairs.ingress.emplace_back(std::pow(10, random.uniform(0, 2)));
    return network::Network(pairs);
}

/// Any way of doing it: messages in pieces, each piece on a way of its own, in segments.
schedule::Schedule any_schedule(Random& random, const Problem& problem) {
    schedule::Schedule schedule;
    schedule.collective = problem.collective;
    for (std::size_t node = 0; node < problem.nodes(); ++node)
        schedule.nodes.push_back("n" + std::to_string(node));
    schedule.ports.count = problem.ports;
    schedule.reception = problem.reception;
    std::vector<std::vector<schedule::Transfer>> paths;
    for (const Message& message : problem.messages) {
        const std::uint64_t first = random.below(3) == 0 ? random.below(message.bytes.value) : 0;
        for (const std::uint64_t bytes : {first, message.bytes.value - first}) {
            if (bytes == 0) continue;
            const std::size_t chunk = schedule.chunks.size();
            schedule.chunks.push_back(
                {Bytes(bytes), 1 + random.below(4), message.from, message.to});
            const std::size_t relay = random.below(2 * problem.nodes());
            auto& path = paths.emplace_back();
            if (relay >= problem.nodes() || relay == message.from || relay == message.to) {
                path.push_back({message.from, message.to, chunk});
            } else {
                path.push_back({message.from, relay, chunk});
                path.push_back({relay, message.to, chunk});
            }
        }
    }
    // The hops of all paths, mixed.
    while (!paths.empty()) {
        const std::size_t w = random.below(paths.size());
        schedule.transfers.push_back(paths[w].front());
        paths[w].erase(paths[w].begin());
        if (paths[w].empty()) paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(w));
    }
    return schedule;
}

TEST(ExchangeQosProperty, no_schedule_of_any_kind_beats_the_bound_for_all) {
    Random random(15);
    double nearest = 100;
    for (int trial = 0; trial < 40; ++trial) {
        const std::size_t nodes = 2 + random.below(3);
        const auto network = random_network(random, nodes);
        const auto fabric = simulate::make_fabric(network);
        ExchangeRequest request;
        Matrix<Bytes> sizes(nodes, nodes);
        for (std::size_t i = 0; i < nodes; ++i)
            for (std::size_t j = 0; j < nodes; ++j)
                if (i != j && random.below(2) == 0) sizes(i, j) = Bytes(1 + random.below(40));
        request.collective =
            schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(sizes));
        request.ports = 1 + random.below(3);
        if (random.below(3) == 0)
            request.reception = {schedule::Reception::Mode::interleaved, random.uniform(0, 0.5)};
        request.critical = random.below(nodes);
        const Problem problem = make_exchange_problem(*fabric, request);
        if (problem.messages.empty()) continue;
        const Score bound = any_bounds(problem);
        for (int attempt = 0; attempt < 40; ++attempt) {
            auto schedule = any_schedule(random, problem);
            schedule.critical = problem.critical;
            ASSERT_FALSE(schedule::find_violation(schedule));
            const auto timeline = simulate::simulate(schedule, *fabric);
            EXPECT_LE(bound.makespan, timeline.makespan.value * (1 + 1e-9)) << trial;
            double done = 0;  // a message in pieces is there with the last
            for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
                const auto& chunk = schedule.chunks[schedule.transfers[t].chunk];
                if (chunk.source == schedule.critical || chunk.target == schedule.critical)
                    done = std::max(done, timeline.transfers[t].end.value);
            }
            EXPECT_LE(bound.critical, done * (1 + 1e-9)) << trial;
            nearest = std::min(nearest, timeline.makespan.value / bound.makespan);
        }
    }
    EXPECT_LT(nearest, 1.001) << "the bound is never reached";
}

}  // namespace
}  // namespace espalier::demands
