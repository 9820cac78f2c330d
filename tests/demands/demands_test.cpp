#include "schedule/demands.hpp"
#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "demands/bounds.hpp"
#include "demands/calendar.hpp"
#include "demands/exchange_plan.hpp"
#include "plan/algorithm.hpp"
#include "schedule/json.hpp"
#include "schedule/validate.hpp"
#include "simulate/check.hpp"
#include "support/exchange_problems.hpp"
#include "support/matrix_of.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <string>

namespace espalier::demands {
namespace {

using espalier::test::matrix_of;
using espalier::test::StatedFabric;
using ::testing::HasSubstr;

/// One byte each between three nodes a, b, c, from a matrix of seconds.
class ThreeNodes : public ::testing::Test {
protected:
    /// By the name of an algorithm; what is 0 is not sent.
    schedule::Plan plan(const Matrix<double>& gaps, const std::string& algorithm) {
        fabric_.emplace(gaps);
        Matrix<Bytes> sizes(gaps.rows(), gaps.rows());
        for (std::size_t i = 0; i < gaps.rows(); ++i)
            for (std::size_t j = 0; j < gaps.rows(); ++j)
                if (i != j && sends_(i, j)) sizes(i, j) = Bytes(1);
        request_.collective =
            schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(std::move(sizes)));
        request_.algorithm = algorithm;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < gaps.rows(); ++i) names.emplace_back(1, char('a' + i));
        auto plan = plan_exchange(*fabric_, names, request_);
        EXPECT_FALSE(schedule::find_violation(plan.schedule));
        return plan;
    }
    void due(std::size_t from, std::size_t to, double deadline, double priority = 1) {
        if (request_.dues.rows() == 0) request_.dues = {3, 3};
        request_.dues(from, to) = {deadline, priority};
    }

    std::function<bool(std::size_t, std::size_t)> sends_ = [](auto, auto) { return true; };
    ExchangeRequest request_{.limits = {Seconds(5), 5'000'000}};
    std::optional<StatedFabric> fabric_;
};

TEST(ExchangeScore, compares_the_critical_node_then_what_is_missed_then_lateness_then_makespan) {
    EXPECT_TRUE(better({1, 9, 9, 9}, {2, 0, 0, 0}));
    EXPECT_TRUE(better({1, 1, 9, 9}, {1, 2, 0, 0}));
    EXPECT_TRUE(better({1, 1, 1, 9}, {1, 1, 2, 0}));
    EXPECT_TRUE(better({1, 1, 1, 1}, {1, 1, 1, 2}));
    EXPECT_FALSE(better({1, 1, 1, 1}, {1, 1, 1, 1}));
    EXPECT_FALSE(better({1 - 1e-13, 1, 1, 2}, {1, 1, 1, 1})) << "rounding decides nothing";
}

TEST_F(ThreeNodes, a_critical_node_is_done_first_and_the_others_wait_no_longer_than_needed) {
    // b and c have long messages for each other; a's are short.
    const auto gaps = matrix_of({{0, 1, 1}, {1, 0, 5}, {1, 5, 0}});
    request_.critical = 0;
    for (const char* algorithm : {"demands-first", "optimal", "auto"}) {
        const auto found = plan(gaps, algorithm);
        EXPECT_DOUBLE_EQ(schedule::critical_done(found.schedule, found.timeline).value, 2)
            << algorithm;
        EXPECT_DOUBLE_EQ(found.timeline.makespan.value, 7) << algorithm;
        EXPECT_DOUBLE_EQ(found.critical_bound.value, 2) << algorithm;
    }
    EXPECT_TRUE(plan(gaps, "optimal").optimal);
}

TEST_F(ThreeNodes, a_plan_at_the_bound_of_the_makespan_is_not_called_optimal_for_a_critical_node) {
    const auto gaps = matrix_of({{0, 1, 1}, {1, 0, 5}, {1, 5, 0}});
    request_.critical = 0;
    // b and c begin with each other, so that a is done after 6 or later.
    const auto found = plan(gaps, "matching-max");
    ASSERT_GT(schedule::critical_done(found.schedule, found.timeline).value, 2);
    EXPECT_FALSE(found.optimal);
}

