#pragma once

#include "collective_checks.hpp"
#include "runtime/collective_table.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Each neighbourhood collective as calls on like data, through the library and past it, and
// topologies of every kind.

namespace espalier::test {

/// A communicator with a topology, and how many sources and targets this rank has there.
struct Topology {
    std::string name;
    bool is_planned = true;  ///< no neighbour is one twice
    MPI_Comm comm = MPI_COMM_NULL;
    int sources = 0;
    int targets = 0;
};

inline Topology grid(const std::string& name, std::vector<int> sides, const std::vector<int>& wraps,
                     bool planned) {
    Topology made{name, planned};
    const int dimensions = static_cast<int>(sides.size());
    MPI_Dims_create(size_of(MPI_COMM_WORLD), dimensions, sides.data());
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides.data(), wraps.data(), 0, &made.comm);
    made.sources = made.targets = 2 * dimensions;
    return made;
}

/// The same edges both ways: a ring with chords.
inline Topology graph() {
    Topology made{"graph"};
    const int size = size_of(MPI_COMM_WORLD);
    std::vector<int> ends;
    std::vector<int> others;
    for (int rank = 0; rank < size; ++rank) {
        for (int other = 0; other < size; ++other)
            if (other != rank && ((rank + other) % 3 == 0 || std::abs(rank - other) == 1))
                others.push_back(other);
        ends.push_back(static_cast<int>(others.size()));
    }
    others.push_back(0);  // MPI takes no null pointer for no edges
    MPI_Graph_create(MPI_COMM_WORLD, size, ends.data(), others.data(), 0, &made.comm);
    MPI_Graph_neighbors_count(made.comm, rank_in(made.comm), &made.sources);
    made.targets = made.sources;
    return made;
}

/// A directed graph in which `has(from, to)` says how many edges there are, listed in an order of
/// each rank's own.
template <typename Has>
Topology directed(const std::string& name, bool planned, const Has& has) {
    Topology made{name, planned};
    const int rank = rank_in(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    std::vector<int> sources;
    std::vector<int> targets;
    for (int step = 0; step < size; ++step) {
        const int other = (rank * 3 + step) % size;
        sources.insert(sources.end(), static_cast<std::size_t>(has(other, rank)), other);
        const int another = (rank * 2 + size - step) % size;
        targets.insert(targets.end(), static_cast<std::size_t>(has(rank, another)), another);
    }
    made.sources = static_cast<int>(sources.size());
    made.targets = static_cast<int>(targets.size());
    const std::vector<int> weights(static_cast<std::size_t>(size) * 2, 3);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, made.sources, sources.data(), weights.data(),
                                   made.targets, targets.data(), weights.data(), MPI_INFO_NULL, 0,
                                   &made.comm);
    return made;
}

inline std::vector<Topology> all_topologies() {
    const int size = size_of(MPI_COMM_WORLD);
    std::vector<Topology> all;
    all.push_back(grid("grid", {0, 0}, {0, 0}, true));
    all.push_back(grid("ring", {0}, {1}, size > 2));
    all.push_back(grid("torus of sides of 1", {0, 1}, {0, 1}, false));
    all.push_back(graph());
    all.push_back(directed("chords", true, [&](int from, int to) {
        return (from * 5 + to) % 3 == 0 || to == (from + 1) % size ? 1 : 0;
    }));
    all.push_back(directed("with oneself", true, [&](int from, int to) {
        return from == to || to == (from + 1) % size ? 1 : 0;
    }));
    all.push_back(
        directed("a line one way", true, [&](int from, int to) { return to == from + 1 ? 1 : 0; }));
    all.push_back(directed("pairs that nothing joins", true,
                           [&](int from, int to) { return (from ^ 1) == to ? 1 : 0; }));
    all.push_back(directed("twice", false,
                           [&](int from, int to) { return to == (from + 1) % size ? 2 : 0; }));
    all.push_back(directed("nobody", true, [](int, int) { return 0; }));
    return all;
}

