#include "plan/composed/pieces.hpp"

#include <algorithm>

namespace espalier::plan::composed {

Tree::Tree(std::size_t ranks, std::size_t its_root)
    : root(its_root), parent(ranks, its_root), children(ranks) {}

void Tree::add(std::size_t from, std::size_t to) {
    parent[to] = from;
    children[from].push_back(to);
}

std::vector<std::size_t> Tree::order() const {
    std::vector<std::size_t> found{root};
    for (std::size_t next = 0; next < found.size(); ++next)
        found.insert(found.end(), children[found[next]].begin(), children[found[next]].end());
    return found;
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
    for (const std::size_t to : tree.order()) {
        if (to == tree.root) continue;
        schedule.transfers.push_back(
            {.from = tree.parent[to], .to = to, .chunk = chunk, .chunks = chunks});
    }
}

void combine(schedule::Schedule& schedule, const Tree& tree, std::size_t chunk,
             std::size_t chunks) {
    auto order = tree.order();
    std::ranges::reverse(order);
    order.pop_back();
    for (const std::size_t from : order)
        schedule.transfers.push_back({.from = from,
                                      .to = tree.parent[from],
                                      .chunk = chunk,
                                      .op = schedule::Op::combine,
                                      .chunks = chunks});
}

}  // namespace espalier::plan::composed
