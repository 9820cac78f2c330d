#include "demands/algorithms.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "support/exchange_problems.hpp"

#include <gmock/gmock.h>

#include <string_view>
#include <vector>

namespace espalier::demands {
namespace {

using espalier::test::StatedExchange;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string_view> names(std::string_view asked, const Problem& problem) {
    std::vector<std::string_view> found;
    for (const Algorithm& planner : planners(asked, problem)) found.push_back(planner.name);
    return found;
}

TEST(DemandsTable, has_names_that_no_other_planner_of_exchanges_has) {
    for (const Algorithm& algorithm : algorithms()) {
        EXPECT_EQ(algorithm.family, schedule::Family::demands);
        EXPECT_EQ(plan::find_algorithm(schedule::Family::exchange, algorithm.name), nullptr);
        EXPECT_FALSE(algorithm.description.empty());
        EXPECT_TRUE(algorithm.make);
    }
}

TEST(DemandsTable, finds_planners_of_its_own_and_of_plain_exchanges) {
    const StatedExchange three(Matrix<double>(3, 3, 1));
    EXPECT_THAT(names("staged", three.problem()), ElementsAre("staged"));
    EXPECT_THAT(names("open-shop", three.problem()), ElementsAre("open-shop"));
    EXPECT_THROW((void)names("ecef", three.problem()), InputError);
}

TEST(DemandsTable, tries_what_serves_demands_only_where_there_are_some_and_proofs_of_few_messages) {
    const StatedExchange three(Matrix<double>(3, 3, 1));
    Problem problem = three.problem();
    EXPECT_THAT(names("auto", problem), Contains("optimal"));
    EXPECT_THAT(names("auto", problem), Not(Contains("staged")));
    problem.critical = 0;
    EXPECT_THAT(names("auto", problem), Contains("staged"));
    const StatedExchange many(Matrix<double>(7, 7, 1));
    EXPECT_THAT(names("auto", many.problem()), Not(Contains("optimal")));
}

}  // namespace
}  // namespace espalier::demands
