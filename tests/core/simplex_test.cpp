#include "core/simplex.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace espalier {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

struct Program {
    std::vector<double> supply;
    std::vector<std::vector<double>> use;  ///< by column and row
    std::vector<double> gain;
};

Simplex simplex_of(const Program& program) {
    Simplex simplex(program.supply);
    for (std::size_t c = 0; c < program.use.size(); ++c) {
        std::vector<Simplex::Entry> entries;
        for (std::size_t r = 0; r < program.supply.size(); ++r)
            if (program.use[c][r] != 0) entries.push_back({r, program.use[c][r]});
        simplex.add_column(entries, program.gain[c]);
    }
    return simplex;
}

/// What two equations in two unknowns say of them; nothing where they do not tell.
std::optional<std::pair<double, double>> crossing(const std::array<double, 3>& a,
                                                  const std::array<double, 3>& b) {
    const double determinant = a[0] * b[1] - a[1] * b[0];
    if (std::abs(determinant) < 1e-9) return std::nullopt;
    return std::pair((a[2] * b[1] - a[1] * b[2]) / determinant,
                     (a[0] * b[2] - a[2] * b[0]) / determinant);
}

/// The most that two columns gain: one of the corners, all of which it tries.
double best_corner(const Program& program) {
    std::vector<std::array<double, 3>> limits{{1, 0, 0}, {0, 1, 0}};
    for (std::size_t r = 0; r < program.supply.size(); ++r)
        limits.push_back({program.use[0][r], program.use[1][r], program.supply[r]});
    double best = 0;
    for (std::size_t a = 0; a < limits.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const auto corner = crossing(limits[a], limits[b]);
            if (!corner || corner->first < -1e-9 || corner->second < -1e-9) continue;
            bool fits = true;
            for (std::size_t r = 2; r < limits.size(); ++r)
                fits = fits && limits[r][0] * corner->first + limits[r][1] * corner->second <=
                                   limits[r][2] + 1e-9;
            if (fits)
                best = std::max(best,
                                program.gain[0] * corner->first + program.gain[1] * corner->second);
        }
    return best;
}

/// Whole numbers, so that some rows and corners coincide; the last row limits every column.
Program random_program(Random& random, std::size_t columns) {
    Program program;
    const std::size_t rows = 1 + random.below(4);
    for (std::size_t r = 0; r < rows; ++r)
        program.supply.push_back(static_cast<double>(random.below(4)));
    for (std::size_t c = 0; c < columns; ++c) {
        program.use.emplace_back();
        for (std::size_t r = 0; r < rows; ++r)
            program.use.back().push_back(static_cast<double>(random.below(5)) - 1);
        program.use.back().back() = 1 + static_cast<double>(random.below(3));
        program.gain.push_back(static_cast<double>(random.below(6)) - 1);
    }
    return program;
}

TEST(Simplex, finds_the_best_corner) {
    Random random(1);
    for (int round = 0; round < 2000; ++round) {
        const Program program = random_program(random, 2);
        Simplex simplex = simplex_of(program);
        simplex.solve();
        ASSERT_NEAR(simplex.value(), best_corner(program), 1e-9) << round;
    }
}

/// Weak duality: prices that pay for every column bound all gains, so equal values prove both.
TEST(Simplex, proves_its_value_by_prices_that_pay_for_every_column) {
    Random random(2);
    for (int round = 0; round < 2000; ++round) {
        const Program program = random_program(random, 1 + random.below(12));
        Simplex simplex = simplex_of(program);
        simplex.solve();
        double paid = 0;
        for (std::size_t r = 0; r < program.supply.size(); ++r) {
            ASSERT_GE(simplex.prices()[r], -1e-9);
            paid += simplex.prices()[r] * program.supply[r];
        }
        double gained = 0;
        std::vector<double> used(program.supply.size(), 0);
        for (std::size_t c = 0; c < program.use.size(); ++c) {
            double cost = 0;
            for (std::size_t r = 0; r < program.supply.size(); ++r) {
                cost += simplex.prices()[r] * program.use[c][r];
                used[r] += simplex.amounts()[c] * program.use[c][r];
            }
            ASSERT_GE(cost, program.gain[c] - 1e-9);
            gained += simplex.amounts()[c] * program.gain[c];
        }
        for (std::size_t r = 0; r < used.size(); ++r) ASSERT_LE(used[r], program.supply[r] + 1e-9);
        ASSERT_NEAR(gained, simplex.value(), 1e-9);
        ASSERT_NEAR(paid, simplex.value(), 1e-9);
    }
}

TEST(Simplex, goes_on_from_its_solution_with_new_columns) {
    Random random(3);
    for (int round = 0; round < 500; ++round) {
        const Program program = random_program(random, 8);
        Simplex whole = simplex_of(program);
        whole.solve();
        Program part{program.supply, {}, {}};
        Simplex step_by_step = simplex_of(part);
        for (std::size_t c = 0; c < program.use.size(); ++c) {
            std::vector<Simplex::Entry> entries;
            for (std::size_t r = 0; r < program.supply.size(); ++r)
                entries.push_back({r, program.use[c][r]});
            step_by_step.add_column(entries, program.gain[c]);
            step_by_step.solve();
        }
        ASSERT_NEAR(step_by_step.value(), whole.value(), 1e-9);
    }
}

TEST(Simplex, mixes_columns_within_the_supply) {
    // Two thirds of the second and a third of the first use both rows up.
    Simplex simplex({1, 1});
    simplex.solve();
    EXPECT_EQ(simplex.value(), 0);
    simplex.add_column(std::vector<Simplex::Entry>{{0, 2}, {1, 1}}, 3);
    simplex.add_column(std::vector<Simplex::Entry>{{0, 0.5}, {1, 1}}, 1);
    simplex.solve();
    EXPECT_NEAR(simplex.value(), 5.0 / 3, 1e-12);
    EXPECT_THAT(simplex.prices(),
                ElementsAre(DoubleNear(4.0 / 3, 1e-12), DoubleNear(1.0 / 3, 1e-12)));
    EXPECT_NEAR(simplex.amounts()[0], 1.0 / 3, 1e-12);
}

TEST(Simplex, stops_where_nothing_limits_the_gain) {
    Simplex simplex({1});
    simplex.add_column({}, 1);
    simplex.solve();
    EXPECT_EQ(simplex.prices()[0], 0);
}

}  // namespace
}  // namespace espalier
