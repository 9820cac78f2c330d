// Reduce-scatter into blocks that are alike and that are not, all-gathers of blocks that are not,
// and barriers, by plan and past the library.

#include "collective_checks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <numeric>

namespace {

using espalier::Random;
using espalier::test::ExpectPlanned;
using espalier::test::Memory;
using espalier::test::on_communicators;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::Type;

/// A quarter of them empty.
std::vector<int> random_counts(int ranks, int most, std::uint64_t seed) {
    Random random(seed);
    std::vector<int> counts;
    for (int r = 0; r < ranks; ++r)
        counts.push_back(random.below(4) == 0 ? 0
                                              : static_cast<int>(random.below(
                                                    static_cast<std::uint64_t>(most) + 1)));
    return counts;
}

struct Reduced {
    const Type* type;
    MPI_Op op;
    bool block = false;  ///< MPI_Reduce_scatter_block
    bool in_place = false;
};

void expect_reduced(const Reduced& what, const std::vector<int>& counts, MPI_Comm comm,
                    std::uint64_t seed) {
    const auto rank = static_cast<std::size_t>(rank_in(comm));
    const auto total = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0));
    Memory input(*what.type, total, seed * 100 + rank);
    const Memory untouched = input;
    const auto own = static_cast<std::size_t>(counts[rank]);
    Memory output = what.in_place ? input : Memory(*what.type, own, 3);
    Memory expected = output;
    const auto run = [&](bool past, void* to) {
        const void* from = what.in_place ? MPI_IN_PLACE : input.data();
        return what.block ? (past ? PMPI_Reduce_scatter_block : MPI_Reduce_scatter_block)(
                                from, to, counts[0], what.type->get(), what.op, comm)
                          : (past ? PMPI_Reduce_scatter : MPI_Reduce_scatter)(
                                from, to, counts.data(), what.type->get(), what.op, comm);
    };
    ASSERT_EQ(run(true, expected.data()), MPI_SUCCESS);
    // Operators that need the order of ranks may have no plan.
    int commutes = 0;
    MPI_Op_commutative(what.op, &commutes);
    const std::uint64_t before = espalier::test::planned_calls(comm);
    ASSERT_EQ(run(false, output.data()), MPI_SUCCESS);
    if (total > 0 && commutes != 0 && espalier::test::is_planned(comm)) {
        EXPECT_EQ(espalier::test::planned_calls(comm), before + 1);
    }
    EXPECT_EQ(input, untouched);
    // In place, what follows a rank's own block may be anything.
    if (what.in_place) {
        const std::size_t bytes = own * static_cast<std::size_t>(what.type->extent());
        EXPECT_TRUE(bytes == 0 || std::memcmp(output.data(), expected.data(), bytes) == 0);
    } else {
        EXPECT_EQ(output, expected) << "of " << total << " elements";
    }
}

std::vector<int> alike(int ranks, int count) {
    return std::vector<int>(static_cast<std::size_t>(ranks), count);
}

TEST(ReduceScatter, gives_the_bits_that_mpi_gives_of_blocks_of_any_size) {
    const Type type(MPI_INT32_T);
    const int ranks = size_of(MPI_COMM_WORLD);
    for (const int count : {0, 1, 3, 500, 4097})
        for (const bool in_place : {false, true})
            for (const bool block : {false, true})
                expect_reduced({&type, MPI_SUM, block, in_place}, alike(ranks, count),
                               MPI_COMM_WORLD, static_cast<std::uint64_t>(count));
}

TEST(ReduceScatter, gives_each_rank_a_block_of_its_own_size) {
    const Type type(MPI_INT64_T);
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
        expect_reduced({&type, MPI_BXOR, false, seed % 2 == 0},
                       random_counts(size_of(MPI_COMM_WORLD), seed % 4 == 0 ? 9000 : 60, seed),
                       MPI_COMM_WORLD, seed);
}

/// Maps x -> a x + b as pairs of ints.
void compose(void* left, void* right, int* length, MPI_Datatype*) {
    auto* one = static_cast<std::uint32_t*>(left);
    auto* other = static_cast<std::uint32_t*>(right);
    for (int i = 0; i < *length; ++i, one += 2, other += 2) {
        other[1] = other[0] * one[1] + other[1];
        other[0] = one[0] * other[0];
    }
}

