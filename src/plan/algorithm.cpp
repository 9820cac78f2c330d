#include "plan/algorithm.hpp"

#include "plan/composed/around_centre.hpp"
#include "plan/composed/by_kind.hpp"
#include "plan/composed/gathers.hpp"
#include "plan/composed/halves.hpp"
#include "plan/composed/ordered.hpp"
#include "plan/composed/packed.hpp"
#include "plan/composed/scans.hpp"
#include "plan/composed/scatters.hpp"
#include "plan/composed/striped.hpp"
#include "plan/exchange/caterpillar.hpp"
#include "plan/exchange/far_first.hpp"
#include "plan/exchange/greedy.hpp"
#include "plan/exchange/list_search.hpp"
#include "plan/exchange/matching.hpp"
#include "plan/exchange/open_shop.hpp"
#include "plan/gather/rings.hpp"
#include "plan/grid/binomial.hpp"
#include "plan/grid/bottom_up.hpp"
#include "plan/grid/by_speed.hpp"
#include "plan/grid/ecef.hpp"
#include "plan/grid/fef.hpp"
#include "plan/grid/flat.hpp"
#include "plan/grid/multilevel.hpp"
#include "plan/grid/pipeline.hpp"
#include "plan/grid/search.hpp"
#include "plan/local/d_ary.hpp"
#include "plan/local/scatter_collect.hpp"
#include "plan/local/shapes.hpp"

#include <algorithm>

