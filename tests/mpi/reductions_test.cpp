// Reduce, all-reduce, scan and exscan against operands combined one by one: exact operators have to
// give the same bits; others the same bits on every rank.

#include "collective_checks.hpp"

#include <cstring>

namespace {

using espalier::test::class_of;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::Memory;
using espalier::test::on_communicators;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::state_of;
using espalier::test::Type;

enum class Kind { reduce, allreduce, scan, exscan };
constexpr Kind all_kinds[] = {Kind::reduce, Kind::allreduce, Kind::scan, Kind::exscan};

struct Vector {
    const Type* type;
    int count;
    MPI_Op op;
};

int perform(Kind kind, const void* input, void* output, const Vector& what, int root,
            MPI_Comm comm) {
    const auto [type, count, op] = what;
    switch (kind) {
        case Kind::reduce:
            return MPI_Reduce(input, output, count, type->get(), op, root, comm);
        case Kind::allreduce:
            return MPI_Allreduce(input, output, count, type->get(), op, comm);
        case Kind::scan:
            return MPI_Scan(input, output, count, type->get(), op, comm);
        case Kind::exscan:
            return MPI_Exscan(input, output, count, type->get(), op, comm);
    }
    return MPI_ERR_INTERN;
}

bool has_result(Kind kind, int root, MPI_Comm comm) {
    if (kind == Kind::reduce) return rank_in(comm) == root;
    return kind != Kind::exscan || rank_in(comm) > 0;
}

/// The data of all ranks, one after the other.
std::vector<std::byte> gathered(Memory& from, const Vector& what, MPI_Comm comm) {
    const int bytes = what.count * static_cast<int>(what.type->size());
    std::vector<std::byte> own(static_cast<std::size_t>(bytes));
    std::vector<std::byte> all(own.size() * static_cast<std::size_t>(size_of(comm)));
    if (bytes == 0) return all;
    int position = 0;
    MPI_Pack(from.data(), what.count, what.type->get(), own.data(), bytes, &position, comm);
    PMPI_Allgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm);
    return all;
}

/// What MPI defines: all operands gathered, and combined one after the other in the order of ranks,
/// on the data alone as rows of ints. (MPI's own reductions have bugs with types whose lower bound
/// is not 0, and SMPI's scans do not keep the order.)
void reduce_rows(Kind kind, Memory& from, Memory& to, const Vector& what, int root, MPI_Comm comm) {
    const auto [type, count, op] = what;
    const bool is_plain = espalier::runtime::Element::of(type->get()).plain;
    const Type row = Type::row(static_cast<int>(type->size() / sizeof(std::int32_t)));
    MPI_Datatype unit = is_plain ? type->get() : row.get();
    const std::size_t bytes = static_cast<std::size_t>(count) * type->size();
    const auto all = gathered(from, what, comm);
    const int last = kind == Kind::scan     ? rank_in(comm)
                     : kind == Kind::exscan ? rank_in(comm) - 1
                                            : size_of(comm) - 1;
    if (count == 0 || !has_result(kind, root, comm)) return;
    std::vector<std::byte> sum(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
    for (int rank = 1; rank <= last; ++rank) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(bytes) * rank;
        std::vector<std::byte> next(begin, begin + static_cast<std::ptrdiff_t>(bytes));
        PMPI_Reduce_local(sum.data(), next.data(), count, unit, op);
        sum = std::move(next);
    }
    int position = 0;
    MPI_Unpack(sum.data(), static_cast<int>(bytes), &position, to.data(), count, type->get(), comm);
}

/// Some operators that need the order of ranks have no plan.
bool is_refused(int kind, const Vector& what, int root, MPI_Comm comm) {
    using espalier::runtime::Question;
    using espalier::schedule::Kind;
    constexpr Kind kinds[] = {Kind::reduce, Kind::allreduce, Kind::scan, Kind::exscan};
    const auto bytes = static_cast<std::uint64_t>(what.count) * what.type->size();
    Question question = Question::about(kinds[kind], bytes, kind == 0 ? root : 0);
    question.combine(what.op, what.type->get());
    const auto* entry = state_of(comm).plans().find(question.signature);
    return question.signature.ordered && entry != nullptr && entry->plan->share.is_native();
}

