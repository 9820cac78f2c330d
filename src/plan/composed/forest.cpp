#include "plan/composed/forest.hpp"

#include "plan/composed/packing.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::plan::composed {

namespace {

/// Sums of these are near the power of a maximum.
double weigh(double part) {
    double product = 1;
    for (int factor = 0; factor < packing_knobs.power; ++factor) product *= part;
    return product;
}

}  // namespace

Forest::Forest(const EdgeUses& uses, Directions directions, Pace pace)
    : uses_(&uses),
      directions_(directions),
      pace_(directions == Directions::both ? Pace::alike : pace),
      load_(uses.resources(), 0),
      busiest_above_(uses.nodes(), 0),
      next_(uses.nodes(), nobody()),
      first_(uses.nodes(), nobody()) {}

void Forest::add(std::size_t root, double messages) {
    OneTree tree;
    tree.root = root;
    tree.messages = messages;
    tree.parent.assign(nodes(), nobody());
    tree.edge.resize(nodes());
    tree.sending.assign(nodes(), 0);
    tree.depth.assign(nodes(), 0);
    if (directions_ != Directions::down) {
        tree.direction = Direction::up;
        trees_.push_back(tree);
    }
    if (directions_ != Directions::up) {
        tree.direction = Direction::down;
        trees_.push_back(tree);
    }
}

void Forest::take(const Trees& trees) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        if (trees_[t].root != trees.roots[t]) move_root(t, trees.roots[t]);
        for (std::size_t node = 0; node < nodes(); ++node) move(t, node, trees.parents[t][node]);
    }
    keep();
}

void Forest::write(Trees& trees) const {
    trees.roots.resize(trees_.size());
    trees.parents.resize(trees_.size());
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        trees.roots[t] = trees_[t].root;
        trees.parents[t] = trees_[t].parent;
    }
}

bool Forest::is_below(std::size_t tree, std::size_t node, std::size_t above) const {
    for (; node != nobody(); node = trees_[tree].parent[node])
        if (node == above) return true;
    return false;
}

bool Forest::can_join(std::size_t tree, std::size_t parent, std::size_t child) const {
    return trees_[tree].direction == Direction::down ? uses_->is_known(parent, child)
                                                     : uses_->is_known(child, parent);
}

std::span<const EdgeUses::Use> Forest::uses(std::size_t tree, std::size_t parent,
                                            std::size_t child) const {
    return trees_[tree].direction == Direction::down ? uses_->uses(parent, child)
                                                     : uses_->uses(child, parent);
}

double Forest::gap(const OneTree& tree, std::size_t parent, std::size_t child) const {
    return tree.direction == Direction::down ? uses_->gap(parent, child)
                                             : uses_->gap(child, parent);
}

double Forest::latency(const OneTree& tree, std::size_t parent, std::size_t child) const {
    return tree.direction == Direction::down ? uses_->latency(parent, child)
                                             : uses_->latency(child, parent);
}

void Forest::move(std::size_t tree, std::size_t node, std::size_t parent) {
    moves_.push_back({tree, node, trees_[tree].parent[node], trees_[tree].root});
    put(tree, node, parent);
}

void Forest::move_root(std::size_t tree, std::size_t node) {
    std::size_t below = nobody();
    for (std::size_t above = node; above != nobody();) {
        const std::size_t next = trees_[tree].parent[above];
        move(tree, above, below);
        below = above;
        above = next;
    }
    trees_[tree].root = node;
}

void Forest::take_back() {
    for (; !moves_.empty(); moves_.pop_back()) {
        const Move& move = moves_.back();
        put(move.tree, move.node, move.parent);
        trees_[move.tree].root = move.root;
    }
}

void Forest::put(std::size_t t, std::size_t node, std::size_t parent) {
    OneTree& tree = trees_[t];
    Edge& edge = tree.edge[node];
    if (const std::size_t before = tree.parent[node]; before != nobody()) {
        tree.sending[before] -= edge.gap;
        carry(edge, -tree.messages);
    }
    tree.parent[node] = parent;
    tree.is_ordered = false;
    if (parent == nobody()) return;
    edge = {gap(tree, parent, node), latency(tree, parent, node), uses(t, parent, node)};
    tree.sending[parent] += edge.gap;
    carry(edge, tree.messages);
}

void Forest::carry(const Edge& edge, double messages) {
    for (const auto& use : edge.uses) {
        double& load = load_[use.resource];
        crowd_ -= weigh(load / usual_);
        load += messages * use.busy;
        all_ += messages * use.busy;
        crowd_ += weigh(load / usual_);
    }
}

double Forest::load_with(std::size_t tree, std::size_t parent, std::size_t child) const {
    double most = 0;
    for (const auto& use : uses(tree, parent, child))
        most = std::max(most, load_[use.resource] + trees_[tree].messages * use.busy);
    return most;
}

