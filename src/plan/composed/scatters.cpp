#include "plan/composed/scatters.hpp"

#include "plan/composed/block_tree.hpp"
#include "plan/composed/helpers.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace espalier::plan::composed {

namespace {

using schedule::Schedule;
using Schedules = std::vector<Schedule>;

Schedule scatter_down(const Problem& problem, const Tree& tree, std::uint64_t piece) {
    const auto blocks = block_sizes(problem);
    const Walk walk = walk_over(tree);
    Schedule schedule = empty_schedule(problem);
    for (const std::size_t rank : walk.order)
        schedule.chunks.push_back({Bytes(blocks[rank]), 1, std::nullopt, rank});
    distribute(schedule, tree, walk, piece);
    return schedule;
}

/// Whole messages, and pieces of a few sizes from a block to half of what all blocks are.
std::set<std::uint64_t> piece_sizes(const std::vector<std::uint64_t>& blocks) {
    const std::uint64_t all = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
    const std::uint64_t largest = *std::ranges::max_element(blocks);
    std::set<std::uint64_t> sizes{0};
    constexpr std::uint64_t least = 4096;  // shorter ones are latency
    for (std::uint64_t piece = std::max(largest, least); piece < all / 2; piece *= 4)
        sizes.insert(piece);
    return sizes;
}

}  // namespace

Schedules direct_blocks(const Problem& problem, Meter&) {
    Tree tree(problem.job->places.size(), problem.request->root);
    for (std::size_t rank = 0; rank < tree.size(); ++rank)
        if (rank != tree.root) tree.add(tree.root, rank);
    (void)order_by_tails(tree, *problem.fabric, block_sizes(problem));
    return {scatter_down(problem, tree, 0)};
}

Schedules blocks_by_levels(const Problem& problem, Meter& meter) {
    const std::size_t ranks = problem.job->places.size();
    const std::size_t root = problem.request->root;
    const auto blocks = block_sizes(problem);
    const auto coordinators = coordinators_of(problem, root);
    const auto pieces = piece_sizes(blocks);
    Schedules found;
    for (const std::size_t radix : {ranks, std::size_t{2}, std::size_t{4}}) {
        Tree tree = tree_by_levels(problem, root, radix);
        move_subtrees(tree, coordinators, *problem.fabric, blocks, meter);
        for (const std::uint64_t piece : pieces)
            found.push_back(scatter_down(problem, tree, piece));
    }
    return found;
}

Schedules blocks_by_binomial(const Problem& problem, Meter&) {
    const std::size_t ranks = problem.job->places.size();
    Tree tree(ranks, problem.request->root);
    std::vector<std::size_t> order(ranks);
    for (std::size_t i = 0; i < ranks; ++i) order[i] = (tree.root + i) % ranks;
    add_knomial(tree, order, 2);
    (void)order_by_tails(tree, *problem.fabric, block_sizes(problem));
    return {scatter_down(problem, tree, 0)};
}

Schedules blocks_by_helpers(const Problem& problem, Meter& meter) {
    const auto blocks = block_sizes(problem);
    Schedules found;
    for (const auto order : {HelperOrder::slowest_cluster, HelperOrder::slowest_remaining})
        for (const double weight : {0.0, 1.0, 16.0}) {
            if (!found.empty() && meter.over()) return found;
            Schedule schedule = empty_schedule(problem);
            for (std::size_t rank = 0; rank < blocks.size(); ++rank)
                schedule.chunks.push_back({Bytes(blocks[rank]), 1, std::nullopt, rank});
            schedule.transfers = scatter_through_helpers(problem, blocks, order, weight, meter);
            found.push_back(std::move(schedule));
        }
    return found;
}

}  // namespace espalier::plan::composed
