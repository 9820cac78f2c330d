#include "plan/composed/pieces.hpp"

#include <algorithm>

namespace espalier::plan::composed {

namespace {

/// All edges, parents before what is below them, and each node's children in their order.
std::vector<std::size_t> receivers_in_order(const Tree& tree) {
    std::vector<std::size_t> order{tree.root};
    for (std::size_t next = 0; next < order.size(); ++next)
        order.insert(order.end(), tree.children[order[next]].begin(),
                     tree.children[order[next]].end());
    order.erase(order.begin());
    return order;
}

}  // namespace

Tree::Tree(std::size_t ranks, std::size_t its_root)
    : root(its_root), parent(ranks, its_root), children(ranks) {}

void Tree::add(std::size_t from, std::size_t to) {
    parent[to] = from;
    children[from].push_back(to);
}

schedule::Schedule empty_schedule(const Problem& problem) {
    const CollectiveRequest& request = *problem.request;
    schedule::Schedule schedule;
    schedule.collective = {request.kind,    problem.job->places.size(),
                           request.root,    request.bytes,
                           request.ordered, request.sizes,
                           request.blocks};
    schedule.nodes = rank_names(*problem.job);
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = request.ports;
    schedule.spaced = request.spaced;
    return schedule;
}

void spread(schedule::Schedule& schedule, const Tree& tree, std::size_t chunk, std::size_t chunks) {
    for (const std::size_t to : receivers_in_order(tree))
        schedule.transfers.push_back(
            {.from = tree.parent[to], .to = to, .chunk = chunk, .chunks = chunks});
}

void combine(schedule::Schedule& schedule, const Tree& tree, std::size_t chunk,
             std::size_t chunks) {
    auto order = receivers_in_order(tree);
    std::ranges::reverse(order);
    for (const std::size_t from : order)
        schedule.transfers.push_back({.from = from,
                                      .to = tree.parent[from],
                                      .chunk = chunk,
                                      .op = schedule::Op::combine,
                                      .chunks = chunks});
}

}  // namespace espalier::plan::composed
