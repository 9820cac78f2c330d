#include "slices/logic/slice_planner.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace espalier::slices {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::UnorderedElementsAre;

/// Hosts on one bus, of given cycle times: h0, h1, …
network::Network bus(const std::vector<double>& cycle_times, double bandwidth = 1e6) {
    network::LinksNetwork links;
    links.nodes.push_back({"bus", std::nullopt, 0});
    for (const double cycle_time : cycle_times) {
        const std::size_t node = links.nodes.size();
        links.nodes.push_back({"h" + std::to_string(node - 1), cycle_time, 0});
        links.links.push_back({"to " + links.nodes.back().name,
                               network::LinksNetwork::Ends{node, 0}, BytesPerSecond(bandwidth),
                               Seconds(0), network::LinksNetwork::Kind::bidirectional});
    }
    return network::Network(links);
}

RingJob job(int columns, double exchange = 1) {
    RingJob result;
    result.network = "net";
    result.work = columns;
    result.exchange_bytes = exchange;
    result.columns = columns;
    return result;
}

SlicePlanner planner_on(const network::Network& network, const std::vector<std::string>& hosts,
                        const RingJob& what) {
    return {network, hosts, what, {Seconds(1000), 2'000'000}};
}

/// 0 for those out of the ring.
std::vector<int> counts_of_ranks(const RingSlices& slices, std::size_t ranks) {
    std::vector<int> counts(ranks, 0);
    for (std::size_t place = 0; place < slices.ranks.size(); ++place)
        counts[static_cast<std::size_t>(slices.ranks[place])] = slices.counts[place];
    return counts;
}

TEST(RoundToColumns, gives_what_is_left_to_the_largest_remainders) {
    EXPECT_THAT(round_to_columns(std::vector{0.47, 0.16, 0.158, 0.12, 0.061, 0.031}, 10),
                ElementsAre(5, 2, 1, 1, 1, 0));
    EXPECT_THAT(round_to_columns(std::vector{0.25, 0.25, 0.5}, 2), ElementsAre(1, 0, 1));
    EXPECT_THAT(round_to_columns(std::vector{1.0}, 7), ElementsAre(7));
}

TEST(MovesBetween, cover_every_column_once) {
    const RingSlices before{{0, 1, 2}, {5, 3, 2}, 0};
    const RingSlices after{{3, 1}, {4, 6}, 0};
    const auto moves = moves_between(before, after);
    std::vector<std::vector<int>> seen;
    for (const auto& move : moves) seen.push_back({move.from, move.to, move.first, move.count});
    EXPECT_THAT(seen, ElementsAre(ElementsAre(0, 3, 0, 4), ElementsAre(0, 1, 4, 1),
                                  ElementsAre(1, 1, 5, 3), ElementsAre(2, 1, 8, 2)));
}

TEST(SlicePlanner, slices_by_speed_where_messages_cost_nearly_nothing) {
    SlicePlanner planner = planner_on(bus({1, 2, 4}), {"h2", "h0", "h1"}, job(70));
    const RingSlices slices = planner.plan();
    EXPECT_THAT(counts_of_ranks(slices, 3), ElementsAre(10, 40, 20));
    EXPECT_NEAR(slices.step_time, 40, 1e-3);
}

TEST(SlicePlanner, leaves_the_work_to_one_host_where_messages_cost_too_much) {
    SlicePlanner planner = planner_on(bus({1, 2, 4}), {"h2", "h0", "h1"}, job(70, 1e9));
    const RingSlices slices = planner.plan();
    EXPECT_THAT(slices.ranks, ElementsAre(1));
    EXPECT_DOUBLE_EQ(slices.step_time, 70);
}

TEST(SlicePlanner, divides_a_hosts_columns_among_its_ranks_side_by_side) {
    SlicePlanner planner = planner_on(bus({1, 1}), {"h0", "h1", "h0.site", "h1"}, job(22));
    const RingSlices slices = planner.plan();
    EXPECT_THAT(counts_of_ranks(slices, 4), UnorderedElementsAre(6, 6, 5, 5));
    const bool begins_with_h0 = slices.ranks[0] == 0;
    EXPECT_THAT(slices.ranks, begins_with_h0 ? ElementsAre(0, 2, 1, 3) : ElementsAre(1, 3, 0, 2));
}

