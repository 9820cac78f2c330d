// What is left to MPI, and what is not, by rules that all ranks share.

#include "collective_checks.hpp"
#include "runtime/operands.hpp"
#include "runtime/operators.hpp"

namespace espalier::runtime {
namespace {

using test::class_of;
using test::is_planned;
using test::rank_in;
using test::size_of;

TEST(Rules, only_operators_on_whole_numbers_give_the_same_in_any_order) {
    for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
        for (const MPI_Datatype type : {MPI_INT, MPI_UINT64_T, MPI_SIGNED_CHAR}) {
            const Operation operation = look_at(op, type);
            EXPECT_TRUE(operation.usable && operation.exact && !operation.ordered);
        }
        // A minimum depends on the order, too: of 0 and -0, and of what is no number.
        for (const MPI_Datatype type : {MPI_DOUBLE, MPI_FLOAT}) {
            const Operation operation = look_at(op, type);
            EXPECT_TRUE(operation.usable && !operation.exact && !operation.ordered);
        }
    }
    EXPECT_TRUE(look_at(MPI_MAXLOC, MPI_2INT).exact);
    EXPECT_FALSE(look_at(MPI_MAXLOC, MPI_DOUBLE_INT).exact);
    EXPECT_TRUE(look_at(MPI_BXOR, MPI_BYTE).exact);
    EXPECT_FALSE(look_at(MPI_BXOR, MPI_DOUBLE).usable);
}

TEST(Rules, buffers_are_one_only_where_no_library_would_take_them) {
    std::vector<int> data(40);
    const auto side = [&](std::size_t first, int count) {
        return Side{.base = data.data() + first, .count = count, .type = MPI_INT};
    };
    // Rank 2's block of four: elements 8 to 11.
    EXPECT_TRUE(lies_on(side(8, 4), side(0, 4), 2));
    EXPECT_FALSE(lies_on(side(8, 4), side(0, 4), 1));
    EXPECT_FALSE(lies_on(side(9, 4), side(0, 4), 2)) << "they overlap";
    EXPECT_FALSE(lies_on(side(0, 0), side(0, 0), 2)) << "nothing lies on nothing";
    EXPECT_FALSE(lies_on({.count = 4, .type = MPI_INT}, {.count = 4, .type = MPI_INT}, 0));
    Side bytes = side(8, 4);
    bytes.type = MPI_FLOAT;
    EXPECT_FALSE(lies_on(bytes, side(0, 4), 2));
    const std::vector<int> counts{1, 2, 3};
    const std::vector<int> displacements{30, 20, 10};
    Side uneven = side(0, 0);
    uneven.counts = counts.data();
    uneven.displacements = displacements.data();
    EXPECT_TRUE(lies_on(side(10, 3), uneven, 2));
    EXPECT_FALSE(lies_on(side(20, 3), uneven, 2));

    EXPECT_TRUE(are_one(side(4, 3), side(4, 3)));
    EXPECT_FALSE(are_one(side(4, 3), side(5, 3)));
    EXPECT_FALSE(are_one(side(4, 3), side(4, 2)));
    EXPECT_FALSE(are_one(side(4, 0), side(4, 0)));
    EXPECT_TRUE(are_one(uneven, uneven));
}

#ifndef ESPALIER_MPI_SMPI
#ifdef ESPALIER_MPI_OPENMPI
/// Its nonblocking collectives on the communicator would meet ours.
constexpr bool leaves_while_duplicated = true;
#else
constexpr bool leaves_while_duplicated = false;
#endif

TEST(Rules, a_communicator_that_is_duplicated_meanwhile_may_be_left_to_MPI_but_not_the_duplicate) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int size = size_of(comm);
    const bool planned = is_planned(comm);
    const auto add_up = [&](MPI_Comm in) {
        int sum = 0;
        MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, in);
        EXPECT_EQ(sum, size * size);
    };
    for (int round = 0; round < 20; ++round) {
        add_up(comm);
        MPI_Comm next = MPI_COMM_NULL;
        MPI_Request made = MPI_REQUEST_NULL;
        MPI_Comm_idup(comm, &next, &made);
        for (int call = 0; call < 10; ++call) add_up(comm);
        MPI_Wait(&made, MPI_STATUS_IGNORE);
        EXPECT_EQ(is_planned(comm), planned && !leaves_while_duplicated);
        EXPECT_EQ(is_planned(next), planned);
        MPI_Comm_free(&comm);
        comm = next;
    }
    MPI_Comm_free(&comm);
}
#endif

