// Neighbourhood collectives on topologies of every kind: what they give is what MPI's own give, and
// they are planned where each neighbour is one once.

#include "collective_checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using espalier::Random;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::is_planned;
using espalier::test::planned_calls;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::state_of;
using espalier::test::Type;

/// A communicator with a topology, and how many sources and targets this rank has there.
struct Topology {
    std::string name;
    bool is_planned = true;  ///< no neighbour is one twice
    MPI_Comm comm = MPI_COMM_NULL;
    int sources = 0;
    int targets = 0;
};

Topology grid(const std::string& name, std::vector<int> sides, const std::vector<int>& wraps,
              bool planned) {
    Topology made{name, planned};
    const int dimensions = static_cast<int>(sides.size());
    MPI_Dims_create(size_of(MPI_COMM_WORLD), dimensions, sides.data());
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides.data(), wraps.data(), 0, &made.comm);
    made.sources = made.targets = 2 * dimensions;
    return made;
}

/// The same edges both ways: a ring with chords.
Topology graph() {
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

std::vector<Topology> all_topologies() {
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
        : comm(on.comm), count(block), type(of.get()) {
        const int rank = rank_in(comm);
        Random random(static_cast<std::uint64_t>(seed * 100 + rank));
        const int most = std::max(on.sources, on.targets) + 1;
        const auto bytes =
            static_cast<std::size_t>(of.extent()) * static_cast<std::size_t>((count + 4) * most) +
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
            std::vector<int> sources(static_cast<std::size_t>(on.sources));
            std::vector<int> targets(static_cast<std::size_t>(on.targets));
            if (kind == MPI_GRAPH) MPI_Graph_neighbors(comm, rank, neighbours, ranks.data());
            if (kind == MPI_DIST_GRAPH) {
                std::vector<int> weights(static_cast<std::size_t>(on.sources + on.targets + 1));
                MPI_Dist_graph_neighbors(comm, on.sources, sources.data(), weights.data(),
                                         on.targets, targets.data(), weights.data());
                ranks = comes ? sources : targets;
            }
            if (kind == MPI_CART)
                for (int side = 0; side < neighbours / 2; ++side)
                    MPI_Cart_shift(comm, side, 1, &ranks[static_cast<std::size_t>(2 * side)],
                                   &ranks[static_cast<std::size_t>(2 * side + 1)]);
            return ranks;
        };
        const auto size_for = [&](int from, int to) {
            return from < 0 || to < 0 ? 2 : (count + from + 2 * to) % 4 == 0 ? 0 : count + from % 3;
        };
        for (const int to : lists(on.targets, false)) {
            sent.push_back(size_for(rank, to));
            sent_at.push_back(place(sent));
        }
        for (const int from : lists(on.sources, true)) {
            received.push_back(size_for(from, rank));
            received_at.push_back(place(received));
            gathered.push_back(from < 0 ? 1 : count + from % 3);
        }
        gathered_at = received_at;
        // Open MPI takes no null pointer for an empty array.
        for (auto* array : {&sent, &sent_at, &received, &received_at, &gathered, &gathered_at})
            array->push_back(0);
        own = count + rank % 3;
    }
    /// Blocks lie one after the other, the last one first.
    int place(const std::vector<int>& counts) const {
        return static_cast<int>(counts.size() - 1) * (count + 3);
    }
    /// Elements may begin before their address.
    [[nodiscard]] const char* read() const { return in.data() + 32; }
    [[nodiscard]] char* write() { return out.data() + 32; }
    friend bool operator==(const Data&, const Data&) = default;

    MPI_Comm comm;
    int count;
    MPI_Datatype type;
    int own = 0;  ///< elements of this rank, where they differ
    std::vector<char> in;
    std::vector<char> out;
    std::vector<int> sent, sent_at, received, received_at, gathered, gathered_at;
};

struct Neighbourly {
    const char* name;
    int (*call)(Data&);
    int (*past)(Data&);
    int (*begin)(Data&, MPI_Request*);
    int (*begin_past)(Data&, MPI_Request*);
};