TEST(SlicePlanner, takes_no_host_without_a_rank) {
    SlicePlanner planner = planner_on(bus({4, 1, 4}), {"h0", "h2"}, job(10));
    EXPECT_THAT(counts_of_ranks(planner.plan(), 2), ElementsAre(5, 5));
}

TEST(SlicePlanner, takes_all_hosts_in_orders_that_know_nothing_of_the_network) {
    RingJob by_speed = job(70, 1e9);
    by_speed.order = RingOrder::by_speed;
    const auto slices = planner_on(bus({1, 2, 4}), {"h2", "h0", "h1"}, by_speed).plan();
    EXPECT_THAT(slices.ranks, ElementsAre(1, 2, 0));
    EXPECT_THAT(slices.counts, ElementsAre(40, 20, 10));
    // Six messages, four of them over each host's link.
    EXPECT_NEAR(slices.step_time, 40 + 4 * 1e9 / 1e6, 1e-6);
}

TEST(SlicePlanner, slices_anew_when_a_host_slows_down_and_enough_steps_are_left) {
    SlicePlanner planner = planner_on(bus({1, 1, 1}), {"h0", "h1", "h2"}, job(90));
    const RingSlices slices{{0, 1, 2}, {30, 30, 30}, 30};
    const std::vector<double> seconds{1, 4, 1};  // h1 takes four times as long
    const auto outlook = planner.look_ahead(slices, seconds, 100, 1e6);
    EXPECT_NEAR(outlook.step_time_now, 120, 1e-3);
    EXPECT_THAT(counts_of_ranks(outlook.slices, 3), ElementsAre(40, 10, 40));
    EXPECT_NEAR(outlook.slices.step_time, 40, 1e-3);
    // h1 hands 20 columns over its own link.
    EXPECT_NEAR(outlook.time_of_moving, 20, 1e-6);
    EXPECT_TRUE(outlook.pays);
    EXPECT_FALSE(planner.look_ahead(slices, seconds, 0.1, 1e6).pays);
}

TEST(SlicePlanner, keeps_slices_that_are_right_and_moves_nothing) {
    SlicePlanner planner = planner_on(bus({1, 2, 4}), {"h0", "h1", "h2"}, job(70));
    const RingSlices slices = planner.plan();
    const auto outlook = planner.look_ahead(slices, std::vector{3.0, 6.0, 12.0}, 1000, 1e6);
    EXPECT_FALSE(outlook.pays);
    EXPECT_DOUBLE_EQ(outlook.time_of_moving, 0);
}

TEST(SlicePlanner, takes_a_host_that_nobody_measured_at_the_networks_word_in_proportion) {
    RingJob expensive = job(70, 1e9);
    SlicePlanner planner = planner_on(bus({1, 2, 4}, 1e12), {"h0", "h1", "h2"}, expensive);
    const RingSlices alone{{0}, {70}, 70};
    // h0 is as slow as h1 and h2 would be: all three are alike, had h1 and h2 been measured.
    const auto outlook = planner.look_ahead(alone, std::vector{2.0, 0.0, 0.0}, 1000, 1);
    EXPECT_THAT(counts_of_ranks(outlook.slices, 3), ElementsAre(40, 20, 10));
    EXPECT_NEAR(outlook.slices.step_time, 80, 0.1);
}

TEST(SlicePlanner, refuses_what_makes_no_sense_in_one_line) {
    const auto make = [](const std::vector<std::string>& hosts, const RingJob& what) {
        (void)planner_on(bus({1, 1}), hosts, what);
    };
    EXPECT_THAT(
        [&] {
            make({"h0", "elsewhere"}, job(5));
        },
        Throws<InputError>(Property(&InputError::what, HasSubstr("'elsewhere'"))));
    EXPECT_THROW(make({"h0"}, job(0)), InputError);
    EXPECT_THROW(make({"h0"}, job(5, 0)), InputError);
    EXPECT_THROW(make({"h0"}, job(5, -1)), InputError);
    const network::Network sender(network::SenderNetwork{"s", {{"a", 1, 1, true}}});
    EXPECT_THAT([&] { (void)planner_on(sender, {"a"}, job(5)); },
                Throws<InputError>(Property(&InputError::what, HasSubstr("net: model"))));
}

}  // namespace
}  // namespace espalier::slices
