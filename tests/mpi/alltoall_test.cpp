// Total exchanges under the library against what each rank can work out by itself: with a planned
// network, where a part of the calls are tried by MPI's own algorithm, and every one has to be
// right.

#include "core/random.hpp"
#include "mpi/collective_checks.hpp"
#include "runtime/communicator.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using espalier::Random;
using espalier::runtime::Communicator;
using espalier::runtime::Process;
using espalier::test::class_of;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::rank_in;
using espalier::test::size_of;

constexpr std::int32_t guard = -77;

/// Element `index` of what `from` has for `to`.
std::int32_t value(int from, int to, int index, int seed) {
    return from * 1'000'003 + to * 10'007 + index * 31 + seed * 7;
}

/// How many elements each rank has for each other, and where it keeps them: the same on all ranks.
class Layout {
public:
    /// Blocks in a random order with gaps of up to `gap` elements between them; a third of them
    /// empty.
    Layout(int ranks, int most, int gap, std::uint64_t seed) : ranks_(ranks) {
        Random random(seed);
        counts_.resize(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
        for (int& count : counts_)
            count = random.below(3) == 0
                        ? 0
                        : static_cast<int>(random.below(static_cast<std::uint64_t>(most) + 1));
        gap_ = gap;
        seed_ = seed;
    }
    [[nodiscard]] int count(int from, int to) const {
        return counts_[static_cast<std::size_t>(from * ranks_ + to)];
    }
    /// The sizes of what `rank` sends or receives.
    [[nodiscard]] std::vector<int> counts(int rank, bool sends) const {
        std::vector<int> counts;
        for (int other = 0; other < ranks_; ++other)
            counts.push_back(sends ? count(rank, other) : count(other, rank));
        return counts;
    }
    /// Where blocks of these sizes lie; the last entry is how much memory that takes.
    [[nodiscard]] std::vector<int> displacements(const std::vector<int>& counts,
                                                 std::uint64_t salt) const {
        Random random(seed_ * 977 + salt);
        std::vector<int> order(counts.size());
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[random.below(i)]);
        std::vector<int> displacements(counts.size() + 1);
        int end = 0;
        for (const int block : order) {
            end += static_cast<int>(random.below(static_cast<std::uint64_t>(gap_) + 1));
            displacements[static_cast<std::size_t>(block)] = end;
            end += counts[static_cast<std::size_t>(block)];
        }
        displacements.back() = end + gap_;
        return displacements;
    }

private:
    int ranks_;
    int gap_ = 0;
    std::uint64_t seed_ = 0;
    std::vector<int> counts_;
};

void expect_uniform(int count, MPI_Comm comm, int seed, bool in_place = false) {
    const int rank = rank_in(comm);
    const int ranks = size_of(comm);
    const auto length = static_cast<std::size_t>(count * ranks);
    std::vector<std::int32_t> input(length);
    std::vector<std::int32_t> output(length + 2, guard);
    for (int to = 0; to < ranks; ++to)
        for (int i = 0; i < count; ++i)
            (in_place ? output[1 + static_cast<std::size_t>(to * count + i)]
                      : input[static_cast<std::size_t>(to * count + i)]) = value(rank, to, i, seed);
    const auto before = input;
    const int code = in_place ? MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, output.data() + 1,
                                             count, MPI_INT32_T, comm)
                              : MPI_Alltoall(input.data(), count, MPI_INT32_T, output.data() + 1,
                                             count, MPI_INT32_T, comm);
    ASSERT_EQ(code, MPI_SUCCESS);
    EXPECT_EQ(input, before);
    EXPECT_EQ(output.front(), guard);
    EXPECT_EQ(output.back(), guard);
    for (int from = 0; from < ranks; ++from)
        for (int i = 0; i < count; ++i)
            ASSERT_EQ(output[1 + static_cast<std::size_t>(from * count + i)],
                      value(from, rank, i, seed))
                << count << " elements from " << from << ", element " << i;
}

void expect_uneven(const Layout& layout, MPI_Comm comm, int seed) {
    const int rank = rank_in(comm);
    const int ranks = size_of(comm);
    const auto sends = layout.counts(rank, true);
    const auto receives = layout.counts(rank, false);
    const auto from_where = layout.displacements(sends, 1);
    const auto to_where = layout.displacements(receives, 2);
    std::vector<std::int32_t> input(static_cast<std::size_t>(from_where.back()), guard);
    std::vector<std::int32_t> output(static_cast<std::size_t>(to_where.back()), guard);
    std::vector<std::int32_t> expected = output;
    for (int other = 0; other < ranks; ++other) {
        const auto o = static_cast<std::size_t>(other);
        for (int i = 0; i < sends[o]; ++i)
            input[static_cast<std::size_t>(from_where[o] + i)] = value(rank, other, i, seed);
        for (int i = 0; i < receives[o]; ++i)
            expected[static_cast<std::size_t>(to_where[o] + i)] = value(other, rank, i, seed);
    }
    ASSERT_EQ(MPI_Alltoallv(input.data(), sends.data(), from_where.data(), MPI_INT32_T,
                            output.data(), receives.data(), to_where.data(), MPI_INT32_T, comm),
              MPI_SUCCESS);
    EXPECT_EQ(output, expected) << "seed " << seed;
}

