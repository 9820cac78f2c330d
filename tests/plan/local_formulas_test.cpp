#include "plan/local/d_ary.hpp"
#include "plan/local/scatter_collect.hpp"
#include "plan/local/shapes.hpp"
#include "plan/local_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace espalier::plan::local::test {

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

const std::set<std::string> printed_in_table_1{"flat",
                                               "flat-rendezvous",
                                               "flat-segmented",
                                               "chain",
                                               "chain-rendezvous",
                                               "chain-segmented",
                                               "binary",
                                               "binomial",
                                               "binomial-rendezvous",
                                               "binomial-segmented",
                                               "scatter-collect"};

/// Networks on which latency, the cost of a message or that of a byte dominates.
std::vector<network::PLogP> networks() {
    return {
        constant(10, 1),       constant(1, 10),          constant(0, 1),          constant(5, 0),
        linear(1e-3, 0, 1e-8), linear(1e-5, 1e-5, 1e-8), linear(0.1, 1e-6, 1e-9), gigabit()};
}

template <typename Check>
void for_every_cluster(std::uint64_t bytes, const Check& check) {
    const auto all = networks();
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t nodes = 2; nodes <= 40; ++nodes) {
            SCOPED_TRACE("network " + std::to_string(i) + ", " + std::to_string(nodes) + " nodes");
            check(problem(nodes, bytes, all[i]));
        }
}

double simulated(const Strategy& strategy, const Problem& instance, std::size_t segments = 1) {
    return simulated_makespan(strategy.make(instance, 0, segments), instance.link).value;
}

double printed(const Strategy& strategy, const Problem& instance, std::size_t segments = 1) {
    return strategy.formula(instance, segments).value;
}

double gap(const Problem& instance, std::uint64_t bytes) {
    return instance.link.gap(Bytes(bytes)).value;
}
double gap(const Problem& instance) { return gap(instance, instance.bytes.value); }
double latency(const Problem& instance) { return instance.link.latency(instance.bytes).value; }
double count(std::size_t number) { return static_cast<double>(number); }

void expect_close(double actual, double expected) {
    EXPECT_NEAR(actual, expected, 1e-9 * std::max(actual, expected));
}

/// The last of all nodes of a binomial tree, where every hop but the sends before it costs `hop`.
double last_of_binomial(std::size_t nodes, double gap, double hop) {
    double last = 0;
    for (std::size_t node = 1; node < nodes; ++node)
        last = std::max(last, count(static_cast<std::size_t>(std::bit_width(node))) * gap +
                                  count(static_cast<std::size_t>(std::popcount(node))) * hop);
    return last;
}

}  // namespace

