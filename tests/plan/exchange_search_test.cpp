// List scheduling: what the passes say, against the simulator; what the search reaches.
#include "core/infinity.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/list_schedule.hpp"
#include "plan/exchange/list_search.hpp"
#include "plan/exchange/open_shop.hpp"
#include "simulate/simulate.hpp"
#include "support/exchange_problems.hpp"
#include "support/plan_within.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace espalier::plan::exchange {
namespace {

using test::all_times;
using test::random_times;
using test::StatedExchange;
using test::Times;

Preferences random_preferences(Random& random, const Problem& problem) {
    Preferences preferences =
        Preferences::plain(problem, random.below(2) == 0 ? 0 : random.uniform(0.8, 1));
    preferences.length = random.uniform(0, 2);
    for (auto* factors : {&preferences.sender, &preferences.receiver})
        for (double& factor : *factors) factor = random.uniform(0.5, 1.5);
    return preferences;
}

double full_pass(ListScheduler& scheduler, const Preferences& preferences) {
    Meter meter(Limits{Seconds(1000)});
    return scheduler.pass(preferences, infinity, meter);
}

/// Costs as of links between GUSTO's sites (bhat-1998, Tables 1 and 2), for messages of 1 kB.
Matrix<double> gusto_times(Random& random, std::size_t nodes, double bytes) {
    Matrix<double> times(nodes, nodes, 0);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < i; ++j)
            times(i, j) = times(j, i) =
                random.uniform(0.0045, 0.0895) + bytes * 8 / random.uniform(246e3, 4976e3);
    return times;
}

TEST(ListScheduler, passes_take_no_longer_than_they_say) {
    // They list messages as these start; left alone, some of those that wait for the pace start
    // sooner, and none later.
    Random random(1);
    for (int round = 0; round < 6; ++round)
        for (const Times times : all_times) {
            const std::size_t nodes = 1 + random.below(70);
            const StatedExchange exchange(random_times(random, nodes, times), {},
                                          1 + random.below(3));
            const Problem& problem = exchange.problem();
            if (problem.messages.empty()) continue;
            ListScheduler scheduler(problem);
            const Preferences preferences = random_preferences(random, problem);
            const double makespan = full_pass(scheduler, preferences);
            EXPECT_GE(makespan, exchange.bound() * (1 - 1e-12));
            const Found found{.order = scheduler.messages()};
            EXPECT_LE(exchange.makespan(found), makespan * (1 + 1e-12));
            if (preferences.pace == 0) {
                EXPECT_NEAR(exchange.makespan(found), makespan, 1e-9);
                EXPECT_LE(makespan, 2 * exchange.bound());
            }
        }
}

TEST(ListScheduler, gives_up_only_what_is_not_better) {
    Random random(2);
    for (int round = 0; round < 50; ++round) {
        const StatedExchange exchange(random_times(random, 12, Times::even));
        ListScheduler scheduler(exchange.problem());
        const Preferences preferences = random_preferences(random, exchange.problem());
        const double makespan = full_pass(scheduler, preferences);
        Meter meter({});
        EXPECT_EQ(scheduler.pass(preferences, makespan * (1 + 1e-9), meter), makespan);
        EXPECT_EQ(scheduler.pass(preferences, makespan * (1 - 1e-9), meter), infinity);
    }
}

TEST(ListScheduler, passes_over_latencies_take_no_longer_than_they_say) {
    Random random(3);
    for (int round = 0; round < 20; ++round)
        for (const Times times : all_times) {
            const std::size_t nodes = 2 + random.below(20);
            const StatedExchange exchange(random_times(random, nodes, times),
                                          random_times(random, nodes, Times::even));
            if (exchange.problem().messages.empty()) continue;
            ListScheduler scheduler(exchange.problem());
            const double makespan =
                full_pass(scheduler, random_preferences(random, exchange.problem()));
            const Found found{.order = scheduler.messages()};
            EXPECT_LE(exchange.makespan(found), makespan * (1 + 1e-12));
        }
}

/// A fifth of the nodes are servers, whose messages take a hundred times as long.
Matrix<double> server_times(Random& random, std::size_t nodes) {
    Matrix<double> times = random_times(random, nodes, Times::even);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            if (i < nodes / 5 || j < nodes / 5) times(i, j) *= 100;
    return times;
}

TEST(ListScheduler, looks_at_few_messages_for_each_that_it_starts) {
    Random random(7);
    constexpr std::size_t nodes = 120;
    for (const bool servers : {false, true})
        for (const bool lagging : {false, true})
            for (const double pace : {0.0, 0.95}) {
                const StatedExchange exchange(
                    servers ? server_times(random, nodes) : gusto_times(random, nodes, 1e6),
                    lagging ? random_times(random, nodes, Times::even) : Matrix<double>());
                ListScheduler scheduler(exchange.problem());
                full_pass(scheduler, Preferences::plain(exchange.problem(), pace));
                EXPECT_EQ(scheduler.messages().size(), exchange.problem().messages.size());
                EXPECT_LE(scheduler.looks(), 2 * nodes * exchange.problem().messages.size())
                    << servers << lagging << pace;
            }
}

TEST(ListSearch, plans_all_messages_even_where_no_pass_fits_its_limit) {
    Random random(8);
    const StatedExchange exchange(server_times(random, 200));
    const Problem& problem = exchange.problem();
    ListScheduler scheduler(problem);
    Meter none(Limits{Seconds(0)});
    EXPECT_EQ(scheduler.pass(Preferences::plain(problem, 0.95), infinity, none), infinity);
    EXPECT_LT(scheduler.messages().size(), problem.messages.size());
    const Found found = test::plan_within(Limits{Seconds(0)}, list_search, problem);
    EXPECT_EQ(std::set(found.order.begin(), found.order.end()).size(), problem.messages.size());
    EXPECT_EQ(found.order.size(), problem.messages.size());
}

