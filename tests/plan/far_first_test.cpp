#include "plan/exchange/far_first.hpp"

#include "plan/exchange/caterpillar.hpp"
#include "support/exchange_problems.hpp"
#include "support/hand_schedules.hpp"
#include "support/matrix_of.hpp"
#include "support/plan_within.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <utility>
#include <vector>

namespace espalier::plan::exchange {
namespace {

using test::matrix_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Pair = std::pair<std::size_t, std::size_t>;

std::vector<Pair> pairs_of(const Problem& problem, const Found& found) {
    std::vector<Pair> pairs;
    for (const auto& transfer : make_schedule(problem, found).transfers)
        pairs.emplace_back(transfer.from, transfer.to);
    return pairs;
}

test::StatedExchange behind_an_uplink(const Matrix<double>& bytes) {
    return {test::behind_an_uplink(), bytes, 3};
}

TEST(FarFirst, sends_what_is_longest_on_its_way_first_and_else_as_the_caterpillar) {
    const test::StatedExchange exchange(Matrix<double>(3, 3, 1),
                                        matrix_of({{0, 1, 5}, {1, 0, 5}, {5, 5, 0}}));
    EXPECT_THAT(
        pairs_of(exchange.problem(), test::plan_within({}, far_first, exchange.problem())),
        ElementsAre(Pair(1, 2), Pair(2, 0), Pair(0, 2), Pair(2, 1), Pair(0, 1), Pair(1, 0)));
}

TEST(FarFirst, what_goes_less_far_leaves_once_another_node_s_far_message_has_left) {
    const auto exchange =
        behind_an_uplink(matrix_of({{0, 0, 100, 0}, {0, 0, 0, 100}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
    const Found found = test::plan_within({}, far_first, exchange.problem());
    EXPECT_THAT(pairs_of(exchange.problem(), found),
                ElementsAre(Pair(1, 3), Pair(1, 0), Pair(0, 2)));
    EXPECT_THAT(found.after,
                ElementsAre(std::nullopt, std::nullopt, std::optional<std::size_t>(1)));
    // The far one passes the uplink from 0 to 1, the other one after it.
    EXPECT_DOUBLE_EQ(exchange.makespan(found), 4);
    EXPECT_DOUBLE_EQ(exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())), 5);
}

TEST(FarFirst, those_that_send_far_tell_each_other) {
    const auto exchange = behind_an_uplink(
        matrix_of({{0, 0, 100, 100}, {0, 0, 100, 100}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
    const Found found = test::plan_within({}, far_first, exchange.problem());
    EXPECT_THAT(
        pairs_of(exchange.problem(), found),
        ElementsAre(Pair(1, 3), Pair(0, 3), Pair(0, 1), Pair(1, 0), Pair(1, 2), Pair(0, 2)));
    EXPECT_THAT(found.after,
                ElementsAre(std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                            std::optional<std::size_t>(2), std::optional<std::size_t>(3)));
    EXPECT_DOUBLE_EQ(exchange.makespan(found), 5);
}

TEST(FarFirst, nobody_waits_where_all_that_passes_it_goes_as_far) {
    const auto exchange = behind_an_uplink(
        matrix_of({{0, 50, 100, 0}, {0, 0, 100, 0}, {0, 0, 0, 0}, {100, 100, 0, 0}}));
    EXPECT_THAT(test::plan_within({}, far_first, exchange.problem()).signals, IsEmpty());
}

TEST(FarFirst, nobody_waits_for_what_waits_itself_at_another_gate) {
    network::GridNetwork grid = *test::uniform_grid(6, 1, 0, 0.01).grid();
    grid.links(0, 1)->latency = grid.links(1, 0)->latency = network::CostTable(Seconds(0.1));
    grid.links(0, 3)->latency = network::CostTable(Seconds(3));
    grid.links(4, 5)->latency = network::CostTable(Seconds(12));
    grid.shared.push_back({"uplink", BytesPerSecond(100), {{0, 2}, {0, 3}, {1, 2}, {1, 3}}});
    grid.shared.push_back({"trunk", BytesPerSecond(100), {{0, 3}, {1, 3}, {4, 5}}});
    grid.transport = {Bytes(100), Seconds(0), network::Transport::Shares::evenly};
    Matrix<double> bytes(6, 6, 0);
    bytes(0, 3) = bytes(1, 2) = bytes(4, 5) = 100;
    const test::StatedExchange exchange(network::Network(std::move(grid)), bytes, 3);
    const Found found = test::plan_within({}, far_first, exchange.problem());
    EXPECT_THAT(pairs_of(exchange.problem(), found),
                ElementsAre(Pair(4, 5), Pair(4, 0), Pair(1, 2), Pair(0, 3)));
    EXPECT_THAT(found.after, ElementsAre(std::nullopt, std::nullopt, std::nullopt,
                                         std::optional<std::size_t>(1)));
}

}  // namespace
}  // namespace espalier::plan::exchange
