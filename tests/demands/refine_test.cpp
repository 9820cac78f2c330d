#include "demands/refine.hpp"
#include "core/error.hpp"
#include "demands/objective.hpp"
#include "plan/exchange/list_search.hpp"
#include "support/exchange_problems.hpp"
#include "support/plan_within.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace espalier::demands {
namespace {

using test::random_times;
using test::StatedExchange;
using test::Times;
using ::testing::ElementsAre;

Order searched(const StatedExchange& exchange) {
    Limits limits;
    limits.work = 2'000'000;
    return direct(exchange.problem(),
                  test::plan_within(limits, exchange::list_search, exchange.problem()).order);
}

/// A tenth of the times, up to twice as long or half as long.
Matrix<double> changed(Random& random, Matrix<double> times) {
    for (std::size_t i = 0; i < times.rows(); ++i)
        for (std::size_t j = 0; j < times.rows(); ++j)
            if (random.below(10) == 0)
                times(i, j) *= random.below(2) == 0 ? random.uniform(1, 2) : random.uniform(0.5, 1);
    return times;
}

double makespan_of(const Problem& problem, const Order& order) {
    const auto ends = ends_of(problem, order);
    return *std::ranges::max_element(ends);
}

TEST(Refine, is_nearly_as_good_as_planning_anew_where_a_tenth_of_the_links_changed) {
    Random random(1);
    for (int round = 0; round < 3; ++round) {
        const auto times = random_times(random, 40, Times::even);
        const StatedExchange before(times);
        const Order old = searched(before);
        const StatedExchange after(changed(random, times));
        const double refined = after.makespan(refine(after.problem(), old, {}));
        const double anew = makespan_of(after.problem(), searched(after));
        EXPECT_LE(refined, anew * 1.01);
    }
}

TEST(Refine, is_never_worse_than_the_old_order) {
    Random random(2);
    for (int round = 0; round < 30; ++round) {
        const auto times = random_times(random, 2 + random.below(8), Times::even);
        const Order old = searched(StatedExchange(times));
        const StatedExchange after(changed(random, times));
        const Found found = refine(after.problem(), old, {});
        EXPECT_LE(after.makespan(found), makespan_of(after.problem(), old) * (1 + 1e-9));
    }
}

TEST(Refine, keeps_an_order_that_is_still_good) {
    Random random(3);
    const StatedExchange exchange(random_times(random, 10, Times::sparse));
    const Order old = searched(exchange);
    ASSERT_LE(makespan_of(exchange.problem(), old), exchange.bound() * 1.001);
    EXPECT_EQ(refine(exchange.problem(), old, {}).order, old);
}

TEST(Refine, sends_messages_that_the_old_order_did_not_have) {
    Random random(4);
    const StatedExchange exchange(random_times(random, 6, Times::even));
    Order old = searched(exchange);
    old.resize(old.size() / 2);
    const Found found = refine(exchange.problem(), old, {});
    EXPECT_EQ(found.order.size(), exchange.problem().messages.size());
    EXPECT_GT(exchange.makespan(found), 0);  // which also validates it
}

TEST(Refine, counts_deadlines_before_the_makespan) {
    // 0 sends to 1 and to 2; what 2 waits for is due first, and the old order has it so.
    Matrix<double> times(3, 3, 0);
    times(0, 1) = 2;
    times(0, 2) = 1;
    times(1, 2) = 1;
    const StatedExchange exchange(times);
    Problem problem = exchange.problem();
    problem.dues.resize(problem.messages.size());
    problem.dues[1].deadline = 1;
    const Order old{direct(problem, 1), direct(problem, 0), direct(problem, 2)};
    const Order refined = refine(problem, old, {}).order;
    EXPECT_EQ(score_of(problem, ends_of(problem, refined)).missed, 0);
}

class Adopt : public ::testing::Test {
protected:
    /// 0 -> 1 and 2 -> 1, of nodes a, b, c.
    Adopt() {
        Matrix<double> times(3, 3, 0);
        times(0, 1) = times(2, 1) = 1;
        exchange_ = std::make_unique<StatedExchange>(times);
        old_.collective.kind = schedule::Kind::alltoall;
    }
    [[nodiscard]] Order adopted() const {
        return adopt(exchange_->problem(), {"a", "b", "c"}, old_);
    }

    std::unique_ptr<StatedExchange> exchange_;
    schedule::Schedule old_;
};

TEST_F(Adopt, matches_nodes_by_name_and_drops_what_is_gone) {
    old_.nodes = {"c", "gone", "b", "a"};
    old_.chunks = {
        {Bytes(1), 1, 0, 2}, {Bytes(1), 1, 1, 2}, {Bytes(1), 1, 3, 2}, {Bytes(1), 1, 2, 0}};
    old_.transfers = {{0, 2, 0}, {1, 2, 1}, {2, 0, 3}, {3, 2, 2}};
    EXPECT_THAT(adopted(), ElementsAre(Hop{1, 2, 1}, Hop{0, 0, 1}));
}

TEST_F(Adopt, keeps_paths_through_relays_and_sends_straight_where_one_is_gone) {
    old_.nodes = {"a", "b", "c", "gone"};
    old_.chunks = {{Bytes(1), 1, 0, 1}, {Bytes(1), 1, 2, 1}};
    old_.transfers = {{0, 2, 0}, {2, 3, 1}, {2, 1, 0}, {3, 1, 1}};
    EXPECT_THAT(adopted(), ElementsAre(Hop{0, 0, 2}, Hop{1, 2, 1}, Hop{0, 2, 1}));
}

TEST_F(Adopt, refuses_other_collectives) {
    old_.collective.kind = schedule::Kind::broadcast;
    EXPECT_THROW((void)adopted(), InputError);
}

}  // namespace
}  // namespace espalier::demands
