// Several plans beside MPI's own: every call brings what it should, whichever way it is done, and
// all ranks go on in the same way.

#include "collective_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace {

using espalier::runtime::Question;
using espalier::schedule::Kind;
using espalier::test::is_planned;
using espalier::test::planned_calls;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::state_of;

using Ints = std::vector<std::int32_t>;
constexpr int count = 700;

/// What `from` has for `to` in a call; no two calls have the same.
Ints block(int from, int to, int call) {
    Ints data(count);
    std::iota(data.begin(), data.end(), from * 100'003 + to * 1009 + call * 17);
    return data;
}

/// The blocks of some ranks in a row.
Ints blocks(int ranks, const std::function<Ints(int)>& of) {
    Ints all;
    for (int rank = 0; rank < ranks; ++rank) {
        const Ints one = of(rank);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

/// What ranks `first` to before `last` have for `to`, added up.
Ints sum(int first, int last, int to, int call) {
    Ints total(count);
    for (int rank = first; rank < last; ++rank) {
        const Ints one = block(rank, to, call);
        std::transform(one.begin(), one.end(), total.begin(), total.begin(), std::plus<>());
    }
    return total;
}

/// A call of a collective on this rank: what came, and what should have come.
struct Outcome {
    Ints came;
    Ints expected;
};

Outcome perform(Kind kind, MPI_Comm comm, int call) {
    const int rank = rank_in(comm);
    const int size = size_of(comm);
    const int root = size - 1;
    const Ints own = block(rank, 0, call);
    const Ints row = blocks(size, [&](int to) { return block(rank, to, call); });
    const Ints column = blocks(size, [&](int from) { return block(from, 0, call); });
    Ints came(count, -1);
    Ints all(row.size(), -1);
    switch (kind) {
        case Kind::broadcast:
            if (rank == root) came = own;
            MPI_Bcast(came.data(), count, MPI_INT32_T, root, comm);
            return {came, block(root, 0, call)};
        case Kind::scatter:
            MPI_Scatter(row.data(), count, MPI_INT32_T, came.data(), count, MPI_INT32_T, root,
                        comm);
            return {came, block(root, rank, call)};
        case Kind::gather:
            MPI_Gather(own.data(), count, MPI_INT32_T, all.data(), count, MPI_INT32_T, root, comm);
            return {all, rank == root ? column : Ints(row.size(), -1)};
        case Kind::allgather:
            MPI_Allgather(own.data(), count, MPI_INT32_T, all.data(), count, MPI_INT32_T, comm);
            return {all, column};
        case Kind::alltoall:
            MPI_Alltoall(row.data(), count, MPI_INT32_T, all.data(), count, MPI_INT32_T, comm);
            return {all, blocks(size, [&](int from) { return block(from, rank, call); })};
        case Kind::reduce:
            MPI_Reduce(own.data(), came.data(), count, MPI_INT32_T, MPI_SUM, root, comm);
            return {came, rank == root ? sum(0, size, 0, call) : Ints(count, -1)};
        case Kind::allreduce:
            MPI_Allreduce(own.data(), came.data(), count, MPI_INT32_T, MPI_SUM, comm);
            return {came, sum(0, size, 0, call)};
        case Kind::reduce_scatter:
            MPI_Reduce_scatter_block(row.data(), came.data(), count, MPI_INT32_T, MPI_SUM, comm);
            return {came, sum(0, size, rank, call)};
        case Kind::scan:
            MPI_Scan(own.data(), came.data(), count, MPI_INT32_T, MPI_SUM, comm);
            return {came, sum(0, rank + 1, 0, call)};
        default:
            MPI_Barrier(comm);
            return {};
    }
}

Question question_of(Kind kind, int size) {
    Question question = kind == Kind::barrier
                            ? Question::about(kind, std::nullopt)
                            : Question::about(kind, sizeof(std::int32_t) * count,
                                              espalier::schedule::has_root(kind) ? size - 1 : 0);
    return question;
}

/// Collective.
void expect_same_everywhere(std::uint64_t value, MPI_Comm comm) {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    PMPI_Allreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, comm);
    PMPI_Allreduce(&value, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
    EXPECT_EQ(least, most);
}

/// Calls until there is a plan, and the ranks have agreed so many times since on what calls took,
/// or made very many calls: each better plan is looked at anew. Returns how many plans there were.
std::size_t try_out(Kind kind, std::size_t agreements, MPI_Comm comm) {
    constexpr int most_calls = 5000;
    int call = 0;
    const auto call_next = [&] {
        const Outcome outcome = perform(kind, comm, call++);
        EXPECT_EQ(outcome.came, outcome.expected) << name_of(kind) << ", call " << call;
    };
    call_next();
    const auto* entry = state_of(comm).plans().find(question_of(kind, size_of(comm)).signature);
    if (entry == nullptr) {
        ADD_FAILURE() << name_of(kind) << " was asked for otherwise";
        return 0;
    }
    while (entry->plan->share.steps == 0 && entry->bandit.chooses() && call < most_calls)
        call_next();
    expect_same_everywhere(static_cast<std::uint64_t>(call), comm);
    if (entry->plan->share.is_native()) return 0;
    const std::size_t before = entry->bandit.agreements();
    const std::size_t plans = 1 + entry->plan->share.others.size();
    expect_same_everywhere(plans, comm);
    EXPECT_TRUE(entry->bandit.chooses());
    while (entry->bandit.agreements() < before + agreements && call < most_calls) call_next();
    EXPECT_GT(entry->bandit.agreements(), before) << name_of(kind);
    expect_same_everywhere(entry->bandit.agreements(), comm);
    expect_same_everywhere(entry->bandit.next(), comm);
    expect_same_everywhere(planned_calls(comm), comm);
    expect_same_everywhere(static_cast<std::uint64_t>(call), comm);
    call_next();
    return plans;
}

TEST(SeveralPlans, are_tried_with_the_right_results_and_all_ranks_choose_the_same) {
    const int size = size_of(MPI_COMM_WORLD);
    std::size_t most = 0;
    for (const Kind kind :
         {Kind::broadcast, Kind::scatter, Kind::gather, Kind::allgather, Kind::alltoall,
          Kind::reduce, Kind::allreduce, Kind::reduce_scatter, Kind::scan, Kind::barrier}) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (is_planned(comm)) most = std::max(most, try_out(kind, 3, comm));
        MPI_Comm_free(&comm);
    }
    if (size > 2) {
        EXPECT_GT(most, 1U) << "one plan each is no choice of several";
    }
}

TEST(SeveralPlans, are_looked_at_again_by_all_ranks_at_once) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (is_planned(comm)) try_out(Kind::gather, 5, comm);
    MPI_Comm_free(&comm);
}

}  // namespace
