// Scatter, scatterv, gather and gatherv, by plan and past the library: all memory has to be the
// same.

#include "collective_checks.hpp"

#include <memory>

namespace {

using espalier::Random;
using espalier::test::class_of;
using espalier::test::ExpectPlanned;
using espalier::test::Memory;
using espalier::test::on_communicators;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::Type;

/// How many elements of a type the blocks have, and where they lie at the root.
struct Blocks {
    std::vector<int> counts;
    std::vector<int> displacements;
    int elements = 0;  ///< in all, with the gaps

    static Blocks uniform(int ranks, int count) {
        Blocks blocks;
        for (int r = 0; r < ranks; ++r) {
            blocks.counts.push_back(count);
            blocks.displacements.push_back(r * count);
        }
        blocks.elements = ranks * count;
        return blocks;
    }
    /// A third of them empty, in the reverse order, with gaps.
    static Blocks random(int ranks, int most, std::uint64_t seed) {
        Random random(seed);
        Blocks blocks;
        blocks.displacements.resize(static_cast<std::size_t>(ranks));
        for (int r = 0; r < ranks; ++r) {
            const auto bound = static_cast<std::uint64_t>(most) + 1;
            blocks.counts.push_back(random.below(3) == 0 ? 0
                                                         : static_cast<int>(random.below(bound)));
        }
        for (std::size_t r = blocks.counts.size(); r-- > 0;) {
            blocks.elements += static_cast<int>(random.below(4));
            blocks.displacements[r] = blocks.elements;
            blocks.elements += blocks.counts[r];
        }
        return blocks;
    }
};

struct Case {
    const Type* at_root;
    const Type* elsewhere;  ///< and at the root, of its own block: the same data
    int per_element = 1;    ///< elements of `elsewhere` for one of the root's type
    bool uneven = false;
    bool in_place = false;
};

int scatter(bool past, const Case& what, const Blocks& blocks, void* all, void* own, int own_count,
            int root, MPI_Comm comm) {
    MPI_Datatype out = what.at_root->get();
    MPI_Datatype in = what.elsewhere->get();
    if (what.uneven)
        return (past ? PMPI_Scatterv : MPI_Scatterv)(all, blocks.counts.data(),
                                                     blocks.displacements.data(), out, own,
                                                     own_count, in, root, comm);
    return (past ? PMPI_Scatter : MPI_Scatter)(all, blocks.counts[0], out, own, own_count, in, root,
                                               comm);
}

int gather(bool past, const Case& what, const Blocks& blocks, void* all, void* own, int own_count,
           int root, MPI_Comm comm) {
    MPI_Datatype in = what.at_root->get();
    MPI_Datatype out = what.elsewhere->get();
    if (what.uneven)
        return (past ? PMPI_Gatherv : MPI_Gatherv)(own, own_count, out, all, blocks.counts.data(),
                                                   blocks.displacements.data(), in, root, comm);
    return (past ? PMPI_Gather : MPI_Gather)(own, own_count, out, all, blocks.counts[0], in, root,
                                             comm);
}

void expect_same(bool scatters, const Case& what, const Blocks& blocks, int root, MPI_Comm comm,
                 std::uint64_t seed) {
    const int rank = rank_in(comm);
    const int own_count = blocks.counts[static_cast<std::size_t>(rank)] * what.per_element;
    const auto length = static_cast<std::size_t>(blocks.elements);
    Memory all(*what.at_root, length, seed * 7);
    Memory own(*what.elsewhere, static_cast<std::size_t>(own_count),
               seed * 7 + 1 + static_cast<std::uint64_t>(rank));
    Memory expected_all = all;
    Memory expected_own = own;
    const auto run = [&](bool past, Memory& blocks_here, Memory& block_here) {
        void* block = rank == root && what.in_place ? MPI_IN_PLACE : block_here.data();
        return scatters
                   ? scatter(past, what, blocks, blocks_here.data(), block, own_count, root, comm)
                   : gather(past, what, blocks, blocks_here.data(), block, own_count, root, comm);
    };
    ASSERT_EQ(run(true, expected_all, expected_own), MPI_SUCCESS);
    {
        const ExpectPlanned planned(comm, what.uneven || blocks.counts[0] > 0 ? 1 : 0);
        ASSERT_EQ(run(false, all, own), MPI_SUCCESS);
    }
    EXPECT_EQ(all, expected_all) << "blocks at rank " << rank << ", root " << root;
    EXPECT_EQ(own, expected_own) << "block of rank " << rank << ", root " << root;
}

void expect_both(const Case& what, const Blocks& blocks, int root, MPI_Comm comm,
                 std::uint64_t seed) {
    expect_same(true, what, blocks, root, comm, seed);
    expect_same(false, what, blocks, root, comm, seed);
}

TEST(Rooted, blocks_of_any_size_reach_and_leave_every_root) {
    const Type type(MPI_INT32_T);
    const int ranks = size_of(MPI_COMM_WORLD);
    for (int root = 0; root < ranks; ++root)
        for (const int count : {0, 1, 3, 1000, 16'385})
            for (const bool in_place : {false, true})
                expect_both({&type, &type, 1, false, in_place}, Blocks::uniform(ranks, count), root,
                            MPI_COMM_WORLD, static_cast<std::uint64_t>(count));
}

TEST(Rooted, blocks_that_only_the_root_knows_keep_their_gaps) {
    const Type type(MPI_INT16_T);
    const int ranks = size_of(MPI_COMM_WORLD);
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        expect_both({&type, &type, 1, true, seed % 3 == 0},
                    Blocks::random(ranks, seed % 4 == 0 ? 40'000 : 300, seed),
                    static_cast<int>(seed) % ranks, MPI_COMM_WORLD, seed);
}

TEST(Rooted, blocks_of_types_with_holes_leave_them_alone) {
    const Type holed = Type::holed();
    const Type number(MPI_INT32_T);
    const Type rows = Type::row(2);
    const int ranks = size_of(MPI_COMM_WORLD);
    for (const bool in_place : {false, true}) {
        for (const Blocks& blocks : {Blocks::uniform(ranks, 1), Blocks::uniform(ranks, 1501)}) {
            expect_both({&holed, &holed, 1, false, in_place}, blocks, ranks - 1, MPI_COMM_WORLD, 3);
            expect_both({&holed, &number, 2, false, in_place}, blocks, 0, MPI_COMM_WORLD, 4);
            expect_both({&rows, &holed, 1, false, in_place}, blocks, 0, MPI_COMM_WORLD, 5);
        }
        expect_both({&holed, &number, 2, true, in_place}, Blocks::random(ranks, 500, 6), 0,
                    MPI_COMM_WORLD, 6);
    }
}

TEST(Rooted, work_on_parts_and_copies_of_the_world) {
    const Type type(MPI_INT32_T);
    on_communicators([&](MPI_Comm comm) {
        const int root = size_of(comm) / 2;
        expect_both({&type, &type}, Blocks::uniform(size_of(comm), 77), root, comm, 7);
        expect_both({&type, &type, 1, true}, Blocks::random(size_of(comm), 77, 8), root, comm, 8);
    });
}

TEST(Rooted, sizes_are_gathered_at_calls_that_all_ranks_count) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    const Type type(MPI_BYTE);
    for (std::uint64_t call = 1; call <= 9; ++call) {
        expect_same(false, {&type, &type, 1, true}, Blocks::random(size_of(comm), 100, call), 0,
                    comm, call);
        if (!espalier::test::is_planned(comm)) continue;
        const auto question = espalier::runtime::Question::direct(espalier::schedule::Kind::gather);
        const auto* entry = espalier::test::state_of(comm).plans().find(question.signature);
        ASSERT_NE(entry, nullptr);
        EXPECT_EQ(entry->calls, call);
        EXPECT_EQ(entry->gatherings, call >= 8 ? 4u : call >= 4 ? 3u : call >= 2 ? 2u : 1u);
    }
    MPI_Comm_free(&comm);
}

#ifndef ESPALIER_MPI_SMPI
TEST(Rooted, return_the_error_of_a_root_that_is_not_there) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    std::vector<int> all(static_cast<std::size_t>(size_of(comm)));
    int own = 1;
    EXPECT_EQ(class_of(MPI_Gather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, size_of(comm), comm)),
              MPI_ERR_ROOT);
    const Type type(MPI_INT);
    expect_both({&type, &type}, Blocks::uniform(size_of(comm), 4), 0, comm, 9);
    MPI_Comm_free(&comm);
}
#endif

}  // namespace