TEST(Rules, a_duplicate_is_planned_once_there_are_tags_again) {
    if (!is_planned(MPI_COMM_WORLD)) GTEST_SKIP() << "needs a network";
    std::vector<Tags::Block> taken;
    if (rank_in(MPI_COMM_WORLD) == 0)
        while (const auto block = Process::current()->tags().take(0)) taken.push_back(*block);
    MPI_Comm without = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &without);
    EXPECT_FALSE(is_planned(without));
    for (const Tags::Block block : taken) Process::current()->tags().give_back(block);
    MPI_Comm with = MPI_COMM_NULL;
    MPI_Comm_dup(without, &with);
    EXPECT_TRUE(is_planned(with));
    EXPECT_FALSE(is_planned(without));
    MPI_Comm_free(&without);
    MPI_Comm_free(&with);
}

#ifdef ESPALIER_MPI_MPICH
TEST(Rules, types_made_with_large_counts_are_types_like_others) {
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous_c(5, MPI_INT, &row);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(row, &copy);
    MPI_Datatype spaced = MPI_DATATYPE_NULL;
    MPI_Type_vector_c(5, 1, 2, MPI_INT, &spaced);
    const int size = size_of(MPI_COMM_WORLD);
    for (MPI_Datatype* type : {&row, &copy, &spaced}) {
        MPI_Type_commit(type);
        std::vector<int> data(20, rank_in(MPI_COMM_WORLD));
        const test::ExpectPlanned planned(MPI_COMM_WORLD);
        EXPECT_EQ(MPI_Bcast(data.data(), 2, *type, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
        for (const int index : {0, 4}) EXPECT_EQ(data[static_cast<std::size_t>(index)], size - 1);
    }
    for (MPI_Datatype* type : {&row, &copy, &spaced}) MPI_Type_free(type);
}

// The others have too many to use up; and so has this one, where ranks share cores.
TEST(Rules, a_program_has_all_communicators_for_itself) {
    const int size = size_of(MPI_COMM_WORLD);
    if (!is_planned(MPI_COMM_WORLD) || size > 2) GTEST_SKIP() << "needs two ranks";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<MPI_Comm> all;
    MPI_Comm next = MPI_COMM_NULL;
    while (MPI_Comm_split(MPI_COMM_WORLD, 0, rank_in(MPI_COMM_WORLD), &next) == MPI_SUCCESS)
        all.push_back(next);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    EXPECT_GT(all.size(), 1000u);
    for (MPI_Comm& each : all) {
        const test::ExpectPlanned planned(each);
        int sum = 0;
        EXPECT_EQ(MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, each), MPI_SUCCESS);
        EXPECT_EQ(sum, size * size);
    }
    for (MPI_Comm& each : all) MPI_Comm_free(&each);
}
#endif

#ifndef ESPALIER_MPI_SMPI
TEST(Rules, a_call_that_failed_leaves_nothing_to_the_next) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int size = size_of(comm);
    for (int round = 0; round < 20; ++round) {
        int value = rank_in(comm) == 0 ? round : -1;
        EXPECT_EQ(class_of(MPI_Bcast(&value, 1, MPI_INT, size + round, comm)), MPI_ERR_ROOT);
        EXPECT_EQ(MPI_Bcast(&value, 1, MPI_INT, 0, comm), MPI_SUCCESS);
        EXPECT_EQ(value, round);
        int sum = 0;
        EXPECT_EQ(class_of(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, comm)), MPI_ERR_OP);
        EXPECT_EQ(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        EXPECT_EQ(sum, size * round);
    }
    MPI_Comm_free(&comm);
}
#endif

#ifndef ESPALIER_MPI_SMPI
struct Thrown {
    int code;
};
int handled = 0;

void throw_it(MPI_Comm*, int* code, ...) {
    ++handled;
    throw Thrown{class_of(*code)};
}

TEST(Rules, what_an_error_handler_throws_reaches_the_program) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&throw_it, &handler);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    handled = 0;
    int value = 0;
    int code = MPI_SUCCESS;
    try {
        MPI_Bcast(&value, 1, MPI_INT, size_of(comm), comm);
    } catch (const Thrown& thrown) {
        code = thrown.code;
    }
    EXPECT_EQ(code, MPI_ERR_ROOT);
    EXPECT_EQ(handled, 1);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}
#endif

}  // namespace
}  // namespace espalier::runtime
