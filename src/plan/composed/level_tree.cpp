#include "plan/composed/level_tree.hpp"

#include "plan/grid/weighted.hpp"
#include "plan/grow.hpp"

#include <algorithm>
#include <utility>

namespace espalier::plan::composed {

namespace {

/// The tree of one member: its coordinator, its edges in order, and how long it takes.
struct Part {
    std::size_t coordinator = 0;
    double time = 0;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
};

class Builder {
public:
    Builder(const Problem& problem, std::size_t root, Bytes bytes, Direction direction)
        : fabric_(*problem.fabric), root_(root), bytes_(bytes), direction_(direction) {}

    [[nodiscard]] Part make(const Site& site) const {
        Part whole;
        if (site.members.empty()) {
            whole.coordinator = site.rank;
            return whole;
        }
        std::vector<Part> parts;
        for (const Site& member : site.members) parts.push_back(make(member));
        const std::size_t first = site.coordinating_member(root_);
        whole.coordinator = parts[first].coordinator;
        if (parts[first].coordinator != root_) whole.coordinator = parts[0].coordinator;
        join(site, parts, first, whole);
        for (const Part& part : parts)
            whole.edges.insert(whole.edges.end(), part.edges.begin(), part.edges.end());
        return whole;
    }

private:
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to) const {
        return direction_ == Direction::down ? fabric_.cost(from, to, bytes_)
                                             : fabric_.cost(to, from, bytes_);
    }

    void join(const Site& site, const std::vector<Part>& parts, std::size_t first,
              Part& whole) const {
        const bool alike = site.link != nullptr && parts.size() > 1;
        const auto alike_cost =
            alike ? cost(parts[0].coordinator, parts[1].coordinator) : simulate::MessageCost{};
        const auto between = [&](std::size_t from, std::size_t to) {
            return alike ? alike_cost : cost(parts[from].coordinator, parts[to].coordinator);
        };
        std::vector<double> ready(parts.size(), 0);
        const auto key = [&](std::size_t from, std::size_t to) {
            const auto message = between(from, to);
            return ready[from] + (message.gap + message.latency).value -
                   grid::usual_weights.receiver * parts[to].time +
                   grid::usual_weights.sender * parts[from].time;
        };
        grow_tree(Growth(first, all_but(first, parts.size()), key),
                  [&](std::size_t from, std::size_t to) {
                      const auto message = between(from, to);
                      whole.edges.emplace_back(parts[from].coordinator, parts[to].coordinator);
                      ready[to] = ready[from] + (message.gap + message.latency).value;
                      ready[from] += message.gap.value;
                  });
        for (std::size_t member = 0; member < parts.size(); ++member)
            whole.time = std::max(whole.time, ready[member] + parts[member].time);
    }

    const simulate::Fabric& fabric_;
    std::size_t root_;
    Bytes bytes_;
    Direction direction_;
};

}  // namespace

Tree level_tree(const Problem& problem, std::size_t root, Bytes bytes, Direction direction) {
    Tree tree(problem.job->places.size(), root);
    for (const auto& [from, to] :
         Builder(problem, root, bytes, direction).make(*problem.site).edges)
        tree.add(from, to);
    return tree;
}

std::uint64_t level_tree_steps(const Problem& problem) {
    const std::uint64_t members = problem.site->members.size();
    return steps_a_look * (problem.job->places.size() + members * members);
}

}  // namespace espalier::plan::composed
