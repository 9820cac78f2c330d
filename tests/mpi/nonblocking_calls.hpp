#pragma once

#include "core/random.hpp"
#include "runtime/collective_table.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// Each nonblocking collective as one call on like data, through the library, and past it as the
// blocking one; and the persistent one.

namespace espalier::test {

/// Counts or displacements, of whichever integers a call takes.
class Numbers {
public:
    void push_back(int number) {
        narrow_.push_back(number);
        wide_.push_back(number);
    }
    [[nodiscard]] int back() const { return narrow_.back(); }
    [[nodiscard]] int operator[](std::size_t index) const { return narrow_[index]; }
    template <std::integral Integer>
    operator const Integer*() const {  // NOLINT(google-explicit-constructor)
        if constexpr (sizeof(Integer) == sizeof(int))
            return narrow_.data();
        else
            return reinterpret_cast<const Integer*>(wide_.data());
    }
    friend bool operator==(const Numbers&, const Numbers&) = default;

private:
    std::vector<int> narrow_;
    std::vector<std::int64_t> wide_;
};

/// What a call reads and writes: ints, more of them than any collective here needs, and arrays of
/// counts for those that have blocks of several sizes.
struct Data {
    Data(MPI_Comm comm, int block, int of, std::uint64_t seed) : count(block), root(of) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        const auto ints = static_cast<std::size_t>(size) * static_cast<std::size_t>(count + 5);
        Random random(seed * 1000 + static_cast<std::uint64_t>(rank));
        for (std::vector<int>* side : {&in, &out}) {
            side->resize(ints);
            for (int& each : *side) each = static_cast<int>(random.below(1000));
        }
        int to = 0;
        int from = 0;
        int shared = 0;
        for (int peer = 0; peer < size; ++peer) {
            sent.push_back(count + (rank + 2 * peer) % 3);
            received.push_back(count + (peer + 2 * rank) % 3);
            all.push_back(count + peer % 3);
            sent_at.push_back(to);
            received_at.push_back(from);
            all_at.push_back(shared);
            to += sent.back() + 1;
            from += received.back() + 1;
            shared += all.back() + 1;
        }
    }
    [[nodiscard]] int own() const { return all[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] int own_at() const { return all_at[static_cast<std::size_t>(rank)]; }
    friend bool operator==(const Data&, const Data&) = default;

    int count;
    int root;
    int rank = 0;
    int size = 1;
    std::vector<int> in;
    std::vector<int> out;
    Numbers sent, received, all;  ///< counts
    Numbers sent_at, received_at, all_at;
};

using Blocking = int (*)(Data&, MPI_Comm);
using Beginning = int (*)(Data&, MPI_Comm, MPI_Request*);

/// The forms of a call through the library.
struct Forms {
    Blocking call = nullptr;
    Beginning begin = nullptr;
    Beginning initialize = nullptr;
};

struct Nonblocking {
    const char* name;
    Forms usual;
    Forms large;  ///< with counts of MPI_Count, where MPI has these
    Blocking past;

