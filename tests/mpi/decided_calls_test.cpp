// A call that calls decided to leave to MPI, and at which nobody looks, takes no time of its own:
// its leader's account knows what such calls take.

#include "collective_checks.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <optional>

namespace {

std::size_t clock_reads = 0;

}  // namespace

extern "C" double PMPI_Wtime() {
    ++clock_reads;
    using Function = double (*)();
    static const auto own = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Wtime"));
    return own();
}

namespace {

using espalier::runtime::Bandit;
using espalier::runtime::Question;
using espalier::schedule::Kind;
using espalier::test::is_planned;
using espalier::test::state_of;

/// Returns the number of calls that were left to MPI, the same on all ranks.
std::size_t calls_left(MPI_Comm comm) {
    MPI_Barrier(comm);
    auto& plans = state_of(comm).plans();
    const auto* entry = plans.find(Question::about(Kind::barrier, std::nullopt).signature);
    if (entry == nullptr) {
        ADD_FAILURE() << "barriers are asked for otherwise";
        return 0;
    }
    std::size_t left = 0;
    for (int call = 0; call < 300; ++call) {
        const Bandit& bandit = entry->bandit;
        const bool is_left = bandit.chooses() && bandit.next() == Bandit::native &&
                             bandit.was_measured(Bandit::native) && !bandit.looks();
        const std::size_t deals = plans.deals();
        const std::size_t before = clock_reads;
        MPI_Barrier(comm);
        if (!is_left || plans.deals() > deals) continue;
        ++left;
        EXPECT_EQ(clock_reads, before) << "call " << call;
    }
    return left;
}

TEST(DecidedCalls, read_no_clock_where_nobody_looks) {
    ASSERT_TRUE(is_planned(MPI_COMM_WORLD));
    // On a busy machine a plan may turn out to be faster.
    std::size_t left = 0;
    for (int tried = 0; tried < 20 && left == 0; ++tried) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
        left = calls_left(comm);
        MPI_Comm_free(&comm);
    }
    EXPECT_GT(left, 0u);
}

}  // namespace