// clang-format off
#define ESPALIER_NEIGHBOURLY(lower, ...)                                                            \
    Neighbourly{"n" #lower, [](Data& d) { return MPI_N##lower(__VA_ARGS__, d.comm); },              \
                [](Data& d) { return PMPI_N##lower(__VA_ARGS__, d.comm); },                         \
                [](Data& d, MPI_Request* r) { return MPI_In##lower(__VA_ARGS__, d.comm, r); },      \
                [](Data& d, MPI_Request* r) { return PMPI_In##lower(__VA_ARGS__, d.comm, r); }}

const std::array neighbourly_calls{
    ESPALIER_NEIGHBOURLY(eighbor_allgather, d.read(), d.count, d.type, d.write(), d.count, d.type),
    ESPALIER_NEIGHBOURLY(eighbor_allgatherv, d.read(), d.own, d.type, d.write(), d.gathered.data(), d.gathered_at.data(), d.type),
    ESPALIER_NEIGHBOURLY(eighbor_alltoall, d.read(), d.count, d.type, d.write(), d.count, d.type),
    ESPALIER_NEIGHBOURLY(eighbor_alltoallv, d.read(), d.sent.data(), d.sent_at.data(), d.type, d.write(), d.received.data(), d.received_at.data(), d.type),
};
// clang-format on

bool plans_all(const Topology& topology) {
    using espalier::runtime::Process;
    using espalier::runtime::Settings;
    return topology.is_planned && is_planned(topology.comm) &&
           Process::current()->settings().planning == Settings::Planning::always;
}

void free(std::vector<Topology>& all) {
    for (Topology& each : all) MPI_Comm_free(&each.comm);
}

TEST(Neighbours, get_what_mpi_gives_them) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    const Type holed = Type::holed();
    for (const Topology& topology : all)
        for (const Neighbourly& call : neighbourly_calls)
            for (const Type* type : {&number, &holed})
                for (const int count : {0, 1, 5'000}) {
                    Data data(topology, count, 1, *type);
                    Data expected = data;
                    call.past(expected);
                    const std::uint64_t before = planned_calls(topology.comm);
                    call.call(data);
                    EXPECT_TRUE(data == expected)
                        << call.name << " " << topology.name << " " << count;
                    if (count == 0 || !plans_all(topology)) continue;
                    EXPECT_EQ(planned_calls(topology.comm), before + 1)
                        << call.name << " " << topology.name;
                }
    free(all);
}

TEST(Neighbours, stay_among_themselves) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all)
        expect_own_receive_untouched_by([&] {
            for (const Neighbourly& call : neighbourly_calls) {
                Data data(topology, 33, 2, number);
                call.call(data);
            }
        });
    free(all);
}

TEST(Neighbours, get_the_same_of_calls_that_return_at_once) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all) {
        for (int round = 0; round < 3; ++round) {
            const bool may_begin = round > 0 && plans_all(topology) &&
                                   espalier::runtime::Process::current()->common().progresses;
            const std::uint64_t before = may_begin ? state_of(topology.comm).begun() : 0;
            std::vector<std::unique_ptr<Data>> data;
            std::vector<std::unique_ptr<Data>> expected;
            std::vector<MPI_Request> requests;
            for (const int count : {5, 700})
                for (const Neighbourly& call : neighbourly_calls) {
                    data.push_back(std::make_unique<Data>(topology, count, round, number));
                    expected.push_back(std::make_unique<Data>(*data.back()));
                    // Of a neighbour twice MPI's calls that wait give another order than these.
                    MPI_Request past = MPI_REQUEST_NULL;
                    call.begin_past(*expected.back(), &past);
                    MPI_Wait(&past, MPI_STATUS_IGNORE);
                    call.begin(*data.back(), &requests.emplace_back());
                }
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
            for (std::size_t k = 0; k < data.size(); ++k)
                EXPECT_TRUE(*data[k] == *expected[k])
                    << neighbourly_calls[k % neighbourly_calls.size()].name << " " << topology.name
                    << " " << round;
            if (may_begin) {
                EXPECT_EQ(state_of(topology.comm).begun() - before, data.size()) << topology.name;
            }
            MPI_Barrier(topology.comm);
        }
    }
    free(all);
}

TEST(Neighbours, may_be_others_on_a_communicator_of_the_same_ranks) {
    std::vector<Topology> all = all_topologies();
    const Type number(MPI_INT32_T);
    for (const Topology& topology : all) {
        Data data(topology, 9, 4, number);
        neighbourly_calls[2].call(data);
        Topology copy = topology;
        MPI_Comm_dup(topology.comm, &copy.comm);
        Data again(copy, 9, 5, number);
        Data expected = again;
        neighbourly_calls[2].past(expected);
        neighbourly_calls[2].call(again);
        EXPECT_TRUE(again == expected) << topology.name;
        MPI_Comm_free(&copy.comm);
    }
    free(all);
}

TEST(Neighbours, random_graphs_have_them) {
    const int size = size_of(MPI_COMM_WORLD);
    const Type number(MPI_INT32_T);
    Random same(17);
    for (int round = 0; round < 12; ++round) {
        std::vector<char> edges(static_cast<std::size_t>(size * size));
        const std::uint64_t one_in = 1 + same.below(4);
        for (char& edge : edges) edge = same.below(one_in) == 0 ? 1 : 0;
        Topology topology = directed("random", true, [&](int from, int to) {
            return edges[static_cast<std::size_t>(from * size + to)];
        });
        for (int calls = 0; calls < 12; ++calls) {
            const auto& call = neighbourly_calls[same.below(neighbourly_calls.size())];
            Data data(topology, static_cast<int>(1 + same.below(2000)), calls, number);
            Data expected = data;
            call.past(expected);
            call.call(data);
            EXPECT_TRUE(data == expected) << call.name << " " << round;
        }
        MPI_Comm_free(&topology.comm);
    }
}

}  // namespace