void expect_same(Kind kind, const Vector& what, int root, MPI_Comm comm, bool in_place,
                 std::uint64_t seed) {
    const auto count = static_cast<std::size_t>(what.count);
    const auto mine = seed * 100 + static_cast<std::uint64_t>(rank_in(comm));
    const bool here = in_place && (kind != Kind::reduce || rank_in(comm) == root);
    Memory input(*what.type, count, mine);
    const Memory untouched = input;
    Memory output(*what.type, count, here ? mine : 99);
    Memory expected = output;
    const Memory before = output;
    reduce_rows(kind, here ? output : input, expected, what, root, comm);
    const std::uint64_t planned = espalier::test::planned_calls(comm);
    ASSERT_EQ(perform(kind, here ? MPI_IN_PLACE : input.data(), output.data(), what, root, comm),
              MPI_SUCCESS);
    if (what.count > 0 && espalier::test::is_planned(comm) &&
        !is_refused(static_cast<int>(kind), what, root, comm)) {
        EXPECT_EQ(espalier::test::planned_calls(comm), planned + 1);
    }
    EXPECT_EQ(input, untouched);
    const char* in = in_place ? " in place" : "";
    if (has_result(kind, root, comm)) {
        EXPECT_EQ(output, expected) << "kind " << static_cast<int>(kind) << ", " << count
                                    << " elements, root " << root << in;
    } else if (espalier::test::is_planned(comm)) {
        EXPECT_EQ(output, before) << "wrote where no result belongs";
    }
}