TEST(Alltoall, brings_blocks_of_any_size) {
    for (const int count : {0, 1, 3, 8, 255, 1000, 4097, 16384, 16385})
        expect_uniform(count, MPI_COMM_WORLD, count);
}

TEST(Alltoall, is_right_by_plan_and_by_mpis_own_call_after_call) {
    for (int call = 0; call < 9; ++call) expect_uniform(129, MPI_COMM_WORLD, call);
}

TEST(Alltoall, works_in_place) {
    for (const int count : {1, 7, 513, 20000})
        for (int call = 0; call < 3; ++call) expect_uniform(count, MPI_COMM_WORLD, call, true);
}

TEST(Alltoall, moves_bytes_that_no_word_is_aligned_to) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_in(MPI_COMM_WORLD);
    constexpr std::size_t block = 333;
    std::vector<unsigned char> input(block * static_cast<std::size_t>(ranks) + 1);
    std::vector<unsigned char> output(input.size() + 3, 0xEE);
    for (std::size_t i = 0; i + 1 < input.size(); ++i)
        input[i + 1] = static_cast<unsigned char>(i * 5 + static_cast<std::size_t>(rank) * 17);
    MPI_Alltoall(input.data() + 1, block, MPI_BYTE, output.data() + 3, block, MPI_BYTE,
                 MPI_COMM_WORLD);
    for (std::size_t i = 0; i + 1 < input.size(); ++i) {
        const std::size_t index = static_cast<std::size_t>(rank) * block + i % block;
        ASSERT_EQ(output[i + 3], static_cast<unsigned char>(index * 5 + i / block * 17));
    }
    EXPECT_EQ(output[2], 0xEE);
}

TEST(Alltoall, leaves_the_holes_of_a_type_alone) {
    // Every second element, sent from one type and received into another.
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_in(MPI_COMM_WORLD);
    constexpr int count = 50;
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_INT32_T, &vector);
    MPI_Type_create_resized(vector, 0, 2 * count * static_cast<MPI_Aint>(sizeof(std::int32_t)),
                            &spread);
    MPI_Type_commit(&spread);
    const auto length = static_cast<std::size_t>(2 * count * ranks);
    const auto at = [](int block, int i) {
        return static_cast<std::size_t>(2 * (block * count + i));
    };
    for (int call = 0; call < 4; ++call) {
        std::vector<std::int32_t> input(length, guard);
        std::vector<std::int32_t> output(length, guard);
        for (int to = 0; to < ranks; ++to)
            for (int i = 0; i < count; ++i) input[at(to, i)] = value(rank, to, i, call);
        if (call % 2 == 0)
            MPI_Alltoall(input.data(), 1, spread, output.data(), 1, spread, MPI_COMM_WORLD);
        else
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, (output = input).data(), 1, spread,
                         MPI_COMM_WORLD);
        for (int from = 0; from < ranks; ++from)
            for (int i = 0; i < count; ++i) {
                ASSERT_EQ(output[at(from, i)], value(from, rank, i, call));
                ASSERT_EQ(output[at(from, i) + 1], guard);
            }
    }
    std::vector<std::int32_t> dense(length / 2, guard);
    std::vector<std::int32_t> output(length, guard);
    for (int to = 0; to < ranks; ++to)
        for (int i = 0; i < count; ++i) dense[at(to, i) / 2] = value(rank, to, i, 9);
    MPI_Alltoall(dense.data(), count, MPI_INT32_T, output.data(), 1, spread, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; ++from)
        for (int i = 0; i < count; ++i) ASSERT_EQ(output[at(from, i)], value(from, rank, i, 9));
    MPI_Type_free(&vector);
    MPI_Type_free(&spread);
}

TEST(Alltoallv, brings_random_blocks_in_any_order_with_gaps_and_leaves_the_gaps_alone) {
    for (int seed = 1; seed <= 20; ++seed) {
        const Layout layout(size_of(MPI_COMM_WORLD), seed % 4 == 0 ? 30'000 : 300, seed % 5,
                            static_cast<std::uint64_t>(seed));
        expect_uneven(layout, MPI_COMM_WORLD, seed);
    }
}

