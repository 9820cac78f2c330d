#include "network/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace espalier::network {
namespace {

PLogP link(double time, std::optional<double> spread = std::nullopt) {
    return {CostTable(Seconds(time)), CostTable(Seconds(2 * time)), spread};
}

/// A site of two clusters, and one cluster far away; one shared capacity.
GridNetwork example() {
    GridNetwork inner;
    inner.links = {2, 2, link(1, 0.0)};
    inner.clusters.resize(2);
    inner.clusters[0].name = "x";
    inner.clusters[0].size = 2;
    inner.clusters[0].inside = Cluster::Local{link(0.1, 0.5)};
    inner.clusters[0].within_node = link(0.01);
    inner.clusters[1].name = "y";
    GridNetwork grid;
    grid.links = {2, 2, link(10, 1.0)};
    grid.links(1, 0) = link(20);
    grid.uncertainty = 0.25;
    grid.clusters.resize(2);
    grid.clusters[0].name = "site";
    grid.clusters[0].size = 3;
    grid.clusters[0].inside = std::make_shared<const GridNetwork>(std::move(inner));
    grid.clusters[1].name = "far";
    grid.shared.push_back({"uplink", BytesPerSecond(1e6), {{0, 1}}, 0.1});
    return grid;
}

/// The factors of one cost in all scenarios, in ascending order.
template <typename Get>
std::vector<double> sorted(const std::vector<Scenario>& scenarios, Get get) {
    std::vector<double> found;
    for (const Scenario& scenario : scenarios) found.push_back(get(scenario));
    std::ranges::sort(found);
    return found;
}

TEST(Scenarios, take_each_hundredth_of_a_cost_once) {
    const GridNetwork grid = example();
    const GridView view(grid);
    const auto scenarios = draw_scenarios(view);
    ASSERT_EQ(scenarios.size(), scenario_count);
    // A relative spread of 1: two of three are within a factor of 2.
    const auto far = sorted(scenarios, [](const Scenario& s) { return s.links(0, 2); });
    EXPECT_EQ(std::ranges::count_if(far, [](double f) { return f > 0.5 && f < 2; }), 68);
    EXPECT_NEAR(far[49] * far[50], 1, 1e-12);
    // Between the 90th and the 91st of a normal distribution: 1.2816 deviations.
    EXPECT_LT(far[89], std::pow(2, 1.2816));
    EXPECT_GT(far[90], std::pow(2, 1.2816));
    // What states none has the network's uncertainty.
    for (const auto& factors :
         {sorted(scenarios, [](const Scenario& s) { return s.links(2, 0); }),
          sorted(scenarios, [](const Scenario& s) { return s.within_node[0]; })})
        EXPECT_EQ(std::ranges::count_if(factors, [](double f) { return f > 1 / 1.25 && f < 1.25; }),
                  68);
    const auto inside = sorted(scenarios, [](const Scenario& s) { return s.links(0, 0); });
    EXPECT_EQ(std::ranges::count_if(inside, [](double f) { return f > 1 / 1.5 && f < 1.5; }), 68);
    const auto shared = sorted(scenarios, [](const Scenario& s) { return s.shared[0]; });
    EXPECT_EQ(std::ranges::count_if(shared, [](double f) { return f > 1 / 1.1 && f < 1.1; }), 68);
    EXPECT_EQ(sorted(scenarios, [](const Scenario& s) { return s.links(0, 1); }),
              std::vector<double>(scenario_count, 1));
}

TEST(Scenarios, come_in_pairs_of_reciprocals_and_share_the_draws_of_one_link) {
    const GridNetwork grid = example();
    const GridView view(grid);
    const auto scenarios = draw_scenarios(view);
    bool alike = true;
    for (std::size_t s = 0; s < scenarios.size(); s += 2) {
        EXPECT_NEAR(scenarios[s].links(0, 2) * scenarios[s + 1].links(0, 2), 1, 1e-12);
        EXPECT_EQ(scenarios[s].links(0, 2), scenarios[s].links(1, 2));
        alike = alike && (scenarios[s].links(0, 2) > 1) == (scenarios[s].links(2, 0) > 1);
    }
    EXPECT_FALSE(alike) << "each link has an order of its own";
}

TEST(Scenarios, are_the_same_each_time_and_others_for_another_seed) {
    const GridNetwork grid = example();
    const GridView view(grid);
    const auto links = [](const std::vector<Scenario>& scenarios) {
        std::vector<double> found;
        for (const Scenario& scenario : scenarios) found.push_back(scenario.links(0, 2));
        return found;
    };
    EXPECT_EQ(links(draw_scenarios(view)), links(draw_scenarios(GridView(grid))));
    EXPECT_NE(links(draw_scenarios(view)), links(draw_scenarios(view, 2)));
    // On every machine, as far as its exponentials go.
    EXPECT_NEAR(draw_scenarios(view)[0].links(0, 2), 3.02764, 1e-4);
}

TEST(Costs, at_a_percentile_and_at_their_mean_are_those_of_log_normal_times) {
    const GridNetwork grid = example();
    const double ninety = 1.2815515655446004;
    const GridNetwork high = at_percentile(grid, 90);
    EXPECT_NEAR(high.links(0, 1)->latency(Bytes(0)).value, 10 * std::pow(2, ninety), 1e-9);
    EXPECT_NEAR(high.links(1, 0)->gap(Bytes(0)).value, 40 * std::pow(1.25, ninety), 1e-9);
    EXPECT_NEAR(high.shared[0].capacity.value, 1e6 / std::pow(1.1, ninety), 1e-3);
    const GridNetwork& inner = *high.clusters[0].grid();
    EXPECT_EQ(inner.links(0, 1)->latency(Bytes(0)), Seconds(1));
    EXPECT_NEAR(inner.clusters[0].local()->latency(Bytes(0)).value, 0.1 * std::pow(1.5, ninety),
                1e-9);
    EXPECT_NEAR(inner.clusters[0].within_node->gap(Bytes(0)).value, 0.02 * std::pow(1.25, ninety),
                1e-9);
    EXPECT_NEAR(at_percentile(grid, 50).links(0, 1)->latency(Bytes(0)).value, 10, 1e-12);
    const double deviation = std::log(2);
    EXPECT_NEAR(at_mean(grid).links(0, 1)->latency(Bytes(0)).value,
                10 * std::exp(deviation * deviation / 2), 1e-9);
}

}  // namespace
}  // namespace espalier::network