TEST(Reductions, give_the_bits_that_mpi_gives_of_integers_of_any_number) {
    const Type type(MPI_INT32_T);
    for (const Kind kind : all_kinds)
        for (const int count : {0, 1, 2, 7, 1000, 4097, 40'003})
            expect_same(kind, {&type, count, MPI_SUM}, count % size_of(MPI_COMM_WORLD),
                        MPI_COMM_WORLD, count % 2 == 0, 1);
}

TEST(Reductions, reach_every_root) {
    const Type type(MPI_INT64_T);
    for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root)
        for (const int count : {1, 513, 20'000})
            expect_same(Kind::reduce, {&type, count, MPI_BXOR}, root, MPI_COMM_WORLD, root % 2 == 0,
                        static_cast<std::uint64_t>(root));
}

TEST(Reductions, give_the_bits_that_mpi_gives_by_any_exact_operator) {
    const Type number(MPI_INT);
    const Type byte(MPI_BYTE);
    const Type pair(MPI_2INT);
    for (const Kind kind : all_kinds) {
        for (const MPI_Op op :
             {MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR})
            expect_same(kind, {&number, 300, op}, 0, MPI_COMM_WORLD, false, 3);
        expect_same(kind, {&byte, 1001, MPI_BXOR}, 0, MPI_COMM_WORLD, true, 4);
        expect_same(kind, {&pair, 77, MPI_MAXLOC}, 0, MPI_COMM_WORLD, false, 5);
        expect_same(kind, {&pair, 77, MPI_MINLOC}, 0, MPI_COMM_WORLD, true, 6);
    }
}

TEST(Reductions, work_on_parts_and_copies_of_the_world) {
    const Type type(MPI_INT32_T);
    on_communicators([&](MPI_Comm comm) {
        for (const Kind kind : all_kinds) {
            expect_same(kind, {&type, 900, MPI_SUM}, size_of(comm) - 1, comm, false, 7);
            expect_same(kind, {&type, 3, MPI_SUM}, 0, comm, true, 8);
        }
    });
}

/// Pairs of ints of any type, as the maps x -> a x + b, one after the other: the order matters.
void compose(void* left, void* right, int* length, MPI_Datatype* type) {
    const Type shape(*type);
    MPI_Aint first = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_true_extent(*type, &first, &extent);
    for (int i = 0; i < *length; ++i) {
        // The lower address of the two is b: their types name a second.
        const MPI_Aint a_at = first == -8 ? 4 : 0;
        const MPI_Aint b_at = first == -8 ? -8 : 4;
        const auto at = [&](void* row, MPI_Aint offset) {
            return static_cast<std::byte*>(row) + i * shape.extent() + offset;
        };
        std::uint32_t a[2];
        std::uint32_t b[2];
        std::memcpy(&a[0], at(left, a_at), 4);
        std::memcpy(&b[0], at(left, b_at), 4);
        std::memcpy(&a[1], at(right, a_at), 4);
        std::memcpy(&b[1], at(right, b_at), 4);
        const std::uint32_t slope = a[0] * a[1];
        const std::uint32_t constant = a[1] * b[0] + b[1];
        std::memcpy(at(right, a_at), &slope, 4);
        std::memcpy(at(right, b_at), &constant, 4);
    }
}

/// Of what is not planned, MPI's own reductions may fail where a type's lower bound is not 0; SMPI
/// packs and moves no more than one element of such a type right.
bool bears_holes([[maybe_unused]] MPI_Comm comm) {
#ifdef ESPALIER_MPI_SMPI
    return false;
#else
    return size_of(comm) > 1;
#endif
}

TEST(Reductions, keep_the_order_of_ranks_where_an_operator_needs_it) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(compose, 0, &op);
    const Type rows = Type::row(2);
    const Type holed = Type::holed();
    on_communicators([&](MPI_Comm comm) {
        for (const Kind kind : all_kinds)
            for (const int count : {5, 3001}) {
                const int root = count % size_of(comm);
                const bool in_place = count == 5;
                expect_same(kind, {&rows, count, op}, root, comm, in_place, 9);
                if (bears_holes(comm))
                    expect_same(kind, {&holed, count, op}, root, comm, !in_place, 10);
            }
    });
    MPI_Op_free(&op);
}

void add_pairs(void* left, void* right, int* length, MPI_Datatype* type) {
    const Type shape(*type);
    for (int i = 0; i < *length; ++i)
        for (const MPI_Aint offset :
             {MPI_Aint{4}, shape.extent() == 8 ? MPI_Aint{0} : MPI_Aint{-8}}) {
            const MPI_Aint at = i * shape.extent() + offset;
            std::uint32_t one = 0;
            std::uint32_t other = 0;
            std::memcpy(&one, static_cast<std::byte*>(left) + at, 4);
            std::memcpy(&other, static_cast<std::byte*>(right) + at, 4);
            other += one;
            std::memcpy(static_cast<std::byte*>(right) + at, &other, 4);
        }
}

TEST(Reductions, leave_the_holes_of_a_type_alone) {
    MPI_Op op = MPI_OP_NULL;
    if (!bears_holes(MPI_COMM_WORLD)) GTEST_SKIP() << "the MPI library does not bear such types";
    MPI_Op_create(add_pairs, 1, &op);
    const Type holed = Type::holed();
    for (const Kind kind : all_kinds)
        for (const int count : {1, 100, 9001})
            expect_same(kind, {&holed, count, op}, 0, MPI_COMM_WORLD, count == 100, 11);
    MPI_Op_free(&op);
}

TEST(Reductions, of_doubles_are_the_same_bits_on_all_ranks_and_in_all_calls) {
    const int ranks = size_of(MPI_COMM_WORLD);
    for (const int count : {1, 3, 1000, 50'001}) {
        const auto length = static_cast<std::size_t>(count);
        espalier::Random random(static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)) + 5);
        std::vector<double> input(length);
        for (double& value : input) value = random.uniform(-1e3, 1e3) * random.uniform(0, 1e6);
        std::vector<double> first(length);
        ASSERT_EQ(
            MPI_Allreduce(input.data(), first.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
            MPI_SUCCESS);
        std::vector<double> again(length);
        MPI_Allreduce(input.data(), again.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(std::memcmp(first.data(), again.data(), length * sizeof(double)), 0);
        std::vector<double> all(length * static_cast<std::size_t>(ranks));
        PMPI_Allgather(first.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE,
                       MPI_COMM_WORLD);
        for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r)
            ASSERT_EQ(std::memcmp(first.data(), all.data() + r * length, length * sizeof(double)),
                      0)
                << "rank " << r << " of " << count;
        std::vector<double> exact(length);
        PMPI_Allreduce(input.data(), exact.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (std::size_t i = 0; i < length; ++i) ASSERT_NEAR(first[i], exact[i], 1e-3);
    }
}

TEST(Reductions, never_meet_the_receives_of_the_program) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    if (size == 1) GTEST_SKIP() << "nothing is planned";
    expect_own_receive_untouched_by([&] {
        for (const int count : {1, 30'000}) {
            std::vector<int> input(static_cast<std::size_t>(count), rank + 1);
            std::vector<int> output(input.size());
            MPI_Allreduce(input.data(), output.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(output.back(), size * (size + 1) / 2);
            MPI_Scan(input.data(), output.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(output.back(), (rank + 1) * (rank + 2) / 2);
        }
    });
}

#ifndef ESPALIER_MPI_SMPI
TEST(Reductions, return_the_errors_of_wrong_arguments_and_go_on) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int value = 1;
    int result = 0;
    EXPECT_EQ(class_of(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_OP_NULL, comm)), MPI_ERR_OP);
#ifdef ESPALIER_MPI_OPENMPI
    // MPICH looks at the count of an all-reduce only as it goes.
    EXPECT_EQ(class_of(MPI_Allreduce(&value, &result, -1, MPI_INT, MPI_SUM, comm)), MPI_ERR_COUNT);
#endif
    EXPECT_EQ(class_of(MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, size_of(comm), comm)),
              MPI_ERR_ROOT);
    EXPECT_NE(class_of(MPI_Scan(&value, &result, 1, MPI_DATATYPE_NULL, MPI_SUM, comm)),
              MPI_SUCCESS);
    const Type type(MPI_INT);
    for (const Kind kind : all_kinds) expect_same(kind, {&type, 5, MPI_SUM}, 0, comm, false, 12);
    MPI_Comm_free(&comm);
}
#endif

}  // namespace
