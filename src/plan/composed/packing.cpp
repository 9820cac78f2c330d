#include "plan/composed/packing.hpp"

#include "core/infinity.hpp"
#include "core/matrix.hpp"
#include "plan/bounds/arborescence.hpp"
#include "plan/grow.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

/// What a message costs between each parent and child where what is busy is dear, the steeper the
/// more so; of ways as dear, the shorter are cheaper.
Matrix<double> costs(const Forest& forest, std::size_t tree, double steepness) {
    const double busiest = forest.busiest_load();
    std::vector<double> price;
    for (const double load : forest.loads())
        price.push_back(busiest > 0 ? std::exp(steepness * (load / busiest - 1)) : 1.0);
    Matrix<double> cost(forest.nodes(), forest.nodes(), never);
    for (std::size_t parent = 0; parent < forest.nodes(); ++parent)
        for (std::size_t child = 0; child < forest.nodes(); ++child) {
            if (parent == child || !forest.can_join(tree, parent, child)) continue;
            double sum = packing_knobs.weight_of_effort * forest.time_of(tree, parent, child);
            for (const auto& use : forest.uses(tree, parent, child))
                sum += price[use.resource] * use.busy;
            cost(parent, child) = sum;
        }
    return cost;
}

/// See anneal().
class ForestWalk {
public:
    explicit ForestWalk(Forest& forest)
        : forest_(forest), moves_roots_(forest.directions() == Forest::Directions::both) {
        find_near();
    }

    [[nodiscard]] double cost() {
        forest_.recount();
        const double now = smoothed();
        keep();
        return now;
    }
    [[nodiscard]] std::optional<double> change(Random& random) {
        random_ = &random;
        if (!propose()) return std::nullopt;
        return smoothed();
    }
    void keep() {
        forest_.keep();
        constexpr double rounding = 1e-9;
        if (longest_ >= least_ * (1 - rounding)) return;
        least_ = longest_;
        forest_.write(best_);
    }
    void take_back() { forest_.take_back(); }
    /// What counts is the estimated time: keep() has the best.
    void remember() {}
    [[nodiscard]] std::uint64_t steps() const {
        constexpr std::uint64_t steps_a_visit = 4;
        return steps_a_visit * forest_.trees() * forest_.nodes();
    }
    [[nodiscard]] const Trees& best() const { return best_; }

private:
    /// Of trees that are as long, those are better where less nearly reaches the maximum, and whose
    /// loads are less in all.
    [[nodiscard]] double smoothed() {
        longest_ = forest_.estimate();
        return longest_ + forest_.crowding() + packing_knobs.weight_of_effort * forest_.effort();
    }
    [[nodiscard]] std::size_t below(std::size_t bound) { return random_->below(bound); }
    [[nodiscard]] bool by_chance() { return below(2) == 0; }

    [[nodiscard]] bool propose() {
        std::size_t tree = below(forest_.trees());
        std::size_t node = below(forest_.nodes());
        // What keeps the busiest busy, or who shares it.
        if (by_chance()) {
            const auto& busiest = forest_.busiest();
            tree = busiest.tree;
            node = busiest.child;
            if (by_chance() && forest_.parent(tree, node) != Forest::nobody())
                node = forest_.parent(tree, node);
        }
        constexpr std::size_t kinds = 6;
        const std::size_t kind = below(kinds + (moves_roots_ ? 1 : 0));
        if (kind == kinds) return move_centre(tree, node);
        if (node == forest_.root(tree)) return false;
        switch (kind) {
            case 0:
                return turn(tree, node);
            case 1:
                return leave(tree, node) && hang_elsewhere(tree, node, someone(tree, node));
            case 2:
                return leave(tree, node) && insert(tree, node);
            case 3:
                return overtake(tree, node);
            default:
                return hang_elsewhere(tree, node, someone(tree, node));
        }
    }

    /// Where a node's data could come from: often somebody near.
    [[nodiscard]] std::size_t someone(std::size_t tree, std::size_t node) {
        const auto& near_ones = near_[forest_.direction(tree) == Direction::down ? 0 : 1][node];
        if (!near_ones.empty() && by_chance()) return near_ones[below(near_ones.size())];
        return below(forest_.nodes());
    }

    [[nodiscard]] bool hang_elsewhere(std::size_t tree, std::size_t node, std::size_t parent) {
        if (parent == forest_.parent(tree, node) || !forest_.can_join(tree, parent, node) ||
            forest_.is_below(tree, parent, node))
            return false;
        forest_.move(tree, node, parent);
        return true;
    }

    /// What hangs below it hangs above it then.
    [[nodiscard]] bool leave(std::size_t tree, std::size_t node) {
        const std::size_t above = forest_.parent(tree, node);
        for (std::size_t child = 0; child < forest_.nodes(); ++child) {
            if (forest_.parent(tree, child) != node) continue;
            if (!forest_.can_join(tree, above, child)) return false;
            forest_.move(tree, child, above);
        }
        return true;
    }

    /// Re-roots the subtree of a node: the subtree is joined to the rest at another of its nodes,
    /// and the edges between the two are reversed.
    [[nodiscard]] bool turn(std::size_t tree, std::size_t node) {
        const std::size_t top = someone_above(tree, node);
        const std::size_t parent = someone(tree, node);
        if (parent == node || !forest_.can_join(tree, parent, node) ||
            forest_.is_below(tree, parent, top))
            return false;
        std::size_t above = parent;
        for (std::size_t next = node;;) {
            const std::size_t was_above = forest_.parent(tree, next);
            if (next != node && !forest_.can_join(tree, above, next)) return false;
            forest_.move(tree, next, above);
            if (next == top) return true;
            above = next;
            next = was_above;
        }
    }

