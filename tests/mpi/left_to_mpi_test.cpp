// What a call costs that is left to MPI, in what is the same on every machine: our allocations, and
// looks at the communicator's attribute.

#include "../bench/preload/collectives.hpp"
#include "collective_checks.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <new>
#include <string>

namespace {

std::size_t allocations = 0;
std::size_t looks = 0;

}  // namespace

// The MPI libraries are written in C, and allocate otherwise. Inline, the compiler would see one of
// a pair without the other.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* found) {
    ++looks;
    using Function = int (*)(MPI_Comm, int, void*, int*);
    static const auto own = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Comm_get_attr"));
    return own(comm, keyval, value, found);
}

namespace {

using espalier::bench::Both;
using espalier::bench::Buffers;
using espalier::bench::collectives;
using espalier::test::is_planned;
using espalier::test::planned_calls;

/// What calls took of ours.
struct Cost {
    std::size_t allocated = 0;  ///< calls that allocated something
    std::size_t looked = 0;     ///< times that the attribute was looked at
};

Cost cost_of(const Both& both, Buffers& buffers, std::size_t calls) {
    Cost cost;
    const std::size_t looks_before = looks;
    for (std::size_t call = 0; call < calls; ++call) {
        const std::size_t before = allocations;
        both.through(buffers, 0);
        cost.allocated += allocations > before ? 1 : 0;
    }
    cost.looked = looks - looks_before;
    return cost;
}

TEST(LeftToMpi, costs_nothing_where_the_communicator_is_known_to_be) {
    Buffers alone(8, MPI_COMM_SELF);
    for (const Both& both : collectives) {
        both.through(alone, 0);
        const Cost cost = cost_of(both, alone, 10);
        EXPECT_EQ(cost.allocated, 0u) << both.name;
        EXPECT_EQ(cost.looked, 0u) << both.name;
    }
}

TEST(LeftToMpi, costs_one_look_at_the_communicator_where_there_is_no_plan) {
    ASSERT_TRUE(is_planned(MPI_COMM_WORLD));
    Buffers buffers(8, MPI_COMM_WORLD);
    for (const Both& both : collectives) {
        both.through(buffers, 0);
        constexpr std::size_t calls = 10;
        const Cost cost = cost_of(both, buffers, calls);
        EXPECT_EQ(cost.allocated, 0u) << both.name;
        EXPECT_EQ(cost.looked, calls) << both.name;
    }
    EXPECT_EQ(planned_calls(MPI_COMM_WORLD), 0u);
}

}  // namespace
