#include "network/grid_rates.hpp"

#include "network/json.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::network {
namespace {

/// Two sites: one of clusters a and b, and c alone.
GridNetwork nested() {
    return *parse_network(R"({"format": "espalier-network", "version": 1, "model": "grid",
        "clusters": [
            {"name": "site", "grid": {
                "clusters": [{"name": "a", "size": 2, "egress_Bps": 1e7, "ingress_Bps": 2e7,
                              "local": {"latency_s": 1e-4, "gap_s": {"1": 1e-6, "1000001": 0.1}}},
                             {"name": "b", "size": 1}],
                "latency_s": [[0, 1e-3], [2e-3, 0]],
                "gap_s": [[0, {"1": 1e-6, "1000001": 0.2}], [{"1": 1e-6, "1000001": 0.2}, 0]],
                "shared": [{"name": "rack", "capacity_Bps": 3e6, "pairs": [["a", "b"]]}]}},
            {"name": "c", "size": 1}],
        "latency_s": [[0, 1e-2], [3e-2, 0]],
        "gap_s": [[0, {"1": 1e-6, "1000001": 1.000001}], [{"1": 1e-6, "1000001": 1.000001}, 0]]})",
                          "test")
                .grid();
}

GridRate rate_named(const GridNetwork& grid, const std::string& name) {
    const auto rates = rates_of(grid);
    const auto found =
        std::ranges::find_if(rates, [&](const auto& rate) { return name_of(rate, grid) == name; });
    EXPECT_NE(found, rates.end()) << name;
    return found == rates.end() ? GridRate{} : *found;
}

TEST(GridRates, of_all_levels_have_names_and_can_be_changed_one_by_one) {
    const GridNetwork grid = nested();
    EXPECT_EQ(rates_of(grid).size(), 8U);
    const GridNetwork& site = *grid.clusters[0].grid();
    const auto changed = [&](const std::string& name) {
        return with_rate(grid, rate_named(grid, name), 0.5);
    };
    const GridNetwork rack = changed("rack");
    EXPECT_EQ(rack.clusters[0].grid()->shared[0].capacity.value, 1.5e6);
    EXPECT_EQ(rack.clusters[0].grid()->links(0, 1), site.links(0, 1));
    EXPECT_EQ(site.shared[0].capacity.value, 3e6) << "what was changed is a copy";
    EXPECT_EQ(changed("what nodes of a send").clusters[0].grid()->clusters[0].egress->value, 5e6);
    EXPECT_EQ(changed("what nodes of a receive").clusters[0].grid()->clusters[0].ingress->value,
              1e7);
    const GridNetwork outside = changed("site to c");
    EXPECT_DOUBLE_EQ(outside.links(0, 1)->gap(Bytes(1'000'001)).value, 2.000001);
    EXPECT_EQ(outside.links(0, 1)->gap(Bytes(1)), grid.links(0, 1)->gap(Bytes(1)));
    EXPECT_EQ(outside.links(1, 0), grid.links(1, 0));
    EXPECT_EQ(outside.clusters[0].grid(), grid.clusters[0].grid());
    EXPECT_GT(changed("inside a").clusters[0].grid()->clusters[0].local()->gap(Bytes(1'000'000)),
              site.clusters[0].local()->gap(Bytes(1'000'000)));
}

TEST(GridRates, are_used_by_messages_between_the_leaves_that_they_lie_between) {
    const GridNetwork grid = nested();
    const GridView view(grid);
    const auto uses = [&](const std::string& name, std::size_t from, std::size_t to) {
        return is_used(rate_named(grid, name), view, from, to);
    };
    EXPECT_TRUE(uses("rack", 0, 1));
    EXPECT_FALSE(uses("rack", 1, 0) || uses("rack", 0, 2));
    EXPECT_TRUE(uses("site to c", 0, 2) && uses("site to c", 1, 2));
    EXPECT_FALSE(uses("site to c", 2, 0) || uses("site to c", 0, 1));
    EXPECT_TRUE(uses("inside a", 0, 0) && uses("what nodes of a send", 0, 2));
    EXPECT_FALSE(uses("inside a", 0, 1) || uses("what nodes of a send", 1, 2));
}