    /// One of those on its way from the root, the root left out; or itself.
    [[nodiscard]] std::size_t someone_above(std::size_t tree, std::size_t node) {
        while (forest_.parent(tree, node) != forest_.root(tree) && by_chance())
            node = forest_.parent(tree, node);
        return node;
    }

    /// Between another node and its parent.
    [[nodiscard]] bool insert(std::size_t tree, std::size_t node) {
        const std::size_t below = someone(tree, node);
        if (below == node || below == forest_.root(tree)) return false;
        const std::size_t above = forest_.parent(tree, below);
        if (above == node || !forest_.can_join(tree, node, below) ||
            !forest_.can_join(tree, above, node))
            return false;
        forest_.move(tree, node, above);
        forest_.move(tree, below, node);
        return true;
    }

    /// A node takes the place of its parent, which hangs below it then.
    [[nodiscard]] bool overtake(std::size_t tree, std::size_t node) {
        const std::size_t parent = forest_.parent(tree, node);
        if (parent == forest_.root(tree)) return false;
        const std::size_t above = forest_.parent(tree, parent);
        if (!forest_.can_join(tree, above, node) || !forest_.can_join(tree, node, parent))
            return false;
        forest_.move(tree, node, above);
        forest_.move(tree, parent, node);
        return true;
    }

    /// Of both trees of a part.
    [[nodiscard]] bool move_centre(std::size_t tree, std::size_t node) {
        const std::size_t first = tree - tree % 2;
        if (node == forest_.root(first)) return false;
        for (std::size_t t = first; t < first + 2; ++t) {
            for (std::size_t below = node; below != forest_.root(t);) {
                const std::size_t above = forest_.parent(t, below);
                if (!forest_.can_join(t, below, above)) return false;
                below = above;
            }
            forest_.move_root(t, node);
        }
        return true;
    }

    void find_near() {
        for (auto& near_ones : near_) near_ones.resize(forest_.nodes());
        for (std::size_t node = 0; node < forest_.nodes(); ++node)
            for (std::size_t t = 0; t < std::min<std::size_t>(forest_.trees(), 2); ++t) {
                std::vector<std::pair<double, std::size_t>> offers;
                for (std::size_t other = 0; other < forest_.nodes(); ++other) {
                    if (other == node || !forest_.can_join(t, other, node)) continue;
                    offers.emplace_back(forest_.time_of(t, other, node), other);
                }
                std::ranges::sort(offers);
                if (offers.size() > packing_knobs.near) offers.resize(packing_knobs.near);
                auto& found = near_[forest_.direction(t) == Direction::down ? 0 : 1][node];
                found.clear();
                for (const auto& [time, other] : offers) found.push_back(other);
            }
    }

    Forest& forest_;
    bool moves_roots_;
    Random* random_ = nullptr;
    double longest_ = infinity;  ///< of trees as they are, the estimated time
    double least_ = infinity;
    std::vector<std::vector<std::size_t>> near_[2];  ///< by direction, by node
    Trees best_;
};

}  // namespace

bool grow(Forest& forest, std::size_t tree, Meter& meter) {
    meter.spend(steps_of_growing(forest.nodes()));
    std::vector<double> ready(forest.nodes(), 0);
    const auto key = [&](std::size_t from, std::size_t to) {
        if (!forest.can_join(tree, from, to)) return never;
        return ready[from] + forest.time_of(tree, from, to) + forest.load_with(tree, from, to);
    };
    const auto join = [&](std::size_t from, std::size_t to) {
        ready[to] = ready[from] + forest.time_of(tree, from, to);
        ready[from] += forest.gap(tree, from, to);
        forest.move(tree, to, from);
    };
    const std::size_t root = forest.root(tree);
    if (!grow_tree(Growth(root, all_but(root, forest.nodes()), key), join)) return false;
    forest.keep();
    return true;
}

void balance(Forest& forest, Meter& meter) {
    constexpr std::size_t sweeps = 12;
    constexpr double steepest = 30;
    const std::size_t nodes = forest.nodes();
    Trees best;
    forest.write(best);
    double least = forest.estimate();
    for (std::size_t sweep = 1; sweep <= sweeps && !meter.over(); ++sweep) {
        const double steepness = steepest * static_cast<double>(sweep) / sweeps;
        for (std::size_t t = 0; t < forest.trees() && !meter.over(); ++t) {
            for (std::size_t node = 0; node < nodes; ++node) forest.move(t, node, Forest::nobody());
            forest.keep();
            const auto parents =
                bounds::cheapest_arborescence(costs(forest, t, steepness), forest.root(t));
            for (std::size_t node = 0; node < nodes; ++node)
                if (node != forest.root(t)) forest.move(t, node, parents[node]);
            forest.keep();
            meter.spend(nodes * nodes * steps_a_look);
        }
        if (const double found = forest.estimate(); found < least) {
            least = found;
            forest.write(best);
        }
    }
    forest.take(best);
    forest.recount();
}

void improve(Forest& forest, Random& random, Meter& meter) {
    if (forest.nodes() < 2 || forest.trees() == 0) return;
    ForestWalk walk(forest);
    anneal(walk, packing_knobs.cooling, random, meter);
    forest.take(walk.best());
    forest.recount();
}

}  // namespace espalier::plan::composed