namespace espalier::plan {
namespace {

constexpr std::string_view table_1 = "steffenel-2006 4.2, Table 1";

Algorithm between_clusters(std::string_view name, std::string_view description,
                           std::string_view source, grid::Rule make) {
    return {{.name = name,
             .family = Family::grid,
             .description = description,
             .source = source,
             .collectives = {schedule::Kind::broadcast, schedule::Kind::reduce},
             .models = {"grid", "pairwise"}},
            make};
}

Algorithm searching_clusters(std::string_view name, std::string_view description,
                             std::string_view source, grid::Searcher make, bool by_default) {
    Algorithm algorithm = between_clusters(name, description, source, nullptr);
    algorithm.make = make;
    algorithm.by_default = by_default;
    return algorithm;
}

/// Knows nothing of inner broadcasts, and is tried by name only.
Algorithm by_speed(std::string_view name, std::string_view description, schedule::Kind collective,
                   grid::Rule make) {
    return {{.name = name,
             .family = Family::grid,
             .description = description,
             .source = "liu-2000 7",
             .collectives = {collective},
             .models = {"pairwise"},
             .by_default = false},
            make};
}

Algorithm inside_cluster(std::string_view name, std::string_view description,
                         std::string_view source, local::Strategy strategy) {
    return {{.name = name,
             .family = Family::local,
             .description = description,
             .source = source,
             .collectives = {schedule::Kind::broadcast, schedule::Kind::reduce},
             .models = {"grid"}},
            strategy};
}

/// A broadcast inside a cluster without a mirror that reduces: handshakes have none, and a block
/// that a node collects although it holds it would be combined twice.
Algorithm broadcast_inside(std::string_view name, std::string_view description,
                           std::string_view source, local::Strategy strategy) {
    Algorithm algorithm = inside_cluster(name, description, source, strategy);
    algorithm.collectives = {schedule::Kind::broadcast};
    return algorithm;
}

Algorithm between_all(std::string_view name, std::string_view description, std::string_view source,
                      exchange::Planner make, int growth, bool by_default = true) {
    return {{.name = name,
             .family = Family::exchange,
             .description = description,
             .source = source,
             .collectives = {schedule::Kind::alltoall},
             .models = {"pairwise", "grid", "links"},
             .by_default = by_default},
            make,
            growth};
}

Algorithm round_all(std::string_view name, std::string_view description, std::string_view source,
                    gather::Planner make) {
    return {{.name = name,
             .family = Family::allgather,
             .description = description,
             .source = source,
             .collectives = {schedule::Kind::allgather},
             .models = {"pairwise", "grid", "links"}},
            make};
}

Algorithm composed_of_pieces(std::string_view name, std::string_view description,
                             std::string_view source, std::vector<schedule::Kind> collectives,
                             composed::Planner make) {
    return {{.name = name,
             .family = Family::composed,
             .description = description,
             .source = source,
             .collectives = std::move(collectives),
             .models = {"pairwise", "grid", "links"}},
            make};
}

std::vector<Algorithm> make_table() {
    using enum schedule::Kind;
    return {
        between_clusters("flat", "the root sends to each cluster in turn, as MagPIe and ECO do",
                         "steffenel-2006 5.1", grid::flat),
        between_clusters("fef", "fastest edge first: least latency", "steffenel-2006 5.2",
                         grid::fef),
        between_clusters("ecef", "early completion edge first: least ready time + g + L",
                         "steffenel-2006 5.3", grid::ecef),
        between_clusters("ecef-la", "ECEF, looking ahead to the receiver's least transfer to B",
                         "steffenel-2006 5.4", grid::ecef_la),
        between_clusters("ecef-la-average-b",
                         "ECEF, looking ahead to the receiver's average transfer to B",
                         "steffenel-2006 5.4", grid::ecef_la_average_b),
        between_clusters("ecef-la-average-ab",
                         "ECEF, looking ahead to the average transfer from A and the receiver to B",
                         "steffenel-2006 5.4", grid::ecef_la_average_ab),
        between_clusters("ecef-lat-min",
                         "ECEF, looking ahead to the receiver's least transfer and inner broadcast",
                         "steffenel-2006 5.5 (ECEF-LAt)", grid::ecef_lat_min),
        between_clusters(
            "ecef-lat-max",
            "ECEF, looking ahead to the receiver's greatest transfer and inner broadcast",
            "steffenel-2006 5.6 (ECEF-LAT)", grid::ecef_lat_max),
        between_clusters("bottom-up", "the cluster that would end last is served first and best",
                         "steffenel-2006 5.7", grid::bottom_up),
        between_clusters("bottom-up-la",
                         "BottomUp, reaching the slowest cluster directly or through one relay",
                         "ours, after steffenel-2006 6", grid::bottom_up_la),
        between_clusters("multilevel", "flat between sites, binomial inside each, level by level",
                         "steffenel-2006 4.4 (Karonis)", grid::multilevel),
        between_clusters("binomial", "a binomial tree in the clusters' order, unaware of the grid",
                         "steffenel-2006 7", grid::binomial),
        searching_clusters("search",
                           "the best of many rules and of local search, until the time is up",
                           "ours", grid::search, true),
        searching_clusters("optimal", "branch and bound with proof, for about 20 clusters", "ours",
                           grid::optimal, false),
        between_clusters("pipeline",
                         "a tree for many segments: least predicted end of the pipeline", "ours",
                         grid::pipeline),
        by_speed("fnf", "the fastest node that waits is next, from where it comes the earliest",
                 broadcast, grid::fastest_node_first),
        by_speed("snf", "slow nodes send early, each where it is due the latest", reduce,
                 grid::slowest_node_first),
        {{.name = "grid-unaware",
          .family = Family::grid,
          .description =
              "a binomial tree between all ranks in their order, as a plain MPI library's",
          .source = "steffenel-2006 7 (LAM-MPI)",
          .collectives = {broadcast, reduce},
          .models = {"grid", "pairwise"}},
         RankTree{local::binomial()}},

        inside_cluster("flat", "the root sends the message to each node in turn", table_1,
                       local::flat()),
        broadcast_inside("flat-rendezvous", "flat, each send prepared by a request and an answer",
                         table_1, local::flat_rendezvous()),
        inside_cluster("flat-segmented", "flat, one segment to every node before the next segment",
                       table_1, local::flat_segmented()),
        inside_cluster("chain", "each node passes the whole message on to the next", table_1,
                       local::chain()),
        broadcast_inside("chain-rendezvous", "chain, each hop prepared by a request and an answer",
                         table_1, local::chain_rendezvous()),
        inside_cluster("chain-segmented", "a pipeline of segments from node to node", table_1,
                       local::chain_segmented()),
        inside_cluster("binary", "a complete binary tree", table_1, local::binary()),
        inside_cluster("binomial", "in every round each node that holds the message sends it on",
                       table_1, local::binomial()),
        broadcast_inside("binomial-rendezvous",
                         "binomial, each send prepared by a request and an answer", table_1,
                         local::binomial_rendezvous()),
        inside_cluster("binomial-segmented",
                       "binomial, one segment to all children before the next segment", table_1,
                       local::binomial_segmented()),
        broadcast_inside(
            "scatter-collect", "blocks scattered down a tree, then collected in a ring",
            "steffenel-2006 4.2, Table 1 (Thakur and Gropp)", local::scatter_collect()),
        inside_cluster("d-ary", "a complete tree of the degree that suits the network",
                       "steffenel-2006 4.2", local::d_ary()),
        inside_cluster("stem-binary", "one link from the root to the root of a binary tree",
                       "ours, after Table 1", local::stem_binary()),

        between_all("caterpillar", "step j: each node sends to the one j places on",
                    "bhat-1998 4.2 (baseline)", exchange::caterpillar, 2),
        between_all("far-first", "caterpillar, but messages of the longest latency leave first",
                    "ours", exchange::far_first, 2),
        between_all("caterpillar-barrier", "caterpillar, all nodes beginning each step together",
                    "bhat-1998 4.2, 5", exchange::caterpillar_barrier, 2, false),
        between_all("greedy", "steps in which each sender takes its longest message that it can",
                    "bhat-1998 4.4", exchange::greedy, 3),
        // What they find is found in less time, and they need up to O(P^4).
        between_all("matching-max", "steps that are matchings of the greatest weight",
                    "bhat-1998 4.3", exchange::matching_max, 4, false),
        between_all("matching-min", "steps that are matchings of the least weight", "bhat-1998 4.3",
                    exchange::matching_min, 4, false),
        between_all("open-shop",
                    "the sender that is free first sends to the receiver that is free first",
                    "bhat-1998 4.5", exchange::open_shop, 3),
        (between_all("list-search",
                     "paced list scheduling by longest remaining work, with random preferences",
                     "ours, after bhat-1998 4.5", exchange::list_search, 3)),

        round_all("ring", "a ring between all nodes whose slowest step is the fastest", "ours",
                  gather::by_slowest_step),
        round_all("ring-sum", "the ring that is shortest in all, whatever its slowest step",
                  "a travelling salesman's tour, as PCCL's (baseline)", gather::by_sum),
        round_all("ring-rank-order", "a ring in the network's own order, as a plain MPI library's",
                  "baseline", gather::in_rank_order),

        composed_of_pieces("centre", "combined up a tree to a centre, and spread down from it",
                           "ours", {allreduce, barrier}, composed::around_centre),
        composed_of_pieces("halves", "two halves exchange what they have combined", "ours",
                           {allreduce, barrier}, composed::exchange_of_halves),
        composed_of_pieces("striped",
                           "segments on several trees that avoid each other's ports and links",
                           "ours", {broadcast, reduce, allreduce}, composed::striped),
        composed_of_pieces(
            "packed", "trees over all ranks that together keep every port and link busy",
            "ours, after Edmonds's packing of arborescences",
            {broadcast, reduce, allreduce, allgather, reduce_scatter}, composed::packed),
        composed_of_pieces("rank-order", "combined in rank order, by runs of ranks", "ours",
                           {reduce, allreduce}, composed::in_rank_order),
        composed_of_pieces("scan-levels", "a scan inside each cluster, between them, and inside",
                           "ours", {scan, exscan}, composed::scan_by_levels),
        composed_of_pieces("scan-doubling", "step k: each rank sends to the one 2^k places on",
                           "Hillis and Steele (baseline)", {scan, exscan},
                           composed::scan_by_doubling),
        composed_of_pieces("scan-straight", "near ranks in a row, and from each row to all later",
                           "ours", {scan, exscan}, composed::scan_straight),
        composed_of_pieces("scan-chain", "each rank passes on to the next", "baseline",
                           {scan, exscan}, composed::scan_chain),
        composed_of_pieces("direct", "each block straight to whom it is for, the far ones first",
                           "baseline", {scatter, gather, allgather, reduce_scatter},
                           composed::direct),
        composed_of_pieces("levels", "blocks travel together between clusters and between hosts",
                           "ours", {scatter, gather, allgather, reduce_scatter, alltoall},
                           composed::by_levels),
        composed_of_pieces("binomial", "a binomial tree over all ranks, as a plain MPI library's",
                           "baseline", {scatter, gather},
                           composed::mirrored<composed::blocks_by_binomial>),
        composed_of_pieces("helpers", "each block along the path on which it arrives first", "ours",
                           {scatter, gather}, composed::mirrored<composed::blocks_by_helpers>),
        composed_of_pieces("gather-broadcast", "blocks go up a tree to a centre, and down to all",
                           "ours", {allgather, reduce_scatter},
                           composed::mirrored<composed::gather_at_centre>),
        composed_of_pieces("bruck", "step k: all that a rank has goes to the one 2^k places before",
                           "Bruck et al. (baseline)", {allgather, reduce_scatter},
                           composed::mirrored<composed::gather_by_doubling>),
        composed_of_pieces("routes",
                           "each block from cluster to cluster by itself, and round rings inside",
                           "ours", {allgather, reduce_scatter}, composed::gather_by_routes),
        composed_of_pieces("ring", "the rings of an all-gather, reversed in time", "ours",
                           {reduce_scatter}, composed::mirrored<composed::gather_round_rings>),
    };
}

const std::vector<Algorithm>& table() {
    static const std::vector<Algorithm> instance = make_table();
    return instance;
}

}  // namespace

std::span<const Algorithm> algorithms() { return table(); }

const Algorithm* find_algorithm(Family family, std::string_view name) {
    const auto found = std::ranges::find_if(table(), [&](const Algorithm& entry) {
        return entry.family == family && entry.name == name;
    });
    return found == table().end() ? nullptr : &*found;
}

}  // namespace espalier::plan
