// The calls whose counts are MPI_Count: they are planned as those of int counts are, whichever of
// the two each rank makes, and blocks may lie farther off than an int counts.

#include "collective_checks.hpp"
#include "nonblocking_calls.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

namespace {

using espalier::test::Data;
using espalier::test::ExpectPlanned;
using espalier::test::Forms;
using espalier::test::is_planned;
using espalier::test::Nonblocking;
using espalier::test::nonblocking_calls;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::state_of;

#if MPI_VERSION >= 4

enum class Form { blocking, nonblocking, persistent };

int perform(const Forms& forms, Form form, Data& data, MPI_Comm comm) {
    if (form == Form::blocking) return forms.call(data, comm);
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == Form::nonblocking) {
        const int code = forms.begin(data, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return code;
    }
    const int code = forms.initialize(data, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return code;
}

/// How many calls were planned, of those that block and of others.
std::uint64_t planned(MPI_Comm comm, Form form) {
    return form == Form::blocking ? state_of(comm).executor().runs() : state_of(comm).begun();
}

/// Makes all calls in all forms; `is_large` says which of the two counts this rank uses.
void expect_as_by_mpi(const std::function<bool(int call)>& is_large) {
    MPI_Comm comm = MPI_COMM_WORLD;
    int calls = 0;
    for (const Nonblocking& each : nonblocking_calls) {
        if (each.large.call == nullptr) continue;
        for (const int count : {1, 1001, 20001})
            for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
                ++calls;
                Data data(comm, count, calls % size_of(comm), static_cast<std::uint64_t>(calls));
                Data expected = data;
                each.past(expected, comm);
                const std::uint64_t before = is_planned(comm) ? planned(comm, form) : 0;
                const Forms& forms = is_large(calls) ? each.large : each.usual;
                ASSERT_EQ(perform(forms, form, data, comm), MPI_SUCCESS) << each.name;
                EXPECT_TRUE(data == expected) << each.name << " " << count;
                if (is_planned(comm)) {
                    EXPECT_EQ(planned(comm, form), before + 1) << each.name << " " << count;
                }
            }
    }
}

TEST(LargeCounts, are_planned_in_all_forms) {
    expect_as_by_mpi([](int) { return true; });
}

TEST(LargeCounts, some_ranks_may_have_others_not) {
    expect_as_by_mpi([](int call) { return (call + rank_in(MPI_COMM_WORLD)) % 2 == 0; });
}

/// Memory of which only what is touched takes any.
class Sparse {
public:
    explicit Sparse(std::size_t bytes)
        : bytes_(bytes),
          memory_(static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
    ~Sparse() { munmap(memory_, bytes_); }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;
    [[nodiscard]] char* at(MPI_Aint offset) const { return memory_ + offset; }
    void fill(MPI_Aint offset, std::size_t length, int value) const {
        std::memset(at(offset), value, length);
    }
    [[nodiscard]] bool holds(MPI_Aint offset, std::size_t length, int value) const {
        return std::all_of(at(offset), at(offset) + length,
                           [&](char each) { return each == static_cast<char>(value); });
    }

private:
    std::size_t bytes_;
    char* memory_;
};

constexpr std::size_t length = 5000;
/// Farther than an int counts.
constexpr MPI_Aint apart = (MPI_Aint{1} << 31) + 4096;

TEST(LargeCounts, blocks_may_be_far_apart) {
    MPI_Comm comm = MPI_COMM_WORLD;
    const int rank = rank_in(comm);
    const int size = size_of(comm);
    const auto all = static_cast<std::size_t>(size);
    const Sparse in(all * static_cast<std::size_t>(apart));
    const Sparse out(all * static_cast<std::size_t>(apart));
    const std::vector<MPI_Count> counts(all, length);
    const std::vector<MPI_Datatype> types(all, MPI_BYTE);
    std::vector<MPI_Aint> places;
    for (int other = 0; other < size; ++other) {
        places.push_back(other * apart);
        in.fill(places.back(), length, 10 * rank + other);
    }
    const auto expect_from_all = [&](const char* what) {
        for (int other = 0; other < size; ++other) {
            EXPECT_TRUE(out.holds(other * apart, length, 10 * other + rank)) << what << other;
            out.fill(other * apart, length, -1);
        }
    };
    {
        const ExpectPlanned expectation(comm, 2);
        MPI_Alltoallv_c(in.at(0), counts.data(), places.data(), MPI_BYTE, out.at(0), counts.data(),
                        places.data(), MPI_BYTE, comm);
        expect_from_all("alltoallv");
        MPI_Alltoallw_c(in.at(0), counts.data(), places.data(), types.data(), out.at(0),
                        counts.data(), places.data(), types.data(), comm);
        expect_from_all("alltoallw");
    }
    const ExpectPlanned expectation(comm, 2);
    const int root = size - 1;
    MPI_Gatherv_c(in.at(root * apart), length, MPI_BYTE, out.at(0), counts.data(), places.data(),
                  MPI_BYTE, root, comm);
    if (rank == root) expect_from_all("gatherv");
    MPI_Allgatherv_c(in.at(0), length, MPI_BYTE, out.at(0), counts.data(), places.data(), MPI_BYTE,
                     comm);
    for (int other = 0; other < size; ++other)
        EXPECT_TRUE(out.holds(other * apart, length, 10 * other)) << other;
}

TEST(LargeCounts, neighbours_may_have_them) {
    MPI_Comm line = MPI_COMM_NULL;
    const int size = size_of(MPI_COMM_WORLD);
    const int wraps = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wraps, 0, &line);
    const int rank = rank_in(line);
    const Sparse in(2 * apart);
    const Sparse out(2 * apart);
    const std::vector<MPI_Count> counts(2, length);
    const std::vector<MPI_Aint> places{0, apart};
    const std::vector<MPI_Datatype> types(2, MPI_BYTE);
    in.fill(0, length, 2 * rank);
    in.fill(apart, length, 2 * rank + 1);
    const auto expect_from_both = [&](const char* what) {
        if (rank > 0) {
            EXPECT_TRUE(out.holds(0, length, 2 * rank - 1)) << what;
        }
        if (rank < size - 1) {
            EXPECT_TRUE(out.holds(apart, length, 2 * rank + 2)) << what;
        }
        out.fill(0, length, -1);
        out.fill(apart, length, -1);
    };
    {
        const ExpectPlanned expectation(line, 2);
        MPI_Neighbor_alltoallv_c(in.at(0), counts.data(), places.data(), MPI_BYTE, out.at(0),
                                 counts.data(), places.data(), MPI_BYTE, line);
        expect_from_both("v");
        MPI_Neighbor_alltoallw_c(in.at(0), counts.data(), places.data(), types.data(), out.at(0),
                                 counts.data(), places.data(), types.data(), line);
        expect_from_both("w");
    }
    MPI_Comm_free(&line);
}

#endif

}  // namespace
