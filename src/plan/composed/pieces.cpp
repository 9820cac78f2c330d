#include "plan/composed/pieces.hpp"

#include <algorithm>
#include <utility>

namespace espalier::plan::composed {

Tree::Tree(std::size_t ranks, std::size_t its_root)
    : root(its_root), parent(ranks, its_root), children(ranks) {}

void Tree::add(std::size_t from, std::size_t to) {
    parent[to] = from;
    children[from].push_back(to);
}

void Tree::add_first(std::size_t from, std::size_t to) {
    parent[to] = from;
    children[from].insert(children[from].begin(), to);
}

std::vector<std::size_t> Tree::order() const {
    std::vector<std::size_t> found{root};
    for (std::size_t next = 0; next < found.size(); ++next)
        found.insert(found.end(), children[found[next]].begin(), children[found[next]].end());
    return found;
}

std::vector<const Site*> central_members(const Problem& problem) {
    const auto& members = problem.site->members;
    std::vector<std::size_t> coordinators;
    for (const Site& member : members) coordinators.push_back(member.ranks().front());
    std::vector<std::pair<double, std::size_t>> farthest;
    for (std::size_t m = 0; m < members.size(); ++m) {
        auto& [round_trip, index] = farthest.emplace_back(0, m);
        for (const std::size_t other : coordinators) {
            if (other == coordinators[m]) continue;
            const auto there = problem.fabric->cost(coordinators[m], other, Bytes(0));
            const auto back = problem.fabric->cost(other, coordinators[m], Bytes(0));
            round_trip = std::max(round_trip, (there.latency + back.latency).value);
        }
    }
    std::ranges::sort(farthest);
    std::vector<const Site*> found;
    for (const auto& [round_trip, index] : farthest) found.push_back(&members[index]);
    return found;
}

schedule::Schedule empty_schedule(const Problem& problem) {
    const Request& request = *problem.request;
    schedule::Schedule schedule;
    schedule.collective = {request.kind,    problem.job->places.size(),
                           request.root,    request.bytes,
                           request.ordered, request.sizes,
                           request.blocks};
    schedule.nodes = rank_names(*problem.job);
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = problem.ports;
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
