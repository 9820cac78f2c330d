#include "measure/method/filling.hpp"
#include "measure/hidden_network.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace espalier::measure {
namespace {

using test::HiddenNetwork;

// The hidden network fills stream by stream.
TEST(Filling, is_what_all_hosts_together_get) {
    HiddenNetwork network({{4}, {2}, {5}, {3}});
    network.port = 9e6;
    std::vector<Bottleneck> known;
    const auto add = [&](const std::vector<std::size_t>& from, const std::vector<std::size_t>& to,
                         double capacity) {
        const Bottleneck bottleneck{from, to, false, Bottleneck::Place::between, capacity};
        known.push_back(bottleneck);
        network.capacities.push_back({"", capacity, [bottleneck](std::size_t i, std::size_t j) {
                                          return bottleneck.covers(i, j);
                                      }});
    };
    add({0}, {1, 2, 3}, 21e6);
    add({1, 2, 3}, {0}, 5e6);
    add({0, 1}, {2, 3}, 17e6);
    add({2}, {3}, 4e6);
    const Surroundings surroundings = network.surroundings();
    for (const Bottleneck& about : {Bottleneck{{0}, {1, 2, 3}}, Bottleneck{{0, 2}, {1, 3}},
                                    Bottleneck{{1}, {0}}, Bottleneck{{0, 1, 2}, {3}}})
        EXPECT_NEAR(filling(surroundings, known, about.pairs()), network.most(about), 1);
}

TEST(Filling, has_no_end_where_nothing_limits) {
    const Surroundings surroundings = HiddenNetwork({{1}, {1}}).surroundings();
    EXPECT_TRUE(std::isinf(filling(surroundings, {}, {{0, 1}})));
}

}  // namespace
}  // namespace espalier::measure
