#include "measure/method/sessions.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace espalier::measure {
namespace {

Matrix<double> random_round_trips(std::size_t clusters, Random& random) {
    Matrix<double> trips(clusters, clusters);
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            trips(i, j) = random.uniform(1e-4, 0.1);
            trips(j, i) = trips(i, j);
        }
    return trips;
}

TEST(Sessions, every_ordered_pair_has_one_and_half_of_them_if_symmetric) {
    Random random(1);
    for (const std::size_t clusters : {1U, 2U, 3U, 6U, 9U}) {
        std::set<std::pair<std::size_t, std::size_t>> pairs;
        for (const Session& session : plan_sessions(random_round_trips(clusters, random), false))
            EXPECT_TRUE(pairs.insert({session.from, session.to}).second);
        EXPECT_EQ(pairs.size(), clusters * (clusters - 1));
        const auto half = plan_sessions(random_round_trips(clusters, random), true);
        EXPECT_EQ(half.size(), clusters * (clusters - 1) / 2);
        for (const Session& session : half) EXPECT_LT(session.from, session.to);
    }
}

TEST(Sessions, keep_the_common_deadline_if_each_keeps_its_share) {
    Random random(7);
    for (const std::size_t clusters : {2U, 5U, 6U, 12U}) {
        std::vector<double> free(clusters, 0);
        const double deadline = 5;
        for (const Session& session : plan_sessions(random_round_trips(clusters, random), false)) {
            const double start = std::max(free[session.from], free[session.to]);
            const double allowed = (deadline - start) * session.weight / session.tail;
            EXPECT_GT(allowed, 0);
            // Some take less.
            const double end = start + allowed * (random.uniform() < 0.3 ? random.uniform() : 1);
            free[session.from] = end;
            free[session.to] = end;
        }
        EXPECT_LE(*std::max_element(free.begin(), free.end()), deadline + 1e-9);
    }
}

}  // namespace
}  // namespace espalier::measure
