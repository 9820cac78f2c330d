#include "mpi/ranks.hpp"

#include <espalier/ring.hpp>

#include <gmock/gmock.h>
#include <mpi.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using espalier::Ring;
using espalier::RingError;
using espalier::RingJob;
using espalier::RingOrder;
using espalier::test::rank_in;
using espalier::test::size_of;

/// The network's hosts a to d are of one speed but for d, which is 1000 times slower; the test
/// environment says on which one a rank is.
RingJob job(int columns, double exchange_bytes = 8) {
    RingJob result;
    result.network = ESPALIER_SOURCE_DIR "/tests/mpi/ring-network.json";
    result.work = columns;
    result.exchange_bytes = exchange_bytes;
    result.columns = columns;
    result.planning_seconds = 0.1;
    return result;
}

TEST(Ring, gives_every_column_to_one_rank) {
    const Ring ring(MPI_COMM_WORLD, job(100));
    EXPECT_EQ(std::accumulate(ring.counts().begin(), ring.counts().end(), 0), 100);
    int own = ring.count();
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(own, 100);
    EXPECT_GT(ring.step_time(), 0);
    if (!ring.takes_part()) {
        EXPECT_EQ(ring.communicator(), MPI_COMM_NULL);
        EXPECT_EQ(ring.successor(), MPI_PROC_NULL);
        return;
    }
    EXPECT_EQ(rank_in(ring.communicator()), ring.place());
    EXPECT_EQ(size_of(ring.communicator()), ring.size());
    EXPECT_EQ(ring.first(), ring.displacements()[static_cast<std::size_t>(ring.place())]);
    EXPECT_EQ(ring.ranks()[static_cast<std::size_t>(ring.place())], rank_in(MPI_COMM_WORLD));
}

TEST(Ring, closes) {
    const Ring ring(MPI_COMM_WORLD, job(100));
    if (!ring.takes_part()) return;
    // What everybody passes on comes around.
    int value = ring.place();
    for (int step = 0; step < ring.size(); ++step)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, ring.successor(), 0, ring.predecessor(), 0,
                             ring.communicator(), MPI_STATUS_IGNORE);
    EXPECT_EQ(value, ring.place());
}

TEST(Ring, leaves_out_ranks_without_columns) {
    const Ring ring(MPI_COMM_WORLD, job(100, 1e12));
    EXPECT_EQ(ring.takes_part(), ring.count() > 0);
    // Messages would take for ever: one host does it all. Ranks of one host need no network.
    EXPECT_LE(ring.size(), 2);
}

TEST(Ring, takes_all_ranks_in_an_order_that_was_asked_for) {
    RingJob all = job(100000);
    all.order = RingOrder::by_speed;
    EXPECT_EQ(Ring(MPI_COMM_WORLD, all).size(), size_of(MPI_COMM_WORLD));
}

TEST(Ring, moves_columns_to_where_they_belong_when_a_rank_slows_down) {
    Ring ring(MPI_COMM_WORLD, job(120));
    constexpr int elements = 3;
    const auto fill = [&] {
        std::vector<int> slice;
        for (int column = ring.first(); column < ring.first() + ring.count(); ++column)
            for (int element = 0; element < elements; ++element)
                slice.push_back(column * 10 + element);
        return slice;
    };
    const std::vector<int> before = fill();
    const int counted = ring.count();
    // Whoever is at the first place takes 50 times as long as the others.
    const double seconds = ring.place() == 0 ? 50.0 : ring.takes_part() ? 1.0 : 0.0;
    const bool is_alone = ring.size() == 1;
    const auto change = ring.adapt(seconds, 1000000, 8.0 * elements);
    if (size_of(MPI_COMM_WORLD) > 2 && !is_alone) {
        EXPECT_TRUE(change.sliced_anew);
    }
    EXPECT_LE(change.step_time_after, change.step_time_before * (1 + 1e-9));
    if (!change.sliced_anew) {
        EXPECT_EQ(ring.count(), counted);
        return;
    }
    std::vector<int> after(static_cast<std::size_t>(ring.count() * elements), -1);
    ring.move_columns(before.data(), after.data(), elements, MPI_INT);
    EXPECT_EQ(after, fill());
    int own = ring.count();
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(own, 120);
}

TEST(Ring, stays_as_it_is_where_too_few_steps_are_left) {
    Ring ring(MPI_COMM_WORLD, job(120));
    const std::vector<int> counts = ring.counts();
    const auto change = ring.adapt(ring.place() == 0 ? 50.0 : 1.0, 0, 24);
    EXPECT_FALSE(change.sliced_anew);
    EXPECT_EQ(ring.counts(), counts);
}

TEST(Ring, can_be_moved) {
    Ring ring(MPI_COMM_WORLD, job(60));
    const auto counts = ring.counts();
    Ring other(std::move(ring));
    EXPECT_EQ(other.counts(), counts);
    ring = Ring(MPI_COMM_WORLD, job(30));
    std::swap(ring, other);
    EXPECT_EQ(ring.counts(), counts);
}

TEST(Ring, tells_all_ranks_why_there_is_none) {
    const auto message = [](const RingJob& what) -> std::string {
        try {
            const Ring ring(MPI_COMM_WORLD, what);
        } catch (const RingError& error) {
            return error.what();
        }
        return "";
    };
    RingJob wrong = job(100);
    wrong.network = "no-such-file.json";
    EXPECT_THAT(message(wrong), testing::HasSubstr("no-such-file.json"));
    wrong = job(100);
    wrong.columns = 0;
    EXPECT_THAT(message(wrong), testing::HasSubstr("columns"));
    EXPECT_THAT(message(job(0)), testing::HasSubstr("work"));
    EXPECT_THAT(message(job(10, -1)), testing::HasSubstr("exchange"));
}

}  // namespace
