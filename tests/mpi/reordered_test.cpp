// Communicators with a topology whose ranks may be numbered anew: whoever has a number has the
// neighbours that MPI promises it.

#include "collective_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace {

using espalier::test::rank_in;
using espalier::test::size_of;

/// The rank in MPI_COMM_WORLD of each rank of `comm`.
std::vector<int> ranks_of(MPI_Comm comm) {
    const int own = rank_in(MPI_COMM_WORLD);
    std::vector<int> ranks(static_cast<std::size_t>(size_of(comm)));
    PMPI_Allgather(&own, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm);
    return ranks;
}

std::vector<int> row(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

void expect_all_once(MPI_Comm comm) {
    std::vector<int> ranks = ranks_of(comm);
    std::ranges::sort(ranks);
    EXPECT_EQ(ranks, row(size_of(MPI_COMM_WORLD)));
}

bool is_on() { return espalier::test::is_planned(MPI_COMM_WORLD); }

/// A communicator whose error handler and whose order are its own.
MPI_Comm backwards() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

TEST(Reordered, grids_are_what_was_asked_for) {
    const int size = size_of(MPI_COMM_WORLD);
    for (const int dimensions : {1, 2, 3})
        for (const int wraps : {0, 1}) {
            std::vector<int> sides(static_cast<std::size_t>(dimensions), 0);
            MPI_Dims_create(size, dimensions, sides.data());
            const std::vector<int> all_wrap(static_cast<std::size_t>(dimensions), wraps);
            MPI_Comm grid = MPI_COMM_NULL;
            MPI_Comm old = backwards();
            ASSERT_EQ(MPI_Cart_create(old, dimensions, sides.data(), all_wrap.data(), 1, &grid),
                      MPI_SUCCESS);
            MPI_Comm_free(&old);
            expect_all_once(grid);
            std::vector<int> found(sides.size());
            std::vector<int> found_wraps(sides.size());
            std::vector<int> here(sides.size());
            MPI_Cart_get(grid, dimensions, found.data(), found_wraps.data(), here.data());
            EXPECT_EQ(found, sides);
            EXPECT_EQ(found_wraps, all_wrap);
            int rank = -1;
            MPI_Cart_rank(grid, here.data(), &rank);
            EXPECT_EQ(rank, rank_in(grid));
            // The error handler is that of the communicator that it was made of.
            int nothing = 0;
            EXPECT_NE(MPI_Bcast(&nothing, -1, MPI_INT, 0, grid), MPI_SUCCESS);
            MPI_Comm_free(&grid);
        }
}

TEST(Reordered, grids_leave_ranks_out) {
    const int size = size_of(MPI_COMM_WORLD);
    const int side = std::max(size - 1, 1);
    const int wraps = 0;
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &side, &wraps, 1, &grid);
    int in = grid != MPI_COMM_NULL ? 1 : 0;
    if (in == 1) {
        EXPECT_EQ(size_of(grid), side);
        MPI_Comm_free(&grid);
    }
    int all_in = 0;
    PMPI_Allreduce(&in, &all_in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all_in, side);
}

/// A ring of all ranks, in which each host is followed by one far away.
MPI_Comm ring(int reorders) {
    const int size = size_of(MPI_COMM_WORLD);
    const int wraps = 1;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wraps, reorders, &made);
    return made;
}

TEST(Reordered, are_as_they_were_unless_that_is_asked_for) {
    MPI_Comm made = ring(0);
    EXPECT_EQ(ranks_of(made), row(size_of(MPI_COMM_WORLD)));
    MPI_Comm_free(&made);
}

TEST(Reordered, near_neighbours_sit_near_each_other) {
    MPI_Comm made = ring(1);
    const auto cluster_of = [](int rank) {
        return std::string("abababacab").at(static_cast<std::size_t>(rank) % 10);
    };
    const std::vector<int> ranks = ranks_of(made);
    int changes = 0;
    for (std::size_t i = 1; i < ranks.size(); ++i)
        changes += cluster_of(ranks[i]) != cluster_of(ranks[i - 1]) ? 1 : 0;
    // Twice between a and b; c may sit among the hosts of a, to which it is nearest.
    if (is_on() && ranks.size() >= 6) {
        EXPECT_LE(changes, 4);
    }
    MPI_Comm_free(&made);
}

