// Total exchanges whose blocks differ in their types, too: whatever a rank calls the ints that it
// has for another, and however that one wants them, all memory is as after MPI's own call.

#include "collective_checks.hpp"
#include "core/random.hpp"
#include "runtime/collective_table.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using espalier::Random;
using espalier::test::is_planned;
using espalier::test::planned_calls;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::Type;

/// The blocks of one side: bytes of memory, and arrays as MPI takes them.
struct Blocks {
    std::vector<std::byte> memory;
    std::vector<int> counts;
    std::vector<int> offsets;
    std::vector<MPI_Datatype> types;

    friend bool operator==(const Blocks&, const Blocks&) = default;
};

class Exchange {
public:
    /// Up to `most` pairs of ints for each, of which a third is empty. `symmetric`: each has as
    /// much for another, by the same type, as it gets from it.
    Exchange(MPI_Comm comm, int most, bool symmetric, std::uint64_t seed)
        : comm_(comm), ranks_(size_of(comm)) {
        const int rank = rank_in(comm);
        for (int other = 0; other < ranks_; ++other) {
            const int low = std::min(rank, other);
            const int high = std::max(rank, other);
            const int there =
                symmetric ? pairs(low, high, most, seed) : pairs(rank, other, most, seed);
            const int back = symmetric ? there : pairs(other, rank, most, seed);
            Random types(seed * 31 + static_cast<std::uint64_t>(rank * 1000 + other));
            const std::uint64_t one =
                symmetric ? static_cast<std::uint64_t>(low + 2 * high) % 3 : types.below(3);
            add(input_, there, one, types);
            add(output_, back, symmetric ? one : types.below(3), types);
        }
        Random content(seed + static_cast<std::uint64_t>(rank));
        for (Blocks* side : {&input_, &output_}) {
            side->memory.resize(static_cast<std::size_t>(end_) + 64);
            for (std::byte& each : side->memory) each = static_cast<std::byte>(content.below(256));
        }
    }

    enum class Form { blocking, nonblocking, persistent };

