#include "measure/method/sites.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using testing::ElementsAre;

Matrix<double> distances(const std::vector<double>& places) {
    Matrix<double> found(places.size(), places.size(), 0);
    for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t j = 0; j < places.size(); ++j)
            found(i, j) = std::abs(places[i] - places[j]);
    return found;
}

TEST(Sites, are_clusters_much_nearer_to_each_other_than_to_the_rest) {
    EXPECT_THAT(guess_sites(distances({0, 10, 0.2, 10.3, 5})),
                ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4)));
}

TEST(Sites, are_single_clusters_where_distances_grow_evenly) {
    EXPECT_THAT(guess_sites(distances({0, 1, 3, 6})),
                ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
    EXPECT_THAT(guess_sites(distances({0, 1})), ElementsAre(ElementsAre(0), ElementsAre(1)));
    EXPECT_THAT(guess_sites(distances({0})), ElementsAre(ElementsAre(0)));
}

}  // namespace
}  // namespace espalier::measure