TEST(ReduceScatter, keeps_the_order_of_ranks_where_an_operator_needs_it) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(compose, 0, &op);
    const Type rows = Type::row(2);
    on_communicators([&](MPI_Comm comm) {
        for (const bool in_place : {false, true}) {
            expect_reduced({&rows, op, true, in_place}, alike(size_of(comm), 33), comm, 5);
            expect_reduced({&rows, op, false, in_place}, random_counts(size_of(comm), 90, 6), comm,
                           6);
        }
    });
    MPI_Op_free(&op);
}

void expect_gathered(const Type& own, int per_element, const Type& all,
                     const std::vector<int>& counts, bool in_place, MPI_Comm comm,
                     std::uint64_t seed) {
    const auto rank = static_cast<std::size_t>(rank_in(comm));
    Random random(seed);
    std::vector<int> displacements(counts.size());
    int end = 0;
    for (std::size_t r = counts.size(); r-- > 0;) {
        displacements[r] = end += static_cast<int>(random.below(3));
        end += counts[r];
    }
    const int own_count = counts[rank] * per_element;
    Memory input(own, static_cast<std::size_t>(own_count), seed * 100 + rank);
    Memory output(all, static_cast<std::size_t>(end), in_place ? seed * 100 + rank : 1);
    Memory expected = output;
    const auto run = [&](bool past, void* to) {
        return (past ? PMPI_Allgatherv : MPI_Allgatherv)(in_place ? MPI_IN_PLACE : input.data(),
                                                         own_count, own.get(), to, counts.data(),
                                                         displacements.data(), all.get(), comm);
    };
    ASSERT_EQ(run(true, expected.data()), MPI_SUCCESS);
    {
        const bool some = std::any_of(counts.begin(), counts.end(), [](int c) { return c > 0; });
        const ExpectPlanned planned(comm, some ? 1 : 0);
        ASSERT_EQ(run(false, output.data()), MPI_SUCCESS);
    }
    EXPECT_EQ(output, expected) << "seed " << seed;
}

TEST(Allgatherv, brings_blocks_of_any_sizes_and_leaves_gaps_and_holes_alone) {
    const Type number(MPI_INT32_T);
    const Type holed = Type::holed();
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const auto counts = random_counts(size_of(MPI_COMM_WORLD), seed % 4 == 0 ? 9000 : 80, seed);
        const bool in_place = seed % 3 == 0;
        expect_gathered(number, 1, number, counts, in_place, MPI_COMM_WORLD, seed);
        expect_gathered(number, 2, holed, counts, in_place, MPI_COMM_WORLD, seed);
    }
}

TEST(Allgatherv, works_on_parts_and_copies_of_the_world) {
    const Type number(MPI_INT32_T);
    on_communicators([&](MPI_Comm comm) {
        expect_gathered(number, 1, number, random_counts(size_of(comm), 700, 3), false, comm, 3);
        expect_gathered(number, 1, number, alike(size_of(comm), 9), true, comm, 4);
    });
}

/// Seconds on a clock that all ranks share: MPI_Wtime counts from where a process began.
double now() {
#ifdef ESPALIER_MPI_SMPI
    return MPI_Wtime();
#else
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
#endif
}

void wait_a_little() {
    const timespec duration{0, 3'000'000};
    nanosleep(&duration, nullptr);
}

TEST(Barrier, lets_nobody_go_before_all_have_come) {
    on_communicators([](MPI_Comm comm) {
        for (int late = 0; late < size_of(comm); ++late) {
            PMPI_Barrier(comm);
            if (rank_in(comm) == late) wait_a_little();
            const double came = now();
            {
                const ExpectPlanned planned(comm);
                ASSERT_EQ(MPI_Barrier(comm), MPI_SUCCESS);
            }
            const double went = now();
            double last = 0;
            PMPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
            EXPECT_GE(went, last) << "rank " << late << " came late";
        }
    });
}

}  // namespace