TEST_F(ThreeNodes, deadlines_decide_before_the_makespan) {
    const auto gaps = matrix_of({{0, 2, 3}, {2, 0, 2}, {3, 2, 0}});
    due(0, 1, 5);
    due(0, 2, 3);
    for (const char* algorithm : {"demands-first", "optimal", "auto"}) {
        const auto found = plan(gaps, algorithm);
        EXPECT_TRUE(schedule::missed_deadlines(found.schedule, found.timeline).empty())
            << algorithm;
    }
    EXPECT_TRUE(plan(gaps, "optimal").optimal);
}

TEST_F(ThreeNodes, of_two_deadlines_that_exclude_each_other_the_more_important_one_is_met) {
    const auto gaps = matrix_of({{0, 2, 3}, {2, 0, 2}, {3, 2, 0}});
    due(0, 1, 2, 1);
    due(0, 2, 3, 4);
    for (const char* algorithm : {"demands-first", "optimal", "auto"}) {
        const auto found = plan(gaps, algorithm);
        const auto missed = schedule::missed_deadlines(found.schedule, found.timeline);
        ASSERT_EQ(missed.size(), 1) << algorithm;
        EXPECT_EQ(found.schedule.chunks[missed[0].chunk].target, 1);
        EXPECT_DOUBLE_EQ(missed[0].end.value, 5);
        EXPECT_DOUBLE_EQ(found.missed_bound, 1) << algorithm;
        EXPECT_THAT(to_json_text(found), HasSubstr("\"deadlines\": \"impossible\"")) << algorithm;
    }
}

TEST_F(ThreeNodes, only_a_search_proves_that_deadlines_at_different_ports_exclude_each_other) {
    // Each port alone could be in time: a has 4 s of work until 4, and so on round the ring.
    const auto gaps = matrix_of({{0, 2, 2}, {2, 0, 2}, {2, 2, 0}});
    due(0, 1, 2);
    due(1, 2, 3);  // c receives from b until 2 or 3, then
    due(0, 2, 4);  // from a: until 5, or a is not done with b by 2
    due(2, 0, 3);
    due(1, 0, 4);
    const auto found = plan(gaps, "optimal");
    EXPECT_TRUE(found.optimal);
    const auto missed = schedule::missed_deadlines(found.schedule, found.timeline);
    EXPECT_DOUBLE_EQ(schedule::total_priority(found.schedule, missed), found.missed_bound);
}

TEST_F(ThreeNodes, a_message_whose_direct_path_is_too_slow_goes_through_another_node) {
    const auto gaps = matrix_of({{0, 1, 9}, {9, 0, 1}, {9, 9, 0}});
    sends_ = [](std::size_t from, std::size_t to) { return from == 0 && to == 2; };
    due(0, 2, 2.5);
    const auto relayed = plan(gaps, "staged");
    EXPECT_EQ(relayed.scope, schedule::BoundScope::any);
    ASSERT_EQ(relayed.schedule.transfers.size(), 2);
    EXPECT_EQ(relayed.schedule.transfers[0].to, 1);
    EXPECT_DOUBLE_EQ(relayed.timeline.makespan.value, 2);
    EXPECT_TRUE(schedule::missed_deadlines(relayed.schedule, relayed.timeline).empty());
    EXPECT_EQ(plan(gaps, "auto").schedule.algorithm, "staged");

    const auto straight = plan(gaps, "optimal");
    EXPECT_EQ(straight.scope, schedule::BoundScope::whole_message);
    EXPECT_TRUE(straight.optimal);
    EXPECT_DOUBLE_EQ(straight.missed_bound, 1);
}

TEST_F(ThreeNodes, no_path_is_quick_enough_for_some_deadlines) {
    const auto gaps = matrix_of({{0, 1, 9}, {9, 0, 1}, {9, 9, 0}});
    sends_ = [](std::size_t from, std::size_t to) { return from == 0 && to == 2; };
    due(0, 2, 1.5, 7);
    const auto found = plan(gaps, "staged");
    EXPECT_DOUBLE_EQ(found.missed_bound, 7);
    EXPECT_THAT(to_json_text(found), HasSubstr("\"deadlines\": \"impossible\""));
}