/// What a call reads and writes.
struct Data {
    Data(const Topology& on, int block, int seed, const Type& of)
        : comm(on.comm),
          is_single(on.is_planned),
          count(block),
          type(of.get()),
          spread(new Type(of.spread())) {
        const int rank = rank_in(comm);
        Random random(static_cast<std::uint64_t>(seed * 100 + rank));
        const int most = std::max(on.sources, on.targets) + 1;
        const auto bytes = static_cast<std::size_t>(of.extent()) *
                               static_cast<std::size_t>(2 * (count + 4) * most) +
                           64;
        for (std::vector<char>* side : {&in, &out}) {
            side->resize(bytes);
            for (char& each : *side) each = static_cast<char>(random.below(100));
        }
        // Of an exchange with blocks that differ both ends have to say the same.
        const auto lists = [&](int neighbours, bool comes) {
            std::vector<int> ranks(static_cast<std::size_t>(neighbours));
            int kind = 0;
            MPI_Topo_test(comm, &kind);
            std::vector<int> from(static_cast<std::size_t>(on.sources));
            std::vector<int> to(static_cast<std::size_t>(on.targets));
            if (kind == MPI_GRAPH) MPI_Graph_neighbors(comm, rank, neighbours, ranks.data());
            if (kind == MPI_DIST_GRAPH) {
                std::vector<int> weights(static_cast<std::size_t>(on.sources + on.targets + 1));
                MPI_Dist_graph_neighbors(comm, on.sources, from.data(), weights.data(), on.targets,
                                         to.data(), weights.data());
                ranks = comes ? from : to;
            }
            if (kind == MPI_CART)
                for (int side = 0; side < neighbours / 2; ++side)
                    MPI_Cart_shift(comm, side, 1, &ranks[2 * static_cast<std::size_t>(side)],
                                   &ranks[2 * static_cast<std::size_t>(side) + 1]);
            return ranks;
        };
        const auto size_for = [&](int from, int to) {
            return from < 0 || to < 0 ? 2 : (count + from + 2 * to) % 4 == 0 ? 0 : count + from % 3;
        };
        targets = lists(on.targets, false);
        sources = lists(on.sources, true);
        for (const int to : targets) {
            sent.push_back(size_for(rank, to));
            sent_at.push_back(place(sent));
            sent_from.push_back(byte_of(sent_at.back(), of.extent()));
            sent_as.push_back(one_of_two(sent.size() + static_cast<std::size_t>(rank)));
        }
        for (const int from : sources) {
            received.push_back(size_for(from, rank));
            received_at.push_back(place(received));
            received_to.push_back(byte_of(received_at.back(), of.extent()));
            received_as.push_back(one_of_two(received.size()));
            gathered.push_back(from < 0 ? 1 : count + from % 3);
        }
        gathered_at = received_at;
        // Open MPI takes no null pointer for an empty array.
        for (auto* array : {&sent, &sent_at, &received, &received_at, &gathered, &gathered_at})
            array->push_back(0);
        for (auto* array : {&sent_from, &received_to}) array->push_back(0);
        for (auto* array : {&sent_as, &received_as}) array->push_back(type);
        own = count + rank % 3;
    }
    /// Blocks lie one after the other, the last one first.
    int place(const std::vector<int>& counts) const {
        return static_cast<int>(counts.size() - 1) * (count + 3);
    }
    /// Where a block begins whose elements may be spread; not a multiple of the extent.
    static MPI_Aint byte_of(int element, MPI_Aint extent) {
        return MPI_Aint{2} * element * extent + 4;
    }
    [[nodiscard]] MPI_Datatype one_of_two(std::size_t block) const {
        return block % 2 == 0 ? type : spread->get();
    }
    /// Elements may begin before their address.
    [[nodiscard]] const char* read() const { return in.data() + 32; }
    [[nodiscard]] char* write() { return out.data() + 32; }
    friend bool operator==(const Data&, const Data&) = default;

    MPI_Comm comm;
    bool is_single;  ///< no neighbour is one twice
    std::vector<int> sources, targets;
    int count;
    MPI_Datatype type;
    std::shared_ptr<const Type> spread;
    int own = 0;  ///< elements of this rank, where they differ
    std::vector<char> in;
    std::vector<char> out;
    std::vector<int> sent, sent_at, received, received_at, gathered, gathered_at;
    /// Of blocks with types of their own.
    std::vector<MPI_Aint> sent_from, received_to;
    std::vector<MPI_Datatype> sent_as, received_as;
};