TEST(GridRates, slow_down_gaps_that_noise_let_fall_without_a_time_below_none) {
    GridNetwork grid = nested();
    const GridRate link = rate_named(grid, "site to c");
    PLogP& costs = *grid.links(link.index, link.to);
    costs.gap = CostTable(
        {{Bytes(1), Seconds(2e-5)}, {Bytes(64), Seconds(1e-5)}, {Bytes(1'000'000), Seconds(1)}});
    const CostTable slow = with_rate(grid, link, 1e-6).links(link.index, link.to)->gap;
    EXPECT_DOUBLE_EQ(slow(Bytes(64)).value, 1e-5);
    EXPECT_NEAR(slow(Bytes(1)).value, 10, 1e-3);
    EXPECT_NEAR(slow(Bytes(1'000'000)).value, 1e6, 20);
}

TEST(GridRates, latencies_change_where_two_leaves_part) {
    const GridNetwork grid = nested();
    const GridView view(grid);
    const GridRate within = link_between(view, 0, 1);
    EXPECT_EQ(name_of(within, grid), "a to b");
    GridRate back = within;
    std::swap(back.index, back.to);
    const GridNetwork later =
        with_later(with_later(grid, within, Seconds(4e-3)), back, Seconds(-5e-3));
    EXPECT_DOUBLE_EQ(later.clusters[0].grid()->links(0, 1)->latency(Bytes(1)).value, 5e-3);
    EXPECT_EQ(later.clusters[0].grid()->links(1, 0)->latency(Bytes(1)).value, 0);
    EXPECT_EQ(later.links(0, 1), grid.links(0, 1));
    const GridRate sites = link_between(view, 2, 1);
    EXPECT_EQ(name_of(sites, grid), "c to site");
    const GridNetwork apart = with_later(grid, sites, Seconds(1e-2));
    EXPECT_DOUBLE_EQ(apart.links(1, 0)->latency(Bytes(1)).value, 4e-2);
    EXPECT_EQ(apart.links(0, 1), grid.links(0, 1));
    EXPECT_EQ(apart.links(1, 0)->gap, grid.links(1, 0)->gap);
}

TEST(GridRates, are_found_by_name_with_what_they_are) {
    const GridNetwork grid = nested();
    for (const GridRate& rate : rates_of(grid)) {
        SCOPED_TRACE(name_of(rate, grid));
        RateName name = named(rate, grid);
        EXPECT_EQ(find_rate(name, grid), rate);
        const double stated = value_of(rate, grid).value;
        EXPECT_NEAR(value_of(rate, with_rate(grid, rate, 0.25)).value, stated / 4, 1e-9 * stated);
        name.name = "z";
        EXPECT_EQ(find_rate(name, grid), std::nullopt);
    }
    const GridRate rack = rate_named(grid, "rack");
    EXPECT_EQ(named(rack, grid), (RateName{GridRate::Kind::shared, {"site"}, "rack", ""}));
    EXPECT_EQ(value_of(rack, grid).value, 3e6);
    EXPECT_DOUBLE_EQ(value_of(rate_named(grid, "site to c"), grid).value, 1e6);
    EXPECT_EQ(latency_of(rate_named(grid, "a to b"), grid).value, 1e-3);
}

TEST(GridRates, changes_of_one_rate_are_one_change) {
    const GridNetwork grid = nested();
    const GridRate sites = rate_named(grid, "site to c");
    std::vector<GridChange> changes;
    add_change(changes, {sites, 0.5, Seconds(0)});
    add_change(changes, {rate_named(grid, "rack"), 3, Seconds(0)});
    add_change(changes, {sites, 0.5, Seconds(2e-2)});
    EXPECT_EQ(in_words(changes, grid),
              "site to c carries 0.25 times as much, site to c takes 20 ms longer, rack carries 3 "
              "times as much");
    const GridNetwork changed = with_change(grid, changes.front());
    EXPECT_NEAR(value_of(sites, changed).value, 2.5e5, 1);
    EXPECT_NEAR(latency_of(sites, changed).value, 3e-2, 1e-12);
    EXPECT_EQ(in_words({}, grid), "");
}

}  // namespace
}  // namespace espalier::network
