#include "runtime/collective_table.hpp"
#include "runtime/communicator.hpp"
#include "runtime/failure.hpp"
#include "runtime/guarded.hpp"
#include "runtime/logic/laying.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

// Communicators with a topology, whose ranks a program lets MPI number as it likes.

namespace espalier::runtime {

namespace {

/// An edge as ranks tell of it.
struct ToldEdge {
    int from = 0;
    int to = 0;
    int weight = 1;
};
constexpr int ints_of_an_edge = 3;

/// A call that makes such a communicator.
struct Making {
    const char* name;
    MPI_Comm comm;
    NativeCall native;
};

/// What this rank says of edges. Every rank knows all of those of a grid and of a graph; of a
/// directed one each tells its own, if they are none that MPI would not take.
struct Told {
    std::vector<ToldEdge> own;
    bool is_sound = true;
};

/// The edges that all ranks tell, at the leader; nullopt where some are not sound.
std::optional<std::vector<Edge>> gather(const Told& told, const Communicator& communicator,
                                        MPI_Comm comm) {
    const auto ranks = static_cast<std::size_t>(communicator.leads() ? communicator.size() : 0);
    const int length = told.is_sound ? ints_of_an_edge * static_cast<int>(told.own.size()) : -1;
    std::vector<int> lengths(ranks);
    check_handled(PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
    const bool are_sound = std::ranges::all_of(lengths, [](int each) { return each >= 0; });
    for (int& each : lengths) each = std::max(each, 0);
    std::vector<int> offsets(ranks);
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
    std::vector<ToldEdge> all(static_cast<std::size_t>(
        std::accumulate(lengths.begin(), lengths.end(), 0) / ints_of_an_edge));
    check_handled(PMPI_Gatherv(told.own.data(), std::max(length, 0), MPI_INT, all.data(),
                               lengths.data(), offsets.data(), MPI_INT, 0, comm));
    if (!are_sound) return std::nullopt;
    std::vector<Edge> edges;
    for (const ToldEdge& edge : all)
        edges.push_back({static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to),
                         static_cast<double>(edge.weight)});
    return edges;
}

/// For each number of the new communicator the rank of `comm` that gets it; empty where MPI may do
/// as it likes. `edges(communicator)` are known to the leader. Collective; throws MpiFailure.
template <typename Edges>
std::vector<int> agree_on_numbers(const Making& making, const Edges& edges, Process& process) {
    Communicator& communicator = Communicator::of(making.comm, process);
    const Communicator::InCall in_call(communicator);
    // Searching among very many takes longer than a program waits for.
    if (static_cast<std::size_t>(communicator.size()) > most_ranks_of_blocks) return {};
    if (communicator.is_planned()) communicator.join(making.comm, process);
    if (!communicator.is_planned()) return {};
    const std::optional<std::vector<Edge>> known = edges(communicator);
    std::vector<int> ranks(static_cast<std::size_t>(communicator.size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    if (communicator.leads() && known) {
        const Laid laid = lay(communicator.network()->view(), communicator.places(), *known);
        std::ranges::transform(laid.ranks, ranks.begin(),
                               [](std::size_t rank) { return static_cast<int>(rank); });
        process.log().debug(fmt::format("{} among {}: {}", making.name, communicator.size(),
                                        laid.is_as_given ? "as given" : "reordered, " + laid.gain));
    }
    check_handled(PMPI_Bcast(ranks.data(), communicator.size(), MPI_INT, 0, making.comm));
    if (std::ranges::is_sorted(ranks)) return {};
    return ranks;
}

/// The number that `rank` gets.
int number_of(int rank, const std::vector<int>& ranks) {
    return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
}

int rank_in_program(MPI_Comm comm) {
    int rank = 0;
    check_handled(PMPI_Comm_rank(comm, &rank));
    return rank;
}

/// A call whose ranks are numbered so that what goes along `edges` is there first, or MPI's own.
/// `make(laid, ranks)` makes the communicator of one whose ranks are numbered so already.
template <typename Edges, typename Make>
int reorder(const Making& making, const Edges& edges, const Make& make) {
    return guarded(making.name, making, [&](const Making& made, Process& process) {
        const std::vector<int> ranks = agree_on_numbers(made, edges, process);
        if (ranks.empty()) return made.native();
        MPI_Comm laid = MPI_COMM_NULL;
        check_handled(
            PMPI_Comm_split(made.comm, 0, number_of(rank_in_program(made.comm), ranks), &laid));
        const int code = with_program([&] { return make(laid, ranks); });
        PMPI_Comm_free(&laid);
        return code;
    });
}

/// The same of edges that all ranks know.
template <typename Edges>
auto known_to_all(const Edges& edges) {
    return [&edges](const Communicator& of) {
        return of.leads() ? std::optional(edges(of)) : std::nullopt;
    };
}

bool is_grid(int dimensions, const int* sides, const int* wraps, int ranks) {
    if (dimensions < 1 || sides == nullptr || wraps == nullptr) return false;
    std::int64_t vertices = 1;
    for (int side = 0; side < dimensions && vertices > 0 && vertices <= ranks; ++side)
        vertices = sides[side] > 0 ? vertices * sides[side] : 0;
    return vertices > 0 && vertices <= ranks;
}

bool is_graph(int nodes, const int* ends, const int* others, int ranks) {
    if (nodes < 1 || nodes > ranks || ends == nullptr || others == nullptr) return false;
    if (!std::is_sorted(ends, ends + nodes) || ends[0] < 0) return false;
    return std::all_of(others, others + ends[nodes - 1],
                       [&](int other) { return other >= 0 && other < nodes; });
}

/// 0 of what is no communicator of one group.
int ranks_in(MPI_Comm comm) {
    int ranks = 0;
    return Process::current() != nullptr && comm != MPI_COMM_NULL &&
                   PMPI_Comm_size(comm, &ranks) == MPI_SUCCESS
               ? ranks
               : 0;
}

std::vector<Edge> edges_of_graph(int nodes, const int* ends, const int* others) {
    std::vector<Edge> edges;
    for (int node = 0; node < nodes; ++node)
        for (int k = node == 0 ? 0 : ends[node - 1]; k < ends[node]; ++k)
            edges.push_back(
                {static_cast<std::size_t>(node), static_cast<std::size_t>(others[k]), 1});
    return edges;
}

/// A list of edges' other ends, with their weights.
struct Ends {
    int count = 0;
    const int* ranks = nullptr;
    const int* weights = nullptr;

    [[nodiscard]] bool has_weights() const {
        return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
    }
    [[nodiscard]] int weight(int k) const { return has_weights() ? weights[k] : 1; }
    /// Whether MPI would take them.
    [[nodiscard]] bool are_sound(int among) const {
        if (count < 0 || (count > 0 && (ranks == nullptr || weights == nullptr))) return false;
        for (int k = 0; k < count; ++k)
            if (ranks[k] < 0 || ranks[k] >= among || weight(k) < 0) return false;
        return true;
    }
};

/// What another rank has said of its edges.
struct HeardEnds {
    std::vector<int> ranks;
    std::vector<int> weights;
};

/// Sends `own` to `receiver`, and takes what `sender` sends. Throws MpiFailure.
HeardEnds hand_over(const Ends& own, int receiver, int sender, MPI_Comm comm) {
    constexpr int tag = 0;
    int count = 0;
    check_handled(PMPI_Sendrecv(&own.count, 1, MPI_INT, receiver, tag, &count, 1, MPI_INT, sender,
                                tag, comm, MPI_STATUS_IGNORE));
    const auto length = static_cast<std::size_t>(count);
    HeardEnds heard{std::vector<int>(length), std::vector<int>(length)};
    check_handled(PMPI_Sendrecv(own.ranks, own.count, MPI_INT, receiver, tag, heard.ranks.data(),
                                count, MPI_INT, sender, tag, comm, MPI_STATUS_IGNORE));
    std::vector<int> weights;
    for (int k = 0; k < own.count; ++k) weights.push_back(own.weight(k));
    check_handled(PMPI_Sendrecv(weights.data(), own.count, MPI_INT, receiver, tag,
                                heard.weights.data(), count, MPI_INT, sender, tag, comm,
                                MPI_STATUS_IGNORE));
    return heard;
}

const int* weights_as_given(const Ends& own, const HeardEnds& heard) {
    if (own.weights == MPI_UNWEIGHTED) return MPI_UNWEIGHTED;
    return heard.weights.empty() ? MPI_WEIGHTS_EMPTY : heard.weights.data();
}

/// Each vertex of the graph is where its edges were told; they go to the rank that it becomes.
int create_adjacent(MPI_Comm laid, const std::vector<int>& ranks, int was, const Ends& sources,
                    const Ends& targets, MPI_Info info, MPI_Comm* made) {
    int number = 0;
    check_handled(PMPI_Comm_rank(laid, &number));
    // The edges of vertex `was` are here; it is numbered so at another rank, and the edges of this
    // one's are where they were told.
    const int receiver = was;
    const int sender = number_of(number, ranks);
    const HeardEnds from = hand_over(sources, receiver, sender, laid);
    const HeardEnds to = hand_over(targets, receiver, sender, laid);
    return PMPI_Dist_graph_create_adjacent(laid, static_cast<int>(from.ranks.size()),
                                           from.ranks.data(), weights_as_given(sources, from),
                                           static_cast<int>(to.ranks.size()), to.ranks.data(),
                                           weights_as_given(targets, to), info, 0, made);
}

}  // namespace

}  // namespace espalier::runtime

using namespace espalier::runtime;  // NOLINT(google-build-using-namespace)

extern "C" int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sides[], const int wraps[],
                               int reorders, MPI_Comm* made) {
    const auto own = [&] {
        return native<PMPI_Cart_create>(comm, dimensions, sides, wraps, reorders, made);
    };
    if (reorders == 0 || made == nullptr || !is_grid(dimensions, sides, wraps, ranks_in(comm)))
        return own();
    const auto edges = [&](const Communicator&) {
        return edges_of_grid({sides, sides + dimensions}, {wraps, wraps + dimensions});
    };
    return reorder({"cart_create", comm, NativeCall(own)}, known_to_all(edges),
                   [&](MPI_Comm laid, const std::vector<int>&) {
                       return PMPI_Cart_create(laid, dimensions, sides, wraps, 0, made);
                   });
}

extern "C" int MPI_Graph_create(MPI_Comm comm, int nodes, const int ends[], const int others[],
                                int reorders, MPI_Comm* made) {
    const auto own = [&] {
        return native<PMPI_Graph_create>(comm, nodes, ends, others, reorders, made);
    };
    if (reorders == 0 || made == nullptr || !is_graph(nodes, ends, others, ranks_in(comm)))
        return own();
    const auto edges = [&](const Communicator&) { return edges_of_graph(nodes, ends, others); };
    return reorder({"graph_create", comm, NativeCall(own)}, known_to_all(edges),
                   [&](MPI_Comm laid, const std::vector<int>&) {
                       return PMPI_Graph_create(laid, nodes, ends, others, 0, made);
                   });
}

extern "C" int MPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[],
                                     const int degrees[], const int targets[], const int weights[],
                                     MPI_Info info, int reorders, MPI_Comm* made) {
    const auto own = [&] {
        return native<PMPI_Dist_graph_create>(comm, count, sources, degrees, targets, weights, info,
                                              reorders, made);
    };
    const int ranks = ranks_in(comm);
    if (reorders == 0 || made == nullptr || ranks == 0) return own();
    const auto edges = [&](const Communicator& of) {
        Told told;
        const Ends from{count, sources, MPI_UNWEIGHTED};
        told.is_sound = from.are_sound(ranks) && (count == 0 || degrees != nullptr);
        int first = 0;
        for (int k = 0; told.is_sound && k < count; ++k) {
            const Ends to{first + degrees[k], targets, weights};
            told.is_sound = degrees[k] >= 0 && to.are_sound(ranks);
            for (; told.is_sound && first < to.count; ++first)
                told.own.push_back({sources[k], targets[first], to.weight(first)});
        }
        return gather(told, of, comm);
    };
    return reorder({"dist_graph_create", comm, NativeCall(own)}, edges,
                   [&](MPI_Comm laid, const std::vector<int>&) {
                       return PMPI_Dist_graph_create(laid, count, sources, degrees, targets,
                                                     weights, info, 0, made);
                   });
}

extern "C" int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int sources_count, const int sources[],
                                              const int source_weights[], int targets_count,
                                              const int targets[], const int target_weights[],
                                              MPI_Info info, int reorders, MPI_Comm* made) {
    const auto own = [&] {
        return native<PMPI_Dist_graph_create_adjacent>(comm, sources_count, sources, source_weights,
                                                       targets_count, targets, target_weights, info,
                                                       reorders, made);
    };
    const int ranks = ranks_in(comm);
    if (reorders == 0 || made == nullptr || ranks == 0) return own();
    const Ends from{sources_count, sources, source_weights};
    const Ends to{targets_count, targets, target_weights};
    int rank = 0;
    const auto edges = [&](const Communicator& of) {
        rank = of.rank();
        Told told;
        told.is_sound = from.are_sound(ranks) && to.are_sound(ranks);
        for (int k = 0; told.is_sound && k < to.count; ++k)
            told.own.push_back({rank, to.ranks[k], to.weight(k)});
        return gather(told, of, comm);
    };
    return reorder({"dist_graph_create_adjacent", comm, NativeCall(own)}, edges,
                   [&](MPI_Comm laid, const std::vector<int>& numbers) {
                       return create_adjacent(laid, numbers, rank, from, to, info, made);
                   });
}
