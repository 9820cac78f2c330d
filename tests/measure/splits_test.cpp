#include "measure/method/splits.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace espalier::measure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Splits, of_a_line_are_between_its_inner_neighbours) {
    const std::vector<double> places{0, 3, 8, 12, 14};
    Matrix<double> distances(5, 5, 0);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) distances(i, j) = std::abs(places[i] - places[j]);
    EXPECT_THAT(splits_of_tree(distances),
                UnorderedElementsAre(ElementsAre(2, 3, 4), ElementsAre(3, 4)));
}

TEST(Splits, are_none_of_three) {
    EXPECT_THAT(splits_of_tree(Matrix<double>(3, 3, 1)), IsEmpty());
    EXPECT_THAT(splits_of_tree(Matrix<double>(0, 0)), IsEmpty());
}

/// Pairs of leaves, {0, 1}, {2, 3} and {4, 5}, of a tree with one inner node for each pair and one
/// in the middle; leaves are 1 from the pair's node, that is 10 from the middle, all by some error.
TEST(Splits, are_those_of_a_tree_though_distances_are_not_exact) {
    Matrix<double> distances(6, 6, 0);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double error = 0.1 * static_cast<double>((i * 7 + j * 3) % 5);
            distances(i, j) = distances(j, i) = (i / 2 == j / 2 ? 2 : 22) + error;
        }
    std::set<std::vector<std::size_t>> found;
    for (const auto& side : splits_of_tree(distances)) found.insert(side);
    EXPECT_THAT(
        found, UnorderedElementsAre(ElementsAre(2, 3), ElementsAre(4, 5), ElementsAre(2, 3, 4, 5)));
}

}  // namespace
}  // namespace espalier::measure
