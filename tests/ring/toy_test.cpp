// The toy example of legrand-2003, section 2.4: its constraints, derived from its paths.
#include "ring/allocation.hpp"
#include "ring/routes.hpp"

#include "support/toy_ring.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace espalier::ring {
namespace {

using ::testing::UnorderedElementsAre;

/// The unknowns of the paper: `s3d` is what the path from P3 to its successor has of link d, and
/// `p3d` what that to its predecessor has.
using Unknowns = std::set<std::string>;

struct Toy {
    network::LinksNetwork network = test::toy_platform();
    schedule::StatedRing ring = test::toy_ring();
    Platform platform{network};
    RouteTable routes = widest_routes(platform);
    Problem problem{platform, routes, *ring.work, *ring.exchange};

    /// The embedding that the stated paths make, with their bandwidths.
    std::pair<Embedding, Rates> embedding() const {
        Embedding made{{0, 1, 2, 3, 4}, {}, {}};
        Rates rates;
        for (std::size_t path = 0; path < ring.paths.size(); ++path) {
            const bool onwards = path % 2 == 0;
            Path links;
            for (const std::string& name : ring.paths[path].links)
                links.push_back(static_cast<LinkId>(name[0] - 'a'));
            (onwards ? made.to_successor : made.to_predecessor).push_back(links);
            (onwards ? rates.to_successor : rates.to_predecessor)
                .push_back(ring.paths[path].bandwidth);
        }
        return {made, rates};
    }
};

/// For each link, what is summed in its condition.
std::map<std::string, Unknowns> conditions(const schedule::StatedRing& ring) {
    std::map<std::string, Unknowns> of_links;
    for (std::size_t path = 0; path < ring.paths.size(); ++path)
        for (const std::string& link : ring.paths[path].links)
            of_links[link].insert((path % 2 == 0 ? "s" : "p") + std::to_string(path / 2 + 1) +
                                  link);
    return of_links;
}

TEST(ToyExample, has_paths_that_exist_on_its_platform) {
    const Toy toy;
    const auto [embedding, rates] = toy.embedding();
    const auto node = [&](const std::string& name) {
        std::size_t index = 0;
        while (toy.network.nodes[index].name != name) ++index;
        return index;
    };
    ASSERT_EQ(toy.network.nodes.size(), 7);
    ASSERT_EQ(toy.network.links.size(), 8);
    for (const auto& path : toy.ring.paths) {
        std::size_t at = node(path.from);
        for (const std::string& name : path.links) {
            const auto& ends = *toy.network.links[static_cast<std::size_t>(name[0] - 'a')].ends;
            ASSERT_TRUE(ends.from == at || ends.to == at) << path.from << " " << name;
            at = ends.from == at ? ends.to : ends.from;
        }
        EXPECT_EQ(at, node(path.to));
    }
}

TEST(ToyExample, has_the_conditions_of_all_links_that_the_paper_prints) {
    const auto of_links = conditions(test::toy_ring());
    EXPECT_EQ(of_links.size(), 8);
    EXPECT_THAT(of_links.at("a"), UnorderedElementsAre("s1a"));
    EXPECT_THAT(of_links.at("b"), UnorderedElementsAre("s1b", "s4b", "p2b", "p5b"));
    EXPECT_THAT(of_links.at("c"), UnorderedElementsAre("s2c"));
    EXPECT_THAT(of_links.at("d"), UnorderedElementsAre("s2d", "s3d", "p3d", "p4d"));
    EXPECT_THAT(of_links.at("e"), UnorderedElementsAre("s3e", "p3e", "p4e"));
    EXPECT_THAT(of_links.at("f"), UnorderedElementsAre("s4f", "p3f", "p5f"));
    EXPECT_THAT(of_links.at("g"), UnorderedElementsAre("s4g", "p2g", "p5g"));
    EXPECT_THAT(of_links.at("h"), UnorderedElementsAre("s5h", "p1h", "p2h"));
}

TEST(ToyExample, has_more_conditions_on_costs_than_equation_2) {
    // As printed, row by row: unknown times cost of its path is at least 1.
    const std::vector<std::string> printed{
        "s1a", "s1b", "p1h", "s2c", "s2d", "p2b", "p2g", "p2h", "s3d", "s3e", "p3d",
        "p3e", "p3f", "s4f", "p4e", "s4g", "p4e", "p5b", "p5f", "p5g", "p5b",
    };
    Unknowns missing;
    for (const auto& [link, unknowns] : conditions(test::toy_ring()))
        for (const std::string& unknown : unknowns)
            if (std::ranges::count(printed, unknown) == 0) missing.insert(unknown);
    EXPECT_THAT(missing, UnorderedElementsAre("s4b", "p4d", "s5h"));
    // In their places it has two conditions twice.
    Unknowns seen;
    Unknowns twice;
    for (const std::string& unknown : printed)
        if (!seen.insert(unknown).second) twice.insert(unknown);
    EXPECT_THAT(twice, UnorderedElementsAre("p4e", "p5b"));
}

TEST(ToyExample, has_bandwidths_that_are_enough_for_its_stated_step) {
    const Toy toy;
    const auto [embedding, rates] = toy.embedding();
    const Division division = divide_work(toy.problem, embedding, rates);
    EXPECT_NEAR(division.step_time, toy.ring.step_time, 1e-12 * toy.ring.step_time);
    for (std::size_t place = 0; place < 5; ++place)
        EXPECT_NEAR(division.shares[place], toy.ring.shares[place].second, 1e-12);
    const Optimum optimum = optimal_rates(toy.problem, embedding);
    EXPECT_LT(optimum.division.step_time, toy.ring.step_time);
}

}  // namespace
}  // namespace espalier::ring