TEST(LocalSimulation, agrees_with_an_independent_event_simulation) {
    for (const auto& [name, strategy] : strategies())
        for (const auto& link : networks())
            for (const std::size_t nodes : {1U, 2U, 3U, 6U, 8U, 13U, 32U})
                for (const std::uint64_t bytes : {0U, 1U, 99'991U})
                    for (const std::size_t segments : {1U, 3U, 10U}) {
                        SCOPED_TRACE(name + ", " + std::to_string(nodes) + " nodes, " +
                                     std::to_string(bytes) + " B, " + std::to_string(segments));
                        const auto schedule =
                            strategy.make(problem(nodes, bytes, link), nodes / 2, segments);
                        expect_close(simulated_makespan(schedule, link).value,
                                     reference_makespan(schedule, link).value);
                    }
}

TEST(LocalFormulas, of_flat_and_chain_are_exact) {
    for_every_cluster(99'991, [](const Problem& instance) {
        expect_close(printed(flat(), instance), simulated(flat(), instance));
        expect_close(printed(chain(), instance), simulated(chain(), instance));
        expect_close(printed(chain_rendezvous(), instance),
                     simulated(chain_rendezvous(), instance));
    });
}

TEST(LocalFormulas, of_segmented_flat_and_chain_are_exact_for_equal_segments) {
    for (const std::size_t segments : {1U, 2U, 16U})
        for_every_cluster(mebibyte, [&](const Problem& instance) {
            for (const auto& strategy : {flat_segmented(), chain_segmented()})
                expect_close(printed(strategy, instance, segments),
                             simulated(strategy, instance, segments));
        });
}

TEST(LocalFormulas, that_no_paper_prints_are_exact_for_equal_segments) {
    std::size_t ours = 0;
    for (const NamedStrategy& named : strategies()) {
        if (printed_in_table_1.contains(named.name)) continue;
        SCOPED_TRACE(named.name);
        ++ours;
        for (const std::size_t segments : {1U, 2U, 16U})
            for_every_cluster(mebibyte, [&](const Problem& instance) {
                expect_close(printed(named.strategy, instance, segments),
                             simulated(named.strategy, instance, segments));
            });
    }
    EXPECT_EQ(ours + printed_in_table_1.size(), strategies().size());
}

TEST(LocalFormulas, of_segmented_strategies_are_bounds_where_the_last_segments_are_shorter) {
    for (const std::size_t segments : {3U, 7U, 50U})
        for_every_cluster(99'991, [&](const Problem& instance) {
            Problem shorter = instance;  // every segment as short as the shortest
            shorter.bytes = Bytes(instance.bytes.value / segments * segments);
            for (const auto& strategy : {flat_segmented(), chain_segmented()}) {
                const double time = simulated(strategy, instance, segments);
                EXPECT_LE(time, printed(strategy, instance, segments) * (1 + 1e-9));
                EXPECT_GE(time, printed(strategy, shorter, segments) * (1 - 1e-9));
            }
            const std::size_t degree = best_degree(instance, segments);
            const double time = simulated(d_ary(), instance, segments);
            EXPECT_LE(time, printed(d_ary(), instance, segments) * (1 + 1e-9));
            EXPECT_GE(time, d_ary_time(shorter, degree, segments).value * (1 - 1e-9));
        });
}

TEST(LocalFormulas, of_flat_rendezvous_is_short_by_the_requests_that_outlast_the_first_answer) {
    // Where a message takes no less than an answer does, the root never waits for a later answer.
    for_every_cluster(99'991, [](const Problem& instance) {
        const double requests = count(instance.nodes - 1) * gap(instance, 1);
        const double first_answer = 2 * (gap(instance, 1) + latency(instance));
        expect_close(simulated(flat_rendezvous(), instance),
                     printed(flat_rendezvous(), instance) + std::max(0.0, requests - first_answer));
    });
}

TEST(LocalFormulas, of_binary_is_an_upper_bound_and_never_met) {
    for_every_cluster(99'991, [](const Problem& instance) {
        double last = 0;  // the path to node i is written in the bits of i + 1
        for (std::size_t name = 2; name <= instance.nodes; ++name) {
            const auto depth = count(static_cast<std::size_t>(std::bit_width(name)) - 1);
            const auto second = count(static_cast<std::size_t>(std::popcount(name)) - 1);
            last = std::max(last,
                            depth * (gap(instance) + latency(instance)) + second * gap(instance));
        }
        const double time = simulated(binary(), instance);
        expect_close(time, last);
        EXPECT_LE(time, printed(binary(), instance));
        EXPECT_GE(2 * time * (1 + 1e-9), printed(binary(), instance));
        EXPECT_TRUE(time < printed(binary(), instance) || gap(instance) == 0);
    });
}

TEST(LocalFormulas, of_binomial_is_exact_for_powers_of_two_and_within_a_gap_or_latency_else) {
    for_every_cluster(99'991, [](const Problem& instance) {
        const double time = simulated(binomial(), instance);
        expect_close(time, last_of_binomial(instance.nodes, gap(instance), latency(instance)));
        const double formula = printed(binomial(), instance);
        if (std::has_single_bit(instance.nodes)) expect_close(formula, time);
        EXPECT_LE(time, (formula + gap(instance)) * (1 + 1e-9));
        EXPECT_GE(time * (1 + 1e-9), formula - latency(instance));
    });
}

TEST(LocalFormulas, of_binomial_rendezvous_is_that_of_binomial_over_a_longer_latency) {
    for_every_cluster(99'991, [](const Problem& instance) {
        const double children = count(static_cast<std::size_t>(std::bit_width(instance.nodes - 1)));
        // All requests are out before the first answer is in.
        if ((children - 2) * gap(instance, 1) > 2 * latency(instance)) return;
        const double time = simulated(binomial_rendezvous(), instance);
        const double hop = 2 * gap(instance, 1) + 3 * latency(instance);
        expect_close(time, last_of_binomial(instance.nodes, gap(instance), hop));
        if (std::has_single_bit(instance.nodes))
            expect_close(printed(binomial_rendezvous(), instance), time);
    });
}