    void expect_as_by_mpi(Form form) const {
        Blocks in = input_;
        Blocks out = output_;
        Blocks expected = output_;
        ASSERT_EQ(PMPI_Alltoallw(in.memory.data(), in.counts.data(), in.offsets.data(),
                                 in.types.data(), expected.memory.data(), out.counts.data(),
                                 out.offsets.data(), out.types.data(), comm_),
                  MPI_SUCCESS);
        MPI_Request request = MPI_REQUEST_NULL;
        switch (form) {
            case Form::blocking:
                MPI_Alltoallw(in.memory.data(), in.counts.data(), in.offsets.data(),
                              in.types.data(), out.memory.data(), out.counts.data(),
                              out.offsets.data(), out.types.data(), comm_);
                break;
            case Form::nonblocking:
                MPI_Ialltoallw(in.memory.data(), in.counts.data(), in.offsets.data(),
                               in.types.data(), out.memory.data(), out.counts.data(),
                               out.offsets.data(), out.types.data(), comm_, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                break;
            case Form::persistent:
#ifdef ESPALIER_INITIALIZATION
                ESPALIER_INITIALIZATION(Alltoallw)
                (in.memory.data(), in.counts.data(), in.offsets.data(), in.types.data(),
                 out.memory.data(), out.counts.data(), out.offsets.data(), out.types.data(), comm_,
                 MPI_INFO_NULL, &request);
                for (int round = 0; round < 3; ++round) {
                    out.memory = output_.memory;
                    MPI_Start(&request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }
                MPI_Request_free(&request);
#else
                return;
#endif
        }
        EXPECT_TRUE(in == input_);
        EXPECT_TRUE(out == expected);
    }

    void expect_right_in_place() const {
        Blocks out = output_;
        Blocks expected = output_;
        // As if it were not, since MPICH 4.0's own calls in place have faults.
        Blocks copy = output_;
        ASSERT_EQ(PMPI_Alltoallw(copy.memory.data(), copy.counts.data(), copy.offsets.data(),
                                 copy.types.data(), expected.memory.data(), out.counts.data(),
                                 out.offsets.data(), out.types.data(), comm_),
                  MPI_SUCCESS);
        ASSERT_EQ(MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, out.memory.data(),
                                out.counts.data(), out.offsets.data(), out.types.data(), comm_),
                  MPI_SUCCESS);
        EXPECT_TRUE(out == expected);
    }

private:
    [[nodiscard]] static int pairs(int from, int to, int most, std::uint64_t seed) {
        Random random(seed * 977 + static_cast<std::uint64_t>(from * 1000 + to));
        return random.below(3) == 0
                   ? 0
                   : static_cast<int>(random.below(static_cast<std::uint64_t>(most) + 1));
    }

    void add(Blocks& side, int pairs, std::uint64_t type, Random& random) {
        const bool is_int = type == 0;
        side.types.push_back(is_int ? MPI_INT32_T : (type == 1 ? row_ : holed_).get());
        side.counts.push_back(is_int ? 2 * pairs : pairs);
        // The type with holes begins before its address.
        end_ += 16 + static_cast<int>(random.below(9));
        side.offsets.push_back(end_);
        end_ += pairs * 20;
    }

    MPI_Comm comm_;
    int ranks_;
    Type row_ = Type::row(2);
    Type holed_ = Type::holed();
    int end_ = 0;
    Blocks input_;
    Blocks output_;
};

TEST(Alltoallw, brings_blocks_of_any_types) {
    const std::uint64_t before = planned_calls(MPI_COMM_WORLD);
    std::uint64_t seed = 0;
    for (const int most : {0, 1, 7, 300, 9000})
        for (int call = 0; call < 4; ++call)
            Exchange(MPI_COMM_WORLD, most, false, ++seed)
                .expect_as_by_mpi(Exchange::Form::blocking);
    auto* const process = espalier::runtime::Process::current();
    if (is_planned(MPI_COMM_WORLD) &&
        process->settings().planning == espalier::runtime::Settings::Planning::always) {
        EXPECT_EQ(planned_calls(MPI_COMM_WORLD) - before, seed);
    }
}

TEST(Alltoallw, works_in_place) {
    for (const int most : {1, 7, 300, 9000})
        Exchange(MPI_COMM_WORLD, most, true, static_cast<std::uint64_t>(most))
            .expect_right_in_place();
}

#ifndef ESPALIER_MPI_SMPI
TEST(Alltoallw, may_return_at_once_and_be_started_again) {
    for (const int most : {1, 7, 300, 9000})
        for (const auto form : {Exchange::Form::nonblocking, Exchange::Form::persistent})
            Exchange(MPI_COMM_WORLD, most, false, static_cast<std::uint64_t>(most))
                .expect_as_by_mpi(form);
}

// A block of nothing needs no type, nor need both sides' types last until the call is over.
TEST(Alltoallw, types_of_nothing_need_not_be_and_others_may_be_freed) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    const auto all = static_cast<std::size_t>(ranks);
    MPI_Datatype holed = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &holed);
    MPI_Type_commit(&holed);
    const auto next = static_cast<std::size_t>((rank + 1) % ranks);
    const auto last = static_cast<std::size_t>((rank + ranks - 1) % ranks);
    std::vector<int> sent(all);
    std::vector<int> received(all);
    const std::vector<int> offsets(all);
    std::vector<MPI_Datatype> out_types(all, MPI_INT);
    std::vector<MPI_Datatype> in_types(all, MPI_INT);
    sent[next] = 1;
    out_types[next] = holed;
    received[last] = 2;
    const std::vector<int> out{rank, -1, rank + 100};
    std::vector<int> in(3, -5);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallw(out.data(), sent.data(), offsets.data(), out_types.data(), in.data(),
                   received.data(), offsets.data(), in_types.data(), MPI_COMM_WORLD, &request);
    MPI_Type_free(&holed);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int from = static_cast<int>(last);
    EXPECT_EQ(in, (std::vector<int>{from, from + 100, -5}));
}
#endif

}  // namespace