/// An exchange of blocks with types of their own by messages, where each neighbour is one once:
/// MPICH 4.0's own mixes up its arrays (pmodels/mpich#6233).
inline int exchange(Data& data) {
    std::vector<MPI_Request> requests;
    const auto next = [&requests]() -> MPI_Request* { return &requests.emplace_back(); };
    for (std::size_t k = 0; k < data.sources.size(); ++k)
        PMPI_Irecv(data.write() + data.received_to[k], data.received[k], data.received_as[k],
                   data.sources[k], 0, data.comm, next());
    for (std::size_t k = 0; k < data.targets.size(); ++k)
        PMPI_Isend(data.read() + data.sent_from[k], data.sent[k], data.sent_as[k], data.targets[k],
                   0, data.comm, next());
    return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

inline int exchange_past(Data& d) {
    if (d.is_single) return exchange(d);
    return PMPI_Neighbor_alltoallw(d.read(), d.sent.data(), d.sent_from.data(), d.sent_as.data(),
                                   d.write(), d.received.data(), d.received_to.data(),
                                   d.received_as.data(), d.comm);
}

inline int begin_exchange_past(Data& d, MPI_Request* request) {
    if (!d.is_single)
        return PMPI_Ineighbor_alltoallw(
            d.read(), d.sent.data(), d.sent_from.data(), d.sent_as.data(), d.write(),
            d.received.data(), d.received_to.data(), d.received_as.data(), d.comm, request);
    *request = MPI_REQUEST_NULL;
    return exchange(d);
}

struct Neighbourly {
    const char* name;
    int (*call)(Data&);
    int (*past)(Data&);
    int (*begin)(Data&, MPI_Request*);
    int (*begin_past)(Data&, MPI_Request*);
    int (*initialize)(Data&, MPI_Request*);
};

// clang-format off
#define ESPALIER_NEIGHBOURLY(lower, ...)                                                            \
    ESPALIER_NEIGHBOURLY_PAST(lower, [](Data& d) { return PMPI_N##lower(__VA_ARGS__, d.comm); },    \
                [](Data& d, MPI_Request* r) { return PMPI_In##lower(__VA_ARGS__, d.comm, r); },     \
                __VA_ARGS__)
#define ESPALIER_NEIGHBOURLY_PAST(lower, past, begin_past, ...)                                     \
    Neighbourly{"n" #lower, [](Data& d) { return MPI_N##lower(__VA_ARGS__, d.comm); },              \
                past,                                                                               \
                [](Data& d, MPI_Request* r) { return MPI_In##lower(__VA_ARGS__, d.comm, r); },      \
                begin_past,                                                                         \
                [](Data& d, MPI_Request* r) {                                                       \
                    return ESPALIER_INITIALIZATION(N##lower)(__VA_ARGS__, d.comm, MPI_INFO_NULL, r); \
                }}

inline const std::array neighbourly_calls{
    ESPALIER_NEIGHBOURLY(eighbor_allgather, d.read(), d.count, d.type, d.write(), d.count, d.type),
    ESPALIER_NEIGHBOURLY(eighbor_allgatherv, d.read(), d.own, d.type, d.write(), d.gathered.data(), d.gathered_at.data(), d.type),
    ESPALIER_NEIGHBOURLY(eighbor_alltoall, d.read(), d.count, d.type, d.write(), d.count, d.type),
    ESPALIER_NEIGHBOURLY(eighbor_alltoallv, d.read(), d.sent.data(), d.sent_at.data(), d.type, d.write(), d.received.data(), d.received_at.data(), d.type),
    ESPALIER_NEIGHBOURLY_PAST(eighbor_alltoallw, exchange_past, begin_exchange_past, d.read(), d.sent.data(), d.sent_from.data(), d.sent_as.data(), d.write(), d.received.data(), d.received_to.data(), d.received_as.data()),
};
// clang-format on

/// Those that work where they are planned, or not.
inline std::vector<const Neighbourly*> calls_that_work([[maybe_unused]] bool are_planned) {
    std::vector<const Neighbourly*> calls;
    for (const Neighbourly& call : neighbourly_calls) calls.push_back(&call);
#ifdef ESPALIER_MPI_MPICH
    if (!are_planned) calls.pop_back();  // see exchange()
#endif
    return calls;
}

}  // namespace espalier::test