TEST_F(ThreeNodes, relays_serve_the_makespan_only_when_asked) {
    const auto gaps = matrix_of({{0, 1, 9}, {1, 0, 1}, {9, 1, 0}});
    EXPECT_DOUBLE_EQ(plan(gaps, "staged").timeline.makespan.value, 10);
    request_.relays = true;
    const auto found = plan(gaps, "auto");
    EXPECT_DOUBLE_EQ(found.timeline.makespan.value, 4);
    EXPECT_EQ(found.scope, schedule::BoundScope::any);
    EXPECT_LE(found.lower_bound, found.timeline.makespan);
}

TEST_F(ThreeNodes, a_schedule_file_says_what_is_missed_and_checking_holds_it_to_that) {
    const auto gaps = matrix_of({{0, 2, 3}, {2, 0, 2}, {3, 2, 0}});
    due(0, 1, 2, 1);
    due(0, 2, 3, 4);
    request_.critical = 1;
    const Json written = to_json(plan(gaps, "auto"));
    const auto check = [&](const std::function<void(Json&)>& change) {
        Json document = written;
        change(document);
        const auto stated = schedule::parse_schedule(document.dump(), "s.json");
        return simulate::check(stated, *fabric_).violation.value_or("");
    };
    EXPECT_EQ(written.at("critical"), "b");
    ASSERT_EQ(written.at("missed").size(), 1);
    EXPECT_EQ(check([](Json&) {}), "");
    EXPECT_THAT(check([](Json& file) {
                    file["missed"] = Json::array();
                    file["deadlines"] = "met";
                }),
                HasSubstr("0 deadlines are stated as missed"));
    EXPECT_THAT(check([](Json& file) {
                    file["missed"][0]["end"] = 2.5;
                    file["missed"][0].erase("late_by");
                }),
                HasSubstr("1 deadlines are stated as missed"));
    for (const char* field : {"late_by", "deadline", "priority"})
        EXPECT_THROW(check([&](Json& file) {
                         file["missed"][0][field] = 2 * file["missed"][0][field].get<double>();
                     }),
                     InputError)
            << field;
    EXPECT_THROW(
        check([](Json& file) { std::swap(file["missed"][0]["from"], file["missed"][0]["to"]); }),
        InputError);
    EXPECT_THAT(check([](Json& file) { file["missed_lower_bound"] = 30; }),
                HasSubstr("deadlines of priority 30 are stated to be missed at least"));
    EXPECT_THAT(check([](Json& file) { file["critical_done"] = 0.5; }),
                HasSubstr("the critical node is stated to be done at 0.5 s"));
    EXPECT_THAT(check([](Json& file) { file["critical_lower_bound"] = 50; }),
                HasSubstr("is stated not to be done before 50 s"));
    EXPECT_THROW(check([](Json& file) { file["deadlines"] = "met"; }), InputError);
    EXPECT_THROW(check([](Json& file) { file.erase("critical"); }), InputError);
    EXPECT_THROW(check([](Json& file) { file["missed"][0]["chunk"] = 99; }), InputError);
}

TEST(DueDateBound, leaves_out_as_many_as_moore_and_hodgson_and_those_that_count_least) {
    EXPECT_DOUBLE_EQ(least_late({}), 0);
    EXPECT_DOUBLE_EQ(least_late({{2, 2, 5}, {3, 5, 6}}), 0);
    EXPECT_DOUBLE_EQ(least_late({{2, 2, 5}, {3, 4, 6}}), 5);
    // Due 6, 7, 8, 9, 11 with works 4, 3, 2, 5, 6: three can be in time.
    EXPECT_DOUBLE_EQ(least_late({{4, 6, 1}, {3, 7, 1}, {2, 8, 1}, {5, 9, 1}, {6, 11, 1}}), 2);
}

