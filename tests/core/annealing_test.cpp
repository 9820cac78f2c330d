#include "core/annealing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace espalier {
namespace {

/// Whole numbers from -30 to 30, in steps of one, with a local minimum at 0 and the least cost
/// at 20.
class Hills {
public:
    [[nodiscard]] double cost() const { return cost_of(place_); }
    [[nodiscard]] std::optional<double> change(Random& random) {
        changed_ = place_ + (random.below(2) == 0 ? -1 : 1);
        if (std::abs(changed_) > 30) return std::nullopt;
        return cost_of(changed_);
    }
    void keep() { place_ = changed_; }
    void take_back() { ++taken_back; }
    void remember() { best = place_; }
    [[nodiscard]] std::uint64_t steps() const { return 3; }

    int best = 0;
    int taken_back = 0;

private:
    [[nodiscard]] static double cost_of(int place) {
        return 10 + std::min(1 + std::abs(place), std::abs(20 - place));
    }

    int place_ = 0;
    int changed_ = 0;
};

TEST(Annealing, leaves_a_local_minimum_and_remembers_the_best_place) {
    // Ten steps up lead from one to the other.
    Hills hills;
    Random random(1);
    Meter meter(Limits{Seconds(1000), 3'000'000});
    anneal(hills, {1, 0.01}, random, meter);
    EXPECT_EQ(hills.best, 20);
    EXPECT_GT(hills.taken_back, 0);
    EXPECT_TRUE(meter.over());
}

TEST(Annealing, stops_where_the_cost_is_low_enough_and_where_the_meter_is_over) {
    Hills hills;
    Random random(1);
    Meter meter(Limits{Seconds(1000), 3'000'000});
    anneal(hills, {0.1, 0.01}, random, meter, 11);
    EXPECT_EQ(meter.spent(), 0U);
    Meter nothing(Limits{Seconds(1000), 0});
    anneal(hills, {0.1, 0.01}, random, nothing);
    EXPECT_EQ(nothing.spent(), 0U);
    EXPECT_EQ(hills.best, 0);
}

}  // namespace
}  // namespace espalier