TEST(Reordered, graphs_have_the_edges_that_were_told) {
    const int size = size_of(MPI_COMM_WORLD);
    std::vector<int> ends;
    std::vector<int> others;
    for (int rank = 0; rank < size; ++rank) {
        for (const int other : {rank - 2, rank + 2})
            if (other >= 0 && other < size) others.push_back(other);
        ends.push_back(static_cast<int>(others.size()));
    }
    others.push_back(0);  // MPI takes no null pointer for no edges
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Graph_create(MPI_COMM_WORLD, size, ends.data(), others.data(), 1, &graph);
    expect_all_once(graph);
    int count = 0;
    const int rank = rank_in(graph);
    MPI_Graph_neighbors_count(graph, rank, &count);
    std::vector<int> found(static_cast<std::size_t>(count));
    MPI_Graph_neighbors(graph, rank, count, found.data());
    const auto at = static_cast<std::size_t>(rank);
    const std::vector<int> told(others.begin() + (rank == 0 ? 0 : ends[at - 1]),
                                others.begin() + ends[at]);
    EXPECT_EQ(found, told);
    MPI_Comm_free(&graph);
}

/// What each vertex says of its edges: the same whoever asks.
struct Vertex {
    Vertex(int number, int size) {
        for (int other = 0; other < size; ++other) {
            // From `other`, and to it.
            if ((other * 3 + number) % 4 < 2) sources.push_back(other);
            if ((number * 3 + other) % 4 < 2) targets.push_back(other);
        }
        // In an order of their own.
        std::ranges::reverse(sources);
        for (const int source : sources) source_weights.push_back(source * 10 + number + 1);
        for (const int target : targets) target_weights.push_back(number * 10 + target + 1);
    }
    std::vector<int> sources, source_weights, targets, target_weights;
};

void expect_neighbours(MPI_Comm graph, const Vertex& told, bool weighted, bool ordered) {
    int sources = 0;
    int targets = 0;
    int has_weights = 0;
    MPI_Dist_graph_neighbors_count(graph, &sources, &targets, &has_weights);
    EXPECT_EQ(has_weights != 0, weighted);
    ASSERT_EQ(static_cast<std::size_t>(sources), told.sources.size());
    ASSERT_EQ(static_cast<std::size_t>(targets), told.targets.size());
    Vertex found(0, 0);
    for (auto* list : {&found.sources, &found.source_weights}) list->resize(told.sources.size());
    for (auto* list : {&found.targets, &found.target_weights}) list->resize(told.targets.size());
    MPI_Dist_graph_neighbors(graph, sources, found.sources.data(),
                             weighted ? found.source_weights.data() : MPI_UNWEIGHTED, targets,
                             found.targets.data(),
                             weighted ? found.target_weights.data() : MPI_UNWEIGHTED);
    Vertex expected = told;
    if (!ordered)
        for (Vertex* each : {&found, &expected})
            for (auto* list :
                 {&each->sources, &each->targets, &each->source_weights, &each->target_weights})
                std::ranges::sort(*list);
    EXPECT_EQ(found.sources, expected.sources);
    EXPECT_EQ(found.targets, expected.targets);
    if (!weighted) return;
    EXPECT_EQ(found.source_weights, expected.source_weights);
    EXPECT_EQ(found.target_weights, expected.target_weights);
}