TEST(ListSearch, is_within_a_percent_of_the_bound_for_fifty_nodes_after_some_thirty_passes) {
    Random random(4);
    Limits limits;
    limits.work = std::uint64_t{30} * 2450 * 16;
    for (const auto& [bytes, most] : {std::pair(1e3, 1.01), std::pair(1e6, 1.003)}) {
        double sum = 0;
        constexpr int rounds = 5;
        for (int round = 0; round < rounds; ++round) {
            const StatedExchange exchange(gusto_times(random, 50, bytes));
            sum += exchange.makespan(test::plan_within(limits, list_search, exchange.problem())) /
                   exchange.bound();
        }
        EXPECT_LE(sum / rounds, most) << bytes;
    }
}

TEST(ListSearch, is_the_same_each_time_for_the_same_work) {
    Random random(5);
    Limits limits;
    limits.time = Seconds(1000);
    limits.work = 300'000;
    for (const bool lagging : {false, true}) {
        const StatedExchange exchange(
            random_times(random, 20, Times::even),
            lagging ? random_times(random, 20, Times::ranges) : Matrix<double>());
        EXPECT_EQ(test::plan_within(limits, list_search, exchange.problem()).order,
                  test::plan_within(limits, list_search, exchange.problem()).order);
    }
}

TEST(ListSearch, gives_up_before_its_limit_where_nothing_better_comes) {
    Random random(6);
    const StatedExchange exchange(random_times(random, 7, Times::even),
                                  random_times(random, 7, Times::even));
    Meter meter(Limits{Seconds(1000)});
    const Order order = search_lists(exchange.problem(), meter);
    EXPECT_LT(meter.spent(), 10'000'000u);
    EXPECT_EQ(order.size(), exchange.problem().messages.size());
}

/// `pairs` pairs of nodes, each with one message of 100 bytes that alone takes 1 s, over a link
/// that carries `at_once` of them at full speed.
class OneLink final : public simulate::Fabric {
public:
    OneLink(std::size_t pairs, double at_once) : pairs_(pairs), link_{{"link", 100 * at_once}} {}
    [[nodiscard]] std::size_t nodes() const override { return 2 * pairs_; }
    [[nodiscard]] simulate::MessageCost cost(std::size_t, std::size_t, Bytes) const override {
        return {Seconds(1), Seconds(0.25)};
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t, std::size_t, Bytes) const override {
        return {};
    }
    [[nodiscard]] std::span<const simulate::Capacity> capacities() const override { return link_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t, std::size_t) const override {
        static constexpr std::uint32_t first[] = {0};
        return first;
    }

private:
    std::size_t pairs_;
    std::vector<simulate::Capacity> link_;
};

Problem one_link_problem(const OneLink& fabric) {
    Matrix<Bytes> sizes(fabric.nodes(), fabric.nodes());
    for (std::size_t pair = 0; 2 * pair < fabric.nodes(); ++pair)
        sizes(2 * pair, 2 * pair + 1) = Bytes(100);
    return make_problem(fabric, schedule::exchange_of_sizes(
                                    std::make_shared<const Matrix<Bytes>>(std::move(sizes))));
}

double makespan_of(const Problem& problem, const Found& found) {
    return simulate::simulate(make_schedule(problem, found), *problem.fabric).makespan.value;
}

TEST(ListScheduler, counts_what_a_link_carries) {
    for (const double at_once : {1.0, 2.0, 1.5, 0.5}) {
        const OneLink fabric(6, at_once);
        const Problem problem = one_link_problem(fabric);
        ListScheduler scheduler(problem);
        // Six messages fill the link from the beginning to the end.
        EXPECT_NEAR(full_pass(scheduler, Preferences::plain(problem, 0)), 6 / at_once + 0.25, 1e-9)
            << at_once;
        EXPECT_NEAR(makespan_of(problem, test::plan_within({}, list_search, problem)),
                    exchange_bound(problem), 1e-9);
    }
}

TEST(ListSearch, over_a_shared_link_is_no_worse_than_open_shop) {
    // Two sites of six nodes; all messages between them share one link.
    class Sites final : public simulate::Fabric {
    public:
        [[nodiscard]] std::size_t nodes() const override { return 12; }
        [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to,
                                                 Bytes) const override {
            const bool far = from / 6 != to / 6;
            return {Seconds(far ? 0.1 : 0.02), Seconds(far ? 0.05 : 0)};
        }
        [[nodiscard]] simulate::CostFloor floor(std::size_t, std::size_t, Bytes) const override {
            return {};
        }
        [[nodiscard]] std::span<const simulate::Capacity> capacities() const override {
            return link_;
        }
        [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                           std::size_t to) const override {
            static constexpr std::uint32_t first[] = {0};
            if (from / 6 == to / 6) return {};
            return first;
        }

    private:
        std::vector<simulate::Capacity> link_{{"link", 1000}};
    };
    const Sites fabric;
    const Problem problem =
        make_problem(fabric, {.kind = schedule::Kind::alltoall, .nodes = 12, .bytes = Bytes(100)});
    Limits limits;
    limits.work = 500'000;
    const double searched = makespan_of(problem, test::plan_within(limits, list_search, problem));
    EXPECT_LE(searched, makespan_of(problem, test::plan_within(limits, open_shop, problem)));
    EXPECT_LE(searched, exchange_bound(problem) * 1.02);
}

}  // namespace
}  // namespace espalier::plan::exchange
