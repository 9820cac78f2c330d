// What liu-2000 claims of reductions, against brute force.
#include "core/infinity.hpp"
#include "sender/greedy.hpp"
#include "simulate/use.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier::sender {
namespace {

using schedule::Kind;
using test::least_makespan_of_orders;
using test::NodeOrder;
using test::nodes_of;
using test::NodeTimes;
using test::random_nodes;
using test::RandomNodes;
using test::Window;

void for_reductions(std::uint64_t seed, int trials, RandomNodes shape,
                    const std::function<void(const Problem&, Random&)>& claim) {
    Random random(seed);
    for (int trial = 0; trial < trials; ++trial) {
        shape.real = trial % 2 == 0;
        shape.slowest = trial % 3 == 0 ? 4 : 12;
        claim(random_nodes(random, Kind::reduce, shape), random);
    }
}

/// The sending times of all nodes but the root, in a random order.
std::vector<std::size_t> shuffled(const Problem& problem, Random& random) {
    std::vector<std::size_t> classes;
    for (std::size_t c = 0; c < problem.classes.size(); ++c)
        classes.insert(classes.end(), problem.classes[c].count - (c == *problem.root ? 1 : 0), c);
    for (std::size_t i = classes.size(); i > 1; --i)
        std::swap(classes[i - 1], classes[random.below(i)]);
    return classes;
}

/// Nodes that start when they like.
struct Plan {
    std::vector<std::size_t> classes;
    std::vector<double> starts;
};

Course<double> course_of(const Problem& problem, const Plan& plan) {
    Course<double> course;
    for (std::size_t i = 0; i < plan.classes.size(); ++i) {
        course.waves.push_back({plan.starts[i], {plan.classes[i], 1}});
        course.makespan =
            std::max(course.makespan, plan.starts[i] + problem.classes[plan.classes[i]].time);
    }
    return course;
}

std::vector<double> times_of(const Problem& problem) {
    std::vector<double> times;
    for (const auto& members : problem.classes) times.push_back(members.time);
    return times;
}

/// liu-2000, inequality 1 (2 A + C <= n; docs/sender.md for several ports): at every moment those
/// that send, as many receivers, and those that have sent are no more than there are.
bool valid(const Problem& problem, const Course<double>& course) {
    constexpr double never = std::numeric_limits<double>::max();
    const auto ports = static_cast<double>(problem.ports);
    std::vector<simulate::Use> uses;
    for (std::size_t w = 0; w < course.waves.size(); ++w) {
        const auto& [at, run] = course.waves[w];
        const auto senders = static_cast<double>(run.count);
        uses.push_back({at, never, senders * ports, w});
        uses.push_back({at, at + problem.classes[run.class_index].time, senders, w});
    }
    return !find_crowd(uses, ports * static_cast<double>(problem.nodes()));
}

bool valid(const Problem& problem, const Plan& plan) {
    return valid(problem, course_of(problem, plan));
}

/// Times that are sums of each other, so that many things happen at once.
Plan random_plan(const Problem& problem, Random& random) {
    Plan plan{shuffled(problem, random), {}};
    for (std::size_t i = 0; i < plan.classes.size(); ++i)
        plan.starts.push_back(static_cast<double>(random.below(2 * plan.classes.size() + 1)));
    return plan;
}

/// A valid one: as early as possible, but for pauses.
Plan random_valid_plan(const Problem& problem, Random& random) {
    Plan plan = random_plan(problem, random);
    std::ranges::sort(plan.starts);
    while (!valid(problem, plan)) {
        const std::size_t from = random.below(plan.starts.size());
        for (std::size_t i = from; i < plan.starts.size(); ++i) plan.starts[i] += 1;
    }
    return plan;
}

std::vector<Window> windows_of(const Problem& problem, const Plan& plan) {
    std::vector<Window> windows;
    for (std::size_t i = 0; i < plan.classes.size(); ++i)
        windows.push_back({plan.starts[i], plan.starts[i] + problem.classes[plan.classes[i]].time});
    return windows;
}

TEST(Reduction, is_valid_by_the_inequality_where_receivers_can_be_found_and_only_there) {
    for (const std::size_t ports : {1U, 2U, 3U}) {
        int found = 0;
        for_reductions(1, 1500, {.most = 7, .slowest = 4, .ports = ports},
                       [&](const Problem& problem, Random& random) {
                           const Plan plan = random_plan(problem, random);
                           const bool exist =
                               test::receivers_exist(windows_of(problem, plan), problem.ports);
                           EXPECT_EQ(valid(problem, plan), exist);
                           if (exist) ++found;
                       });
        EXPECT_GT(found, 100);
        EXPECT_LT(found, 1400);
    }
}

TEST(Reduction, starts_in_order_and_ends_no_later_when_all_is_moved_as_early_as_possible) {
    for (const std::size_t ports : {1U, 2U})
        for_reductions(
            2, 1000, {.most = 9, .ports = ports}, [](const Problem& problem, Random& random) {
                const Plan plan = random_valid_plan(problem, random);
                Sequence sequence{*problem.root, {}};
                for (const std::size_t c : plan.classes) sequence.runs.push_back({c, 1});
                const auto times = times_of(problem);
                const auto earliest = run_course(problem, sequence, std::span<const double>(times));
                EXPECT_LE(earliest.makespan, course_of(problem, plan).makespan);
                EXPECT_TRUE(std::ranges::is_sorted(earliest.waves, {}, &Wave<double>::at));
                EXPECT_TRUE(valid(problem, earliest));
            });
}

TEST(Reduction, stays_valid_when_a_sender_changes_places_with_a_slower_next_one_lemma_1) {
    int exchanged = 0;
    for (const std::size_t ports : {1U, 2U})
        for_reductions(3, 2000, {.least = 3, .most = 9, .slowest = 4, .ports = ports},
                       [&](const Problem& problem, Random& random) {
                           const Plan plan = random_valid_plan(problem, random);
                           const auto windows = windows_of(problem, plan);
                           for (std::size_t q = 0; q < windows.size(); ++q)
                               for (std::size_t p = 0; p < windows.size(); ++p) {
                                   if (windows[p].start != windows[q].end ||
                                       plan.classes[p] <= plan.classes[q])
                                       continue;
                                   Plan after = plan;
                                   after.starts[p] = windows[q].start;
                                   after.starts[q] =
                                       windows[p].end - windows[q].end + windows[q].start;
                                   EXPECT_TRUE(valid(problem, after));
                                   ++exchanged;
                               }
                       });
    EXPECT_GT(exchanged, 500);
}

double least_of_orders(const Problem& problem,
                       const std::function<bool(const NodeOrder&, const NodeTimes&)>& as_asked) {
    double least = infinity;
    test::for_each_order(problem, [&](const NodeOrder& order, const NodeTimes& times) {
        if (as_asked(order, times)) least = std::min(least, times.makespan);
    });
    return least;
}

/// The start before that of sender i, at another time.
double start_before(const NodeTimes& times, std::size_t i) {
    double before = -1;
    for (const double at : times.at)
        if (at < times.at[i]) before = std::max(before, at);
    return before;
}

/// Corollary 1: no sender starts after a faster one that has completed; in its safe form, one that
/// completed since the start before.
bool waits_for_slower_only(const Problem& problem, const NodeOrder& order, const NodeTimes& times,
                           bool safe) {
    for (std::size_t p = 0; p < times.at.size(); ++p)
        for (std::size_t q = 0; q < p; ++q) {
            const double completed = times.at[q] + problem.classes[order.classes[q]].time;
            if (order.classes[q] < order.classes[p] && completed <= times.at[p] &&
                (!safe || completed > start_before(times, p)))
                return false;
        }
    return true;
}

TEST(Reduction, needs_no_start_after_a_faster_one_that_just_completed_corollary_1) {
    for (const std::size_t ports : {1U, 2U, 3U})
        for_reductions(4, 700, {.most = 9, .ports = ports}, [](const Problem& problem, Random&) {
            const auto last_is_fastest_too = [&](const NodeOrder& order, const NodeTimes& times) {
                return (order.classes.empty() ||
                        order.classes.back() == std::ranges::min(order.classes)) &&
                       waits_for_slower_only(problem, order, times, true);
            };
            EXPECT_DOUBLE_EQ(least_of_orders(problem, last_is_fastest_too),
                             least_makespan_of_orders(problem));
        });
}

TEST(Reduction, may_need_a_start_after_a_faster_one_that_completed_long_ago) {
    const auto problem = nodes_of(Kind::reduce, {2, 2, 2, 2, 3, 3, 3, 3, 3}, 3);
    EXPECT_DOUBLE_EQ(least_makespan_of_orders(problem), 8);
    const auto literal = [&](const NodeOrder& order, const NodeTimes& times) {
        return waits_for_slower_only(problem, order, times, false);
    };
    EXPECT_DOUBLE_EQ(least_of_orders(problem, literal), 9);
}

TEST(Reduction, slowest_first_is_within_twice_the_best) {
    for_reductions(5, 2000, {.most = 8, .classes = 5}, [](const Problem& problem, Random&) {
        EXPECT_LE(slowest_node_first(problem).makespan,
                  2 * least_makespan_of_orders(problem) + 1e-9);
    });
}

TEST(Reduction, is_best_where_the_slowest_never_sends) {
    for_reductions(6, 1000, {.most = 7, .classes = 4}, [](const Problem& problem, Random&) {
        Problem to_slowest = problem;
        to_slowest.root = problem.classes.size() - 1;
        EXPECT_LE(least_makespan_of_orders(to_slowest),
                  least_makespan_of_orders(problem) * (1 + 1e-12));
    });
}

TEST(Reduction, lets_communications_of_different_nodes_overlap) {
    // One after the other, the six sends of Figure 1's nodes would take 23.
    const auto problem = nodes_of(Kind::reduce, {10, 5, 5, 5, 4, 2, 2}, 10);
    EXPECT_DOUBLE_EQ(test::least_makespan_of_trees(problem), 11);
}

}  // namespace
}  // namespace espalier::sender
