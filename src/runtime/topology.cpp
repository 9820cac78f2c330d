#include "runtime/topology.hpp"

#include "runtime/failure.hpp"

#include <cstddef>

namespace espalier::runtime {

namespace {

int kind_of(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    check_handled(PMPI_Topo_test(comm, &kind));
    return kind;
}

struct Grid {
    std::vector<int> sides;
    std::vector<int> wraps;
};

Grid grid_of(MPI_Comm comm) {
    int dimensions = 0;
    check_handled(PMPI_Cartdim_get(comm, &dimensions));
    const auto count = static_cast<std::size_t>(dimensions);
    Grid grid{std::vector<int>(count), std::vector<int>(count)};
    std::vector<int> here(count);
    check_handled(
        PMPI_Cart_get(comm, dimensions, grid.sides.data(), grid.wraps.data(), here.data()));
    return grid;
}

Neighbours neighbours_in_grid(MPI_Comm comm) {
    Neighbours found;
    int dimensions = 0;
    check_handled(PMPI_Cartdim_get(comm, &dimensions));
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        int before = MPI_PROC_NULL;
        int behind = MPI_PROC_NULL;
        check_handled(PMPI_Cart_shift(comm, dimension, 1, &before, &behind));
        found.sources.insert(found.sources.end(), {before, behind});
    }
    found.targets = found.sources;
    return found;
}

Neighbours neighbours_in_graph(MPI_Comm comm) {
    int rank = 0;
    int count = 0;
    check_handled(PMPI_Comm_rank(comm, &rank));
    check_handled(PMPI_Graph_neighbors_count(comm, rank, &count));
    std::vector<int> all(static_cast<std::size_t>(count));
    check_handled(PMPI_Graph_neighbors(comm, rank, count, all.data()));
    return {all, all};
}

Neighbours neighbours_in_directed_graph(MPI_Comm comm) {
    int sources = 0;
    int targets = 0;
    int has_weights = 0;
    check_handled(PMPI_Dist_graph_neighbors_count(comm, &sources, &targets, &has_weights));
    Neighbours found{std::vector<int>(static_cast<std::size_t>(sources)),
                     std::vector<int>(static_cast<std::size_t>(targets))};
    check_handled(PMPI_Dist_graph_neighbors(comm, sources, found.sources.data(), MPI_UNWEIGHTED,
                                            targets, found.targets.data(), MPI_UNWEIGHTED));
    return found;
}

MPI_Comm with_graph_of(MPI_Comm like, MPI_Comm comm) {
    int nodes = 0;
    int edges = 0;
    check_handled(PMPI_Graphdims_get(like, &nodes, &edges));
    std::vector<int> ends(static_cast<std::size_t>(nodes));
    // MPI takes no null pointer, not even for none.
    std::vector<int> others(static_cast<std::size_t>(edges) + 1);
    check_handled(PMPI_Graph_get(like, nodes, edges, ends.data(), others.data()));
    MPI_Comm made = MPI_COMM_NULL;
    check(PMPI_Graph_create(comm, nodes, ends.data(), others.data(), 0, &made));
    return made;
}

MPI_Comm with_directed_graph_of(MPI_Comm like, MPI_Comm comm) {
    const Neighbours own = neighbours_in_directed_graph(like);
    MPI_Comm made = MPI_COMM_NULL;
    check(PMPI_Dist_graph_create_adjacent(comm, static_cast<int>(own.sources.size()),
                                          own.sources.data(), MPI_UNWEIGHTED,
                                          static_cast<int>(own.targets.size()), own.targets.data(),
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    return made;
}

MPI_Comm with_grid_of(MPI_Comm like, MPI_Comm comm) {
    const Grid grid = grid_of(like);
    MPI_Comm made = MPI_COMM_NULL;
    check(PMPI_Cart_create(comm, static_cast<int>(grid.sides.size()), grid.sides.data(),
                           grid.wraps.data(), 0, &made));
    return made;
}

}  // namespace

std::optional<Neighbours> neighbours_in(MPI_Comm comm) {
    switch (kind_of(comm)) {
        case MPI_CART:
            return neighbours_in_grid(comm);
        case MPI_GRAPH:
            return neighbours_in_graph(comm);
        case MPI_DIST_GRAPH:
            return neighbours_in_directed_graph(comm);
        default:
            return std::nullopt;
    }
}

MPI_Comm with_topology_of(MPI_Comm like, MPI_Comm comm) {
    MPI_Comm made = MPI_COMM_NULL;
    switch (kind_of(like)) {
        case MPI_CART:
            made = with_grid_of(like, comm);
            break;
        case MPI_GRAPH:
            made = with_graph_of(like, comm);
            break;
        case MPI_DIST_GRAPH:
            made = with_directed_graph_of(like, comm);
            break;
        default:
            return comm;
    }
    check(PMPI_Comm_free(&comm));
    return made;
}

}  // namespace espalier::runtime
