#include "instances.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace espalier::sender_papers {

namespace {

using Counts = std::vector<std::uint64_t>;

/// The tree below a beginning, itself included, depends only on how many of each class are left.
WholeTree tree_of(const Counts& left, std::map<Counts, WholeTree>& known) {
    if (std::ranges::all_of(left, [](std::uint64_t count) { return count == 0; })) return {1, 1};
    Counts sorted = left;
    std::ranges::sort(sorted);
    if (const auto found = known.find(sorted); found != known.end()) return found->second;
    WholeTree tree{1, 0};
    for (std::size_t c = 0; c < sorted.size(); ++c) {
        if (sorted[c] == 0) continue;
        Counts below = sorted;
        --below[c];
        const WholeTree subtree = tree_of(below, known);
        tree.nodes += subtree.nodes;
        tree.leaves += subtree.leaves;
    }
    return known[sorted] = tree;
}

}  // namespace

sender::Problem draw_cluster(schedule::Kind kind, std::size_t nodes, const Draw& draw,
                             std::uint64_t seed) {
    Random random(1'000'003 * seed + 1009 * nodes + draw.classes);
    std::vector<double> table;
    while (table.size() < draw.classes) {
        const auto time = static_cast<double>(1 + random.below(draw.slowest));
        if (std::ranges::find(table, time) == table.end()) table.push_back(time);
    }
    network::SenderNetwork network;
    for (std::size_t i = 0; i < nodes; ++i)
        network.classes.push_back(
            {"p" + std::to_string(i), table[random.below(table.size())], 1, true});
    return sender::make_problem(network, kind, std::nullopt);
}

WholeTree whole_tree(const sender::Problem& problem) {
    Counts left;
    for (const auto& members : problem.classes) left.push_back(members.count);
    if (!problem.is_broadcast()) --left[*problem.root];
    std::map<Counts, WholeTree> known;
    WholeTree tree = tree_of(left, known);
    --tree.nodes;
    return tree;
}

}  // namespace espalier::sender_papers
