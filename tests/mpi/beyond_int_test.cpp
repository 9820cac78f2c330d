// More bytes than an int counts, in one operand or block, whether its elements are fewer or not:
// they are planned, and every one of them arrives.

#include "collective_checks.hpp"

#include <algorithm>
#include <memory>

namespace {

using espalier::test::ExpectPlanned;
using espalier::test::rank_in;
using espalier::test::size_of;

constexpr std::size_t words = (std::size_t{1} << 28) + 3;
constexpr int count = static_cast<int>(words);
static_assert(words * sizeof(std::uint64_t) > std::size_t{1} << 31);

std::uint64_t word(std::size_t place, int of) {
    return (place + 1) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(of);
}

class Words {
public:
    explicit Words(std::size_t blocks = 1)
        : size_(blocks * words), words_(std::make_unique_for_overwrite<std::uint64_t[]>(size_)) {}
    [[nodiscard]] std::uint64_t* data() { return words_.get(); }
    template <typename Value>
    void fill(const Value& value) {
        for (std::size_t k = 0; k < size_; ++k) words_[k] = value(k);
    }
    /// How many are not what they should be.
    template <typename Value>
    [[nodiscard]] std::size_t wrong(const Value& value) const {
        std::size_t found = 0;
        for (std::size_t k = 0; k < size_; ++k) found += words_[k] == value(k) ? 0U : 1U;
        return found;
    }

private:
    std::size_t size_;
    std::unique_ptr<std::uint64_t[]> words_;
};

const auto of_rank = [](int rank) { return [rank](std::size_t k) { return word(k, rank); }; };
const auto nothing = [](std::size_t) { return std::uint64_t{0}; };

TEST(BeyondInt, a_broadcast_is_planned) {
    MPI_Comm comm = MPI_COMM_WORLD;
    const int rank = rank_in(comm);
    const int root = size_of(comm) - 1;
    Words data;
    if (rank == root)
        data.fill(of_rank(7));
    else
        data.fill(nothing);
    const ExpectPlanned expectation(comm);
    MPI_Bcast(data.data(), count, MPI_UINT64_T, root, comm);
    EXPECT_EQ(data.wrong(of_rank(7)), 0U);
}

TEST(BeyondInt, one_element_may_be_as_large) {
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, MPI_UINT64_T, &row);
    MPI_Type_commit(&row);
    Words data;
    if (rank_in(comm) == 0)
        data.fill(of_rank(8));
    else
        data.fill(nothing);
    {
        const ExpectPlanned expectation(comm);
        MPI_Bcast(data.data(), 1, row, 0, comm);
    }
    EXPECT_EQ(data.wrong(of_rank(8)), 0U);
    MPI_Type_free(&row);
}

TEST(BeyondInt, a_sum_is_planned) {
    MPI_Comm comm = MPI_COMM_WORLD;
    const int rank = rank_in(comm);
    const int size = size_of(comm);
    Words data;
    data.fill(of_rank(rank));
    const ExpectPlanned expectation(comm);
    MPI_Allreduce(MPI_IN_PLACE, data.data(), count, MPI_UINT64_T, MPI_SUM, comm);
    EXPECT_EQ(data.wrong([&](std::size_t k) {
        return static_cast<std::uint64_t>(size) * word(k, 0) +
               static_cast<std::uint64_t>(size * (size - 1) / 2);
    }),
              0U);
}

TEST(BeyondInt, blocks_are_scattered_and_gathered) {
    MPI_Comm comm = MPI_COMM_WORLD;
    const bool is_root = rank_in(comm) == 0;
    Words data(is_root ? static_cast<std::size_t>(size_of(comm)) : 1);
    const auto own = [rank = static_cast<std::size_t>(rank_in(comm))](std::size_t k) {
        return word(rank * words + k, 3);
    };
    if (is_root)
        data.fill(of_rank(3));
    else
        data.fill(nothing);
    const ExpectPlanned expectation(comm, 2);
    MPI_Scatter(data.data(), count, MPI_UINT64_T, is_root ? MPI_IN_PLACE : data.data(), count,
                MPI_UINT64_T, 0, comm);
    EXPECT_EQ(is_root ? 0U : data.wrong(own), 0U);
    if (is_root)  // its own block stays
        std::fill_n(data.data() + words, (static_cast<std::size_t>(size_of(comm)) - 1) * words, 0);
    MPI_Gather(is_root ? MPI_IN_PLACE : data.data(), count, MPI_UINT64_T, data.data(), count,
               MPI_UINT64_T, 0, comm);
    EXPECT_EQ(is_root ? data.wrong(of_rank(3)) : 0U, 0U);
}

#if MPI_VERSION >= 4
TEST(BeyondInt, there_may_be_as_many_elements) {
    MPI_Comm comm = MPI_COMM_WORLD;
    const int rank = rank_in(comm);
    constexpr MPI_Count bytes = words * sizeof(std::uint64_t);
    Words data;
    if (rank == 0)
        data.fill(of_rank(9));
    else
        data.fill(nothing);
    const ExpectPlanned expectation(comm, 2);
    MPI_Bcast_c(data.data(), bytes, MPI_BYTE, 0, comm);
    EXPECT_EQ(data.wrong(of_rank(9)), 0U);
    // What rank 0 has is all that there is.
    if (rank != 0) data.fill(nothing);
    MPI_Allreduce_c(MPI_IN_PLACE, data.data(), bytes, MPI_BYTE, MPI_BOR, comm);
    EXPECT_EQ(data.wrong(of_rank(9)), 0U);
}
#endif

}  // namespace