TEST(LocalFormulas, of_segmented_binomial_miss_up_to_a_gap_a_segment_unless_a_power_of_two) {
    for (const std::size_t segments : {1U, 4U, 64U})
        for_every_cluster(mebibyte, [&](const Problem& instance) {
            const double time = simulated(binomial_segmented(), instance, segments);
            const double piece = gap(instance, mebibyte / segments);
            const double children =
                count(static_cast<std::size_t>(std::bit_width(instance.nodes - 1)));
            expect_close(time, count(segments - 1) * children * piece +
                                   last_of_binomial(instance.nodes, piece, latency(instance)));
            const double formula = printed(binomial_segmented(), instance, segments);
            if (std::has_single_bit(instance.nodes)) expect_close(formula, time);
            EXPECT_LE(time, (formula + count(segments) * piece) * (1 + 1e-9));
            EXPECT_GE(time * (1 + 1e-9), formula - latency(instance));
        });
}

TEST(LocalFormulas, of_scatter_collect_count_a_message_of_p_blocks_and_a_serial_scatter) {
    for (const std::size_t nodes : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 12U, 16U, 24U, 31U, 32U, 33U, 40U})
        for (const auto& link : networks()) {
            SCOPED_TRACE(nodes);
            const std::uint64_t block = 4096;
            const Problem instance = problem(nodes, block * nodes, link);
            double scatter = 0;  // of the root, to subtrees of 2^j nodes, the first cut at the end
            for (std::size_t child = 1; child < nodes; child *= 2)
                scatter += gap(instance, block * (std::min(2 * child, nodes) - child));
            const double ring = count(nodes - 1) * (gap(instance, block) + latency(instance));
            expect_close(simulated(scatter_collect(), instance), scatter + ring);
        }
}

TEST(LocalFormulas,
     of_scatter_collect_are_high_by_log_p_latencies_where_messages_cost_by_the_byte) {
    for (const std::size_t nodes : {2U, 3U, 8U, 20U, 32U, 37U}) {
        const Problem instance = problem(nodes, 4096 * nodes, linear(1e-3, 0, 1e-8));
        expect_close(printed(scatter_collect(), instance),
                     simulated(scatter_collect(), instance) + std::log2(count(nodes)) * 1e-3);
    }
}

TEST(LocalFormulas, are_those_of_table_1) {
    // L = 100, g(m) = 10 for any m, so that every term shows: 20 nodes, 4 segments.
    const Problem instance = problem(20, 1024, constant(100, 10));
    EXPECT_DOUBLE_EQ(printed(flat(), instance), 100 + 19 * 10);
    EXPECT_DOUBLE_EQ(printed(flat_rendezvous(), instance), 3 * 100 + 19 * 10 + 2 * 10);
    EXPECT_DOUBLE_EQ(printed(flat_segmented(), instance, 4), 100 + 19 * (10 * 4));
    EXPECT_DOUBLE_EQ(printed(chain(), instance), 19 * (10 + 100));
    EXPECT_DOUBLE_EQ(printed(chain_rendezvous(), instance), 19 * (10 + 2 * 10 + 3 * 100));
    EXPECT_DOUBLE_EQ(printed(chain_segmented(), instance, 4), 19 * (10 + 100) + 10 * 3);
    EXPECT_DOUBLE_EQ(printed(binary(), instance), 5 * (2 * 10 + 100));
    EXPECT_DOUBLE_EQ(printed(binomial(), instance), 5 * 100 + 4 * 10);
    EXPECT_DOUBLE_EQ(printed(binomial_rendezvous(), instance), 5 * (2 * 10 + 3 * 100) + 4 * 10);
    EXPECT_DOUBLE_EQ(printed(binomial_segmented(), instance, 4), 5 * 100 + 4 * 10 * 4);
    EXPECT_DOUBLE_EQ(printed(scatter_collect(), instance),
                     (std::log2(20.0) + 19) * 100 + 2 * (19.0 / 20) * 10);
}

}  // namespace espalier::plan::local::test