TEST(Alltoallv, brings_nothing_where_there_is_nothing) {
    expect_uneven(Layout(size_of(MPI_COMM_WORLD), 0, 2, 1), MPI_COMM_WORLD, 1);
}

TEST(Alltoallv, works_in_place) {
    // As much goes to a rank as comes from it.
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_vector(1, 1, 2, MPI_INT32_T, &pair);
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(pair, 0, 2 * sizeof(std::int32_t), &spread);
    MPI_Type_commit(&spread);
#ifdef ESPALIER_MPI_SMPI
    // SMPI's own fills the holes then.
    const bool is_native = ranks == 1;
#else
    const bool is_native = false;
#endif
    for (int call = 0; call < 9; ++call) {
        const bool holes = call % 2 == 1 && !is_native;
        const int stride = holes ? 2 : 1;
        std::vector<int> counts;
        std::vector<int> displacements;
        int end = 1;
        for (int other = 0; other < ranks; ++other) {
            counts.push_back((rank * other + rank + other + call) % 5 * 40);
            displacements.push_back(end);
            end += counts.back() + (other + rank) % 3;
        }
        std::vector<std::int32_t> data(static_cast<std::size_t>((end + 1) * stride), guard);
        auto expected = data;
        for (int other = 0; other < ranks; ++other)
            for (int i = 0; i < counts[static_cast<std::size_t>(other)]; ++i) {
                const auto at = static_cast<std::size_t>(
                    (displacements[static_cast<std::size_t>(other)] + i) * stride);
                data[at] = value(rank, other, i, call);
                expected[at] = value(other, rank, i, call);
            }
        MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), counts.data(),
                      displacements.data(), holes ? spread : MPI_INT32_T, MPI_COMM_WORLD);
        ASSERT_EQ(data, expected) << "call " << call;
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&spread);
}

TEST(Alltoall, works_on_parts_and_copies_of_the_world) {
    const int rank = rank_in(MPI_COMM_WORLD);
    for (int round = 0; round < 8; ++round) {
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, round % 3 == 0 ? 0 : rank % (round % 3), -rank, &part);
        expect_uniform(100, part, round);
        expect_uneven(Layout(size_of(part), 200, 3, static_cast<std::uint64_t>(round)), part,
                      round);
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(part, &copy);
        expect_uniform(100, part, round);
        MPI_Comm_free(&part);
        for (int call = 0; call < 7; ++call) expect_uniform(100, copy, round);
        expect_uneven(Layout(size_of(copy), 200, 3, static_cast<std::uint64_t>(round)), copy, 1);
        MPI_Comm_free(&copy);
    }
}

TEST(Alltoall, plans_sizes_that_differ_at_calls_that_all_ranks_count) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    Communicator* communicator =
        Process::current() == nullptr ? nullptr : &espalier::test::state_of(comm);
    const auto question = espalier::runtime::Question::direct(espalier::schedule::Kind::alltoall);
    const bool planned = communicator != nullptr && communicator->is_planned();
    for (std::uint64_t call = 1; call <= 6; ++call) {
        expect_uneven(Layout(size_of(comm), 100, 1, call), comm, 1);
        if (!planned) continue;
        const auto* uneven = communicator->plans().find(question.signature);
        ASSERT_NE(uneven, nullptr);
        EXPECT_EQ(uneven->calls >= 4 ? 3u : uneven->calls >= 2 ? 2u : 1u, uneven->gatherings);
    }
    MPI_Comm_free(&comm);
}

TEST(Alltoall, never_meets_the_receives_of_the_program) {
    const int size = size_of(MPI_COMM_WORLD);
    // MPICH's own exchange of one rank waits for ever beside such a receive.
    if (size == 1) GTEST_SKIP() << "nothing is planned";
    expect_own_receive_untouched_by([&] {
        expect_uniform(1, MPI_COMM_WORLD, 3);
        expect_uneven(Layout(size, 50, 0, 4), MPI_COMM_WORLD, 4);
    });
}

#ifndef ESPALIER_MPI_SMPI
TEST(Alltoall, returns_the_error_of_a_wrong_argument) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    std::vector<int> data(static_cast<std::size_t>(size_of(comm)), 1);
    std::vector<int> other = data;
    const int code = MPI_Alltoall(data.data(), -1, MPI_INT, other.data(), -1, MPI_INT, comm);
    EXPECT_EQ(class_of(code), MPI_ERR_COUNT);
    expect_uniform(5, comm, 1);
    MPI_Comm_free(&comm);
}
#endif

}  // namespace