/// A node's children are those that name it: chained, then visited from the root down.
void Forest::set_in_order(OneTree& tree) {
    std::ranges::fill(first_, nobody());
    for (std::size_t node = nodes(); node-- > 0;) {
        const std::size_t parent = tree.parent[node];
        if (parent == nobody()) continue;
        next_[node] = first_[parent];
        first_[parent] = node;
    }
    tree.order.assign(1, tree.root);
    for (std::size_t i = 0; i < tree.order.size(); ++i)
        for (std::size_t node = first_[tree.order[i]]; node != nobody(); node = next_[node])
            tree.order.push_back(node);
    // A child waits, on average, for half of what its brothers are sent.
    tree.deepest = 0;
    tree.depth[tree.root] = 0;
    for (std::size_t i = 1; i < tree.order.size(); ++i) {
        const std::size_t node = tree.order[i];
        const std::size_t parent = tree.parent[node];
        const double own = gap(tree, parent, node);
        tree.depth[node] =
            tree.depth[parent] + (tree.sending[parent] + own) / 2 + latency(tree, parent, node);
        tree.deepest = std::max(tree.deepest, tree.depth[node]);
    }
    tree.is_ordered = true;
}

double Forest::estimate() {
    if (pace_ == Pace::by_depth) return estimate_by_depth();
    double last = 0;
    double up = 0;
    busiest_ = {};
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        OneTree& tree = trees_[t];
        if (!tree.is_ordered) set_in_order(tree);
        busiest_above_[tree.root] = 0;
        for (std::size_t i = 1; i < tree.order.size(); ++i) {
            const std::size_t node = tree.order[i];
            const std::size_t parent = tree.parent[node];
            double busiest = 0;
            for (const auto& use : tree.edge[node].uses)
                busiest = std::max(busiest, load_[use.resource]);
            if (busiest > busiest_.load) busiest_ = {busiest, t, node};
            busiest = std::max(busiest, busiest_above_[parent]);
            busiest_above_[node] = busiest;
            if (directions_ != Directions::both) last = std::max(last, tree.depth[node] + busiest);
        }
        if (directions_ != Directions::both) continue;
        // What goes up and then down is late by the deepest of both.
        if (tree.direction == Direction::up)
            up = tree.deepest;
        else
            last = std::max(last, up + tree.deepest);
    }
    return directions_ == Directions::both ? last + busiest_.load : last;
}

/// Trees of depth d_t whose last bytes are all over at T carry their loads p_t of something in T -
/// d_t each, so that the sum of p_t / (T - d_t) is 1 if it is always busy: T is about the sum of
/// p_t and the mean of d_t.
double Forest::estimate_by_depth() {
    trees_through_.assign(load_.size(), {});
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        OneTree& tree = trees_[t];
        if (!tree.is_ordered) set_in_order(tree);
        for (std::size_t i = 1; i < tree.order.size(); ++i)
            for (const auto& use : tree.edge[tree.order[i]].uses) {
                auto& through = trees_through_[use.resource];
                const double load = tree.messages * use.busy;
                through.load += load;
                through.weighed += load * tree.deepest;
                through.tree = t;
                through.child = tree.order[i];
            }
    }
    busiest_ = {};
    crowd_by_depth_ = 0;
    for (const auto& through : trees_through_) {
        if (!(through.load > 0)) continue;
        const double over = through.load + through.weighed / through.load;
        crowd_by_depth_ += weigh(over / usual_);
        if (over > busiest_.load) busiest_ = {over, through.tree, through.child};
    }
    return busiest_.load;
}

double Forest::crowding() const {
    const double crowd = pace_ == Pace::by_depth ? crowd_by_depth_ : crowd_;
    return usual_ * std::pow(std::max(crowd, 0.0), 1.0 / packing_knobs.power);
}

double Forest::busiest_load() const { return load_.empty() ? 0 : *std::ranges::max_element(load_); }

void Forest::recount() {
    const double most = busiest_load();
    usual_ = most > 0 ? most : 1;
    crowd_ = 0;
    all_ = 0;
    for (const double load : load_) {
        crowd_ += weigh(load / usual_);
        all_ += load;
    }
}

Tree Forest::tree(std::size_t t) const {
    const OneTree& tree = trees_[t];
    Tree found(nodes(), tree.root);
    std::vector<std::vector<std::size_t>> children(nodes());
    for (std::size_t node = 0; node < nodes(); ++node)
        if (tree.parent[node] != nobody()) children[tree.parent[node]].push_back(node);
    // What has the longest way to go below it is served first.
    std::vector<std::size_t> order{tree.root};
    for (std::size_t i = 0; i < order.size(); ++i)
        order.insert(order.end(), children[order[i]].begin(), children[order[i]].end());
    std::vector<double> below(nodes(), 0);
    for (std::size_t i = order.size(); i-- > 1;) {
        const std::size_t node = order[i];
        const std::size_t parent = tree.parent[node];
        below[node] += tree.edge[node].latency;
        below[parent] = std::max(below[parent], below[node] + tree.edge[node].gap);
    }
    for (auto& of_one : children)
        std::ranges::stable_sort(of_one, std::greater<>(),
                                 [&](std::size_t child) { return below[child]; });
    for (const std::size_t node : order)
        for (const std::size_t child : children[node]) found.add(node, child);
    return found;
}

}  // namespace espalier::plan::composed