TEST(Calendar, gives_a_message_the_first_room_at_both_its_ends) {
    const espalier::test::StatedExchange three(Matrix<double>(3, 3, 1));
    Calendar calendar(three.problem());
    const auto place = [&](std::size_t from, std::size_t to, double gap, double latency) {
        const auto leg = calendar.find({0, from, to}, gap, latency, 0);
        calendar.take(leg);
        return leg.start;
    };
    EXPECT_DOUBLE_EQ(place(0, 1, 2, 0), 0);
    EXPECT_DOUBLE_EQ(place(0, 2, 3, 1), 2);  // at 2 from [3, 6] on
    EXPECT_DOUBLE_EQ(place(1, 2, 3, 0), 0);  // before it
    EXPECT_DOUBLE_EQ(place(1, 2, 1, 0), 6);  // no room between
    EXPECT_DOUBLE_EQ(place(2, 1, 1, 5), 0);  // at 1 from [5, 6] on
    EXPECT_DOUBLE_EQ(place(0, 1, 2, 0), 6);  // a sends until 5; b receives until 6
    EXPECT_DOUBLE_EQ(place(2, 1, 3, 2), 6);  // b is busy [5, 8]: at b from [8, 11] on
}

TEST(AnyBounds, counts_what_each_node_has_to_send_and_to_receive_at_its_best_rate) {
    network::PairwiseNetwork pairs;
    pairs.nodes = {"a", "b", "c"};
    pairs.startup = {3, 3, Seconds(1)};
    pairs.bandwidth = {3, 3, BytesPerSecond(10)};
    pairs.bandwidth(0, 1) = BytesPerSecond(20);
    const network::Network network(pairs);
    const auto fabric = simulate::make_fabric(network);
    ExchangeRequest request;
    request.collective = {.kind = schedule::Kind::alltoall, .nodes = 3, .bytes = Bytes(100)};
    // c receives 200 bytes at 10 a second, and no less than one start-up; a sends them at 20.
    EXPECT_DOUBLE_EQ(any_bounds(make_exchange_problem(*fabric, request)).makespan, 21);
    request.ports = 2;
    EXPECT_DOUBLE_EQ(any_bounds(make_exchange_problem(*fabric, request)).makespan, 10.5);
}

TEST(AnyBounds, knows_which_capacities_no_path_leads_around) {
    network::PairwiseNetwork pairs;
    pairs.nodes = {"a", "b", "c"};
    pairs.startup = {3, 3, Seconds(0)};
    pairs.bandwidth = {3, 3, BytesPerSecond(1000)};
    pairs.egress = {BytesPerSecond(1000), BytesPerSecond(4), BytesPerSecond(1000)};
    const network::Network network(pairs);
    const auto fabric = simulate::make_fabric(network);
    ExchangeRequest request;
    request.collective = {.kind = schedule::Kind::alltoall, .nodes = 3, .bytes = Bytes(100)};
    EXPECT_DOUBLE_EQ(any_bounds(make_exchange_problem(*fabric, request)).makespan, 50);
}

TEST(AnyBounds, does_not_count_a_shared_link_that_other_nodes_lead_around) {
    network::GridNetwork grid;
    grid.links = {3, 3,
                  network::PLogP{network::CostTable(Seconds(0)),
                                 network::CostTable(
                                     {{Bytes(1), Seconds(0.001)}, {Bytes(1001), Seconds(1.001)}})}};
    for (const auto* name : {"a", "b", "c"}) grid.clusters.emplace_back().name = name;
    Matrix<Bytes> sizes(3, 3);
    sizes(0, 1) = Bytes(100);
    ExchangeRequest request;
    request.collective = schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(sizes));
    const auto bound = [&](const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
        grid.shared = {{"slow", BytesPerSecond(1), pairs}};
        const network::Network network(grid);
        const auto fabric = simulate::make_fabric(network);
        return any_bounds(make_exchange_problem(*fabric, request)).makespan;
    };
    EXPECT_LT(bound({{0, 1}}), 1) << "it can go by c";
    EXPECT_DOUBLE_EQ(bound({{0, 1}, {0, 2}}), 100);
    EXPECT_DOUBLE_EQ(bound({{0, 1}, {2, 1}}), 100);
    EXPECT_LT(bound({{0, 1}, {1, 2}}), 1);
}

}  // namespace
}  // namespace espalier::demands