TEST(Reordered, directed_graphs_have_the_edges_that_were_told_in_their_order) {
    const int size = size_of(MPI_COMM_WORLD);
    for (const bool weighted : {false, true}) {
        MPI_Comm old = backwards();
        const Vertex own(rank_in(old), size);
        MPI_Comm graph = MPI_COMM_NULL;
        ASSERT_EQ(
            MPI_Dist_graph_create_adjacent(
                old, static_cast<int>(own.sources.size()), own.sources.data(),
                weighted ? own.source_weights.data() : MPI_UNWEIGHTED,
                static_cast<int>(own.targets.size()), own.targets.data(),
                weighted ? own.target_weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph),
            MPI_SUCCESS);
        MPI_Comm_free(&old);
        expect_all_once(graph);
        expect_neighbours(graph, Vertex(rank_in(graph), size), weighted, true);
        MPI_Comm_free(&graph);
    }
}

TEST(Reordered, directed_graphs_may_be_told_by_anybody) {
    const int size = size_of(MPI_COMM_WORLD);
    const int rank = rank_in(MPI_COMM_WORLD);
    for (const bool weighted : {false, true}) {
        // Of each vertex the next rank tells; rank 0 tells of two, and the last of none.
        std::vector<int> sources;
        std::vector<int> degrees;
        std::vector<int> targets;
        std::vector<int> weights;
        for (int vertex = 0; vertex < size; ++vertex) {
            if ((vertex == size - 2 ? 0 : (vertex + 1) % size) != rank) continue;
            const Vertex told(vertex, size);
            sources.push_back(vertex);
            degrees.push_back(static_cast<int>(told.targets.size()));
            targets.insert(targets.end(), told.targets.begin(), told.targets.end());
            weights.insert(weights.end(), told.target_weights.begin(), told.target_weights.end());
        }
        for (auto* list : {&sources, &degrees, &targets, &weights}) list->push_back(0);
        MPI_Comm graph = MPI_COMM_NULL;
        MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()) - 1, sources.data(),
                              degrees.data(), targets.data(),
                              weighted ? weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
        expect_all_once(graph);
        expect_neighbours(graph, Vertex(rank_in(graph), size), weighted, false);
        MPI_Comm_free(&graph);
    }
}

TEST(Reordered, wrong_graphs_are_told_to_the_program) {
    const int size = size_of(MPI_COMM_WORLD);
    MPI_Comm old = backwards();
    MPI_Comm made = MPI_COMM_NULL;
    const int sides[] = {size, 2};
    const int wraps[] = {0, 0};
    EXPECT_NE(MPI_Cart_create(old, 2, sides, wraps, 1, &made), MPI_SUCCESS);
    const int nobody[] = {size + 3};
    const int weight[] = {1};
    // MPICH takes it.
    const int code = MPI_Dist_graph_create_adjacent(old, 1, nobody, weight, 1, nobody, weight,
                                                    MPI_INFO_NULL, 1, &made);
    if (code == MPI_SUCCESS) MPI_Comm_free(&made);
    const int own = PMPI_Dist_graph_create_adjacent(old, 1, nobody, weight, 1, nobody, weight,
                                                    MPI_INFO_NULL, 0, &made);
    if (own == MPI_SUCCESS) MPI_Comm_free(&made);
    EXPECT_EQ(code == MPI_SUCCESS, own == MPI_SUCCESS);
    MPI_Comm_free(&old);
}

TEST(Reordered, neighbours_get_what_is_theirs) {
    const int size = size_of(MPI_COMM_WORLD);
    int sides[] = {0, 0};
    const int wraps[] = {0, 0};
    MPI_Dims_create(size, 2, sides);
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, wraps, 1, &grid);
    const int rank = rank_in(grid);
    const std::vector<int> mine(4, rank);
    std::vector<int> theirs(4, -7);
    MPI_Neighbor_alltoall(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, grid);
    for (int side = 0; side < 2; ++side) {
        int before = 0;
        int behind = 0;
        MPI_Cart_shift(grid, side, 1, &before, &behind);
        EXPECT_EQ(theirs[static_cast<std::size_t>(2 * side)], before < 0 ? -7 : before);
        EXPECT_EQ(theirs[static_cast<std::size_t>(2 * side + 1)], behind < 0 ? -7 : behind);
    }
    MPI_Comm_free(&grid);
}

}  // namespace