    int begin(Data& data, MPI_Comm comm, MPI_Request* request) const {
        return usual.begin(data, comm, request);
    }
    int initialize(Data& data, MPI_Comm comm, MPI_Request* request) const {
        return usual.initialize(data, comm, request);
    }
};

// clang-format off
#define ESPALIER_THREE_FORMS(blocking, nonblocking, persistent, ...)                                  \
    Forms{[](Data& d, MPI_Comm comm) { return blocking(__VA_ARGS__, comm); },                         \
          [](Data& d, MPI_Comm comm, MPI_Request* r) { return nonblocking(__VA_ARGS__, comm, r); },   \
          [](Data& d, MPI_Comm comm, MPI_Request* r) {                                                \
              return persistent(__VA_ARGS__, comm, MPI_INFO_NULL, r);                                 \
          }}
#define ESPALIER_USUAL(name, lower, ...) \
    ESPALIER_THREE_FORMS(MPI_##name, MPI_I##lower, ESPALIER_INITIALIZATION(name), __VA_ARGS__)
#if MPI_VERSION >= 4
#define ESPALIER_LARGE_FORMS(name, lower, ...) \
    ESPALIER_THREE_FORMS(MPI_##name##_c, MPI_I##lower##_c, MPI_##name##_init_c, __VA_ARGS__)
#else
#define ESPALIER_LARGE_FORMS(name, lower, ...) Forms{}
#endif

#define ESPALIER_BOTH(name, lower, ...)                                                   \
    Nonblocking{#name, ESPALIER_USUAL(name, lower, __VA_ARGS__),                          \
                ESPALIER_LARGE_FORMS(name, lower, __VA_ARGS__),                           \
                [](Data& d, MPI_Comm comm) { return PMPI_##name(__VA_ARGS__, comm); }}
/// In place: the first argument differs, and what follows it is the same.
#define ESPALIER_IN_PLACE(name, lower, in_place, copied, ...)                             \
    Nonblocking{#name " in place", ESPALIER_USUAL(name, lower, in_place, __VA_ARGS__),    \
                ESPALIER_LARGE_FORMS(name, lower, in_place, __VA_ARGS__),                 \
                [](Data& d, MPI_Comm comm) {                                              \
                    std::vector<int> own = d.out;                                         \
                    return PMPI_##name(copied, __VA_ARGS__, comm);                        \
                }}

inline const std::array nonblocking_calls{
    ESPALIER_BOTH(Bcast, bcast, d.out.data(), d.count, MPI_INT, d.root),
    ESPALIER_BOTH(Reduce, reduce, d.in.data(), d.out.data(), d.count, MPI_INT, MPI_SUM, d.root),
    ESPALIER_BOTH(Allreduce, allreduce, d.in.data(), d.out.data(), d.count, MPI_INT, MPI_MAX),
    ESPALIER_BOTH(Scan, scan, d.in.data(), d.out.data(), d.count, MPI_INT, MPI_SUM),
    ESPALIER_BOTH(Exscan, exscan, d.in.data(), d.out.data(), d.count, MPI_INT, MPI_SUM),
    ESPALIER_BOTH(Scatter, scatter, d.in.data(), d.count, MPI_INT, d.out.data(), d.count, MPI_INT, d.root),
    ESPALIER_BOTH(Scatterv, scatterv, d.in.data(), d.all, d.all_at, MPI_INT, d.out.data(), d.own(), MPI_INT, d.root),
    ESPALIER_BOTH(Gather, gather, d.in.data(), d.count, MPI_INT, d.out.data(), d.count, MPI_INT, d.root),
    ESPALIER_BOTH(Gatherv, gatherv, d.in.data(), d.own(), MPI_INT, d.out.data(), d.all, d.all_at, MPI_INT, d.root),
    ESPALIER_BOTH(Allgather, allgather, d.in.data(), d.count, MPI_INT, d.out.data(), d.count, MPI_INT),
    ESPALIER_BOTH(Allgatherv, allgatherv, d.in.data(), d.own(), MPI_INT, d.out.data(), d.all, d.all_at, MPI_INT),
    ESPALIER_BOTH(Reduce_scatter, reduce_scatter, d.in.data(), d.out.data(), d.all, MPI_INT, MPI_SUM),
    ESPALIER_BOTH(Reduce_scatter_block, reduce_scatter_block, d.in.data(), d.out.data(), d.count, MPI_INT, MPI_SUM),
    ESPALIER_BOTH(Alltoall, alltoall, d.in.data(), d.count, MPI_INT, d.out.data(), d.count, MPI_INT),
    ESPALIER_BOTH(Alltoallv, alltoallv, d.in.data(), d.sent, d.sent_at, MPI_INT, d.out.data(), d.received, d.received_at, MPI_INT),
    Nonblocking{"Barrier",
                {[](Data&, MPI_Comm comm) { return MPI_Barrier(comm); },
                 [](Data&, MPI_Comm comm, MPI_Request* request) { return MPI_Ibarrier(comm, request); },
                 [](Data&, MPI_Comm comm, MPI_Request* request) { return ESPALIER_INITIALIZATION(Barrier)(comm, MPI_INFO_NULL, request); }},
                {},
                [](Data&, MPI_Comm comm) { return PMPI_Barrier(comm); }},
    // In place; what is expected comes from copies, since some of MPICH 4.0's own calls in place
    // crash, or write where no result belongs.
    ESPALIER_IN_PLACE(Allreduce, allreduce, MPI_IN_PLACE, own.data(), d.out.data(), d.count, MPI_INT, MPI_SUM),
    ESPALIER_IN_PLACE(Reduce, reduce, d.rank == d.root ? MPI_IN_PLACE : d.out.data(), own.data(), d.rank == d.root ? d.out.data() : nullptr, d.count, MPI_INT, MPI_MIN, d.root),
    ESPALIER_IN_PLACE(Scan, scan, MPI_IN_PLACE, own.data(), d.out.data(), d.count, MPI_INT, MPI_SUM),
#ifndef ESPALIER_MPI_MPICH
    ESPALIER_IN_PLACE(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, own.data(), d.out.data(), d.all, MPI_INT, MPI_SUM),
    ESPALIER_IN_PLACE(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, own.data(), d.out.data(), d.count, MPI_INT, MPI_SUM),
#endif
    ESPALIER_IN_PLACE(Allgather, allgather, MPI_IN_PLACE, own.data() + std::ptrdiff_t{d.rank} * d.count, d.count, MPI_INT, d.out.data(), d.count, MPI_INT),
    ESPALIER_IN_PLACE(Allgatherv, allgatherv, MPI_IN_PLACE, own.data() + d.own_at(), d.own(), MPI_INT, d.out.data(), d.all, d.all_at, MPI_INT),
    ESPALIER_IN_PLACE(Alltoall, alltoall, MPI_IN_PLACE, own.data(), d.count, MPI_INT, d.out.data(), d.count, MPI_INT),
    ESPALIER_IN_PLACE(Gather, gather, d.rank == d.root ? MPI_IN_PLACE : d.out.data(), own.data() + (d.rank == d.root ? d.rank * d.count : 0), d.count, MPI_INT, d.out.data(), d.count, MPI_INT, d.root),
};
// clang-format on

/// The roots that make a difference to a call: the first rank and the last, where it has a root.
inline std::vector<int> roots_of(const Nonblocking& call, int size) {
    const std::string_view name(call.name);
    constexpr std::array rooted{"Bcast", "Reduce", "Scatter", "Scatterv", "Gather", "Gatherv"};
    const bool has_root = std::ranges::any_of(
        rooted, [&](std::string_view each) { return name.substr(0, name.find(' ')) == each; });
    return has_root ? std::vector<int>{0, size - 1} : std::vector<int>{0};
}

}  // namespace espalier::test
