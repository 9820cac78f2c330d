#include "network/json.hpp"
#include "sender/greedy.hpp"
#include "sender/paper_search.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gtest/gtest.h>

namespace espalier::sender {
namespace {

using schedule::Kind;

struct Published {
    std::string file;
    Kind kind;
    double greedy;  ///< fastest or slowest node first
    double least;
};

/// The figures of liu-2002 and liu-2000, with the times that the papers tell of them. What the
/// least is in the Figures 1 they leave open.
const std::vector<Published> figures{
    {"liu-2002-figure-1/network.json", Kind::broadcast, 3, 3},
    {"liu-2002-figure-2/network.json", Kind::broadcast, 5, 4},
    {"liu-2000-figure-1/network.json", Kind::reduce, 11, 11},
    {"liu-2000-figure-6/network.json", Kind::reduce, 1.75 + 3, 2 * 1.75 + 1},
    {"liu-2000-figure-6/network-below-1.5.json", Kind::reduce, 1.25 + 3, 4},
};

TEST(Examples, of_the_figures_take_the_published_times) {
    for (const Published& figure : figures) {
        SCOPED_TRACE(figure.file);
        const auto network =
            network::read_network(std::string(ESPALIER_SOURCE_DIR) + "/examples/" + figure.file);
        const auto problem = make_problem(*network.sender(), figure.kind, std::nullopt);
        const auto first = greedy(problem);
        EXPECT_DOUBLE_EQ(test::simulated(problem, first.sequence), figure.greedy);
        EXPECT_DOUBLE_EQ(test::least_makespan_of_orders(problem), figure.least);
        const auto best = paper_search(problem, {});
        EXPECT_TRUE(best.optimal);
        EXPECT_DOUBLE_EQ(test::simulated(problem, best.sequence), figure.least);
    }
}

TEST(Examples, of_slowest_first_beaten_hold_for_every_slow_time_between_one_and_two) {
    for (const double x : {1.05, 1.2, 1.35, 1.5, 1.6, 1.75, 1.9, 1.95}) {
        std::vector<double> times(4, x);
        times.resize(12, 1.0);
        const auto problem = test::nodes_of(Kind::reduce, times, x);
        EXPECT_DOUBLE_EQ(slowest_node_first(problem).makespan, x + 3);
        EXPECT_DOUBLE_EQ(paper_search(problem, {}).makespan, x < 1.5 ? 4 : 2 * x + 1);
    }
}

}  // namespace
}  // namespace espalier::sender
