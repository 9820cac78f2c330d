#include "plan/algorithm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace espalier {
namespace {

using plan::Algorithm;
using plan::algorithms;
using plan::Family;
using plan::find_algorithm;
using ::testing::IsSupersetOf;

std::vector<std::string_view> names_of(Family family) {
    std::vector<std::string_view> names;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.family == family) names.push_back(algorithm.name);
    return names;
}

TEST(Algorithms, include_every_heuristic_between_clusters) {
    EXPECT_THAT(names_of(Family::grid),
                IsSupersetOf({"flat", "fef", "ecef", "ecef-la", "ecef-la-average-b",
                              "ecef-la-average-ab", "ecef-lat-min", "ecef-lat-max", "bottom-up",
                              "bottom-up-la", "multilevel", "binomial", "search", "optimal"}));
}

TEST(Algorithms, include_every_strategy_inside_a_cluster) {
    EXPECT_THAT(
        names_of(Family::local),
        IsSupersetOf({"flat", "flat-rendezvous", "flat-segmented", "chain", "chain-rendezvous",
                      "chain-segmented", "binary", "binomial", "binomial-rendezvous",
                      "binomial-segmented", "scatter-collect", "d-ary"}));
}

TEST(Algorithms, have_one_name_each_within_a_family) {
    std::set<std::pair<Family, std::string_view>> seen;
    for (const Algorithm& algorithm : algorithms())
        EXPECT_TRUE(seen.emplace(algorithm.family, algorithm.name).second) << algorithm.name;
}

TEST(Algorithms, say_what_they_are_for_in_one_line) {
    for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        EXPECT_FALSE(algorithm.description.empty());
        EXPECT_EQ(algorithm.description.find('\n'), std::string_view::npos);
        EXPECT_FALSE(algorithm.source.empty());
        EXPECT_FALSE(algorithm.collectives.empty());
        EXPECT_FALSE(algorithm.models.empty());
        for (const std::string_view model : algorithm.models)
            EXPECT_TRUE(model == "pairwise" || model == "grid" || model == "links") << model;
    }
}

TEST(Algorithms, make_what_their_family_plans) {
    for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        const auto* order =
            std::get_if<plan::grid::Order (*)(const plan::grid::Problem&)>(&algorithm.make);
        if (const auto* searcher = std::get_if<plan::grid::Searcher>(&algorithm.make)) {
            EXPECT_EQ(algorithm.family, Family::grid);
            EXPECT_NE(*searcher, nullptr);
        }
        const auto* gather = std::get_if<plan::gather::Planner>(&algorithm.make);
        EXPECT_EQ(gather != nullptr, algorithm.family == Family::allgather);
        EXPECT_TRUE(gather == nullptr || *gather != nullptr);
        const auto* composed = std::get_if<plan::composed::Planner>(&algorithm.make);
        EXPECT_EQ(composed != nullptr, algorithm.family == Family::composed);
        EXPECT_TRUE(composed == nullptr || *composed != nullptr);
        const auto* strategy = std::get_if<plan::local::Strategy>(&algorithm.make);
        if (order != nullptr) {
            EXPECT_EQ(algorithm.family, Family::grid);
            EXPECT_NE(*order, nullptr);
        }
        if (algorithm.family != Family::local) {
            EXPECT_EQ(strategy, nullptr);
            continue;
        }
        ASSERT_NE(strategy, nullptr);
        EXPECT_NE(strategy->make, nullptr);
        EXPECT_NE(strategy->formula, nullptr);
    }
}

TEST(Algorithms, of_a_segmented_name_are_segmented_strategies) {
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.family != Family::local || !algorithm.name.ends_with("-segmented")) continue;
        SCOPED_TRACE(algorithm.name);
        EXPECT_TRUE(std::get<plan::local::Strategy>(algorithm.make).segmented);
        // Without segments it is the strategy that lacks the word.
        const std::string whole(algorithm.name.substr(0, algorithm.name.rfind('-')));
        const Algorithm* same = find_algorithm(Family::local, whole);
        ASSERT_NE(same, nullptr);
        EXPECT_FALSE(std::get<plan::local::Strategy>(same->make).segmented);
    }
}

TEST(Algorithms, are_found_by_family_and_name) {
    for (const Algorithm& algorithm : algorithms())
        EXPECT_EQ(find_algorithm(algorithm.family, algorithm.name), &algorithm);
    EXPECT_NE(find_algorithm(Family::grid, "flat"), find_algorithm(Family::local, "flat"));
}

TEST(Algorithms, of_an_unknown_name_are_not_found) {
    EXPECT_EQ(find_algorithm(Family::grid, "chain"), nullptr);
    EXPECT_EQ(find_algorithm(Family::grid, ""), nullptr);
    EXPECT_EQ(find_algorithm(Family::grid, "ECEF"), nullptr);
}

TEST(Algorithms, belong_to_families_with_names_of_their_own) {
    std::set<std::string_view> names;
    for (const Family family : {Family::grid, Family::local, Family::sender, Family::exchange,
                                Family::demands, Family::allgather, Family::composed, Family::ring})
        EXPECT_TRUE(names.insert(plan::name_of(family)).second);
    EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace espalier
