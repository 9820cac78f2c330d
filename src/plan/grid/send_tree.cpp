#include "plan/grid/send_tree.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::plan::grid {

SendTree::Costs::Costs(const Problem& problem)
    : into_(problem.size() * problem.size()),
      inner_(problem.inner),
      root_(static_cast<Node>(problem.root)),
      ports_(std::clamp<std::size_t>(problem.ports, 1, problem.size())) {
    const std::size_t n = problem.size();
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
            if (from != to)
                into_[to * n + from] = {problem.gap(from, to), problem.delivery(from, to)};
}

SendTree::SendTree(const Costs& costs) : costs_(&costs), nodes_(costs.size()) {
    for (Node v = 0; v < nodes_.size(); ++v) nodes_[v].tail = costs.inner(v);
    stack_.reserve(nodes_.size());
}

SendTree::SendTree(const Costs& costs, const Order& order) : SendTree(costs) {
    for (const auto [from, to] : order)
        attach(static_cast<Node>(to), {static_cast<Node>(from), none});
}

Order SendTree::order() const {
    Order order;
    order.reserve(nodes_.size() - 1);
    std::vector<Node> waiting{costs_->root()};
    for (std::size_t next = 0; next < waiting.size(); ++next)
        for (Node c = nodes_[waiting[next]].first; c != none; c = nodes_[c].next) {
            order.push_back({.from = waiting[next], .to = c});
            waiting.push_back(c);
        }
    return order;
}

void SendTree::attach(Node v, Place place) {
    Link& link = nodes_[v];
    assert(link.parent == none && v != costs_->root());
    Link& parent = nodes_[place.parent];
    link.parent = place.parent;
    link.next = place.before;
    link.previous = place.before == none ? parent.last : nodes_[place.before].previous;
    (link.previous == none ? parent.first : nodes_[link.previous].next) = v;
    (link.next == none ? parent.last : nodes_[link.next].previous) = v;
    const auto [gap, delivery] = costs_->into(v)[place.parent];
    link.gap = gap;
    link.delivery = delivery;
    update_upwards(place.parent);
}

void SendTree::detach(Node v) {
    Link& link = nodes_[v];
    Link& parent = nodes_[link.parent];
    (link.previous == none ? parent.first : nodes_[link.previous].next) = link.next;
    (link.next == none ? parent.last : nodes_[link.next].previous) = link.previous;
    const Node above = link.parent;
    link.parent = none;
    link.next = none;
    link.previous = none;
    update_upwards(above);
}

double SendTree::tail_from_children(Node v) {
    if (costs_->ports() > 1) return tail_with_ports(v, none, none);
    double free = 0;
    double last = 0;
    for (Node c = nodes_[v].first; c != none; c = nodes_[c].next) {
        last = std::max(last, free + nodes_[c].delivery + nodes_[c].tail);
        free += nodes_[c].gap;
    }
    return std::max(last, free + costs_->inner(v));
}

double SendTree::tail_with_ports(Node v, Node extra, Node before) {
    ports_.assign(costs_->ports(), 0.0);
    double last = 0;
    const auto send = [&](double gap, double delivery, double tail) {
        double& port = *std::min_element(ports_.begin(), ports_.end());
        const double start = port;
        last = std::max(last, start + delivery + tail);
        port += gap;
        return start;
    };
    const auto send_extra = [&] {
        const auto [gap, delivery] = costs_->into(extra)[v];
        send(gap, delivery, nodes_[extra].tail);
    };
    for (Node c = nodes_[v].first; c != none; c = nodes_[c].next) {
        if (extra != none && c == before) send_extra();
        const double start = send(nodes_[c].gap, nodes_[c].delivery, nodes_[c].tail);
        if (extra == none) nodes_[c].offset = start;
    }
    if (extra != none && before == none) send_extra();
    return std::max(last, *std::max_element(ports_.begin(), ports_.end()) + costs_->inner(v));
}

SendTree::Place SendTree::best_place(Node v, std::uint64_t& steps) {
    const Costs::Cost* cost = costs_->into(v);
    const double tail = nodes_[v].tail;
    double least = infinity;
    Place best;
    const auto offer = [&](double end, Place place) {
        ++steps;
        if (end >= least) return;
        least = end;
        best = place;
    };
    nodes_[costs_->root()].receipt = 0;
    stack_.clear();
    stack_.push_back(costs_->root());
    while (!stack_.empty()) {
        const Node q = stack_.back();
        stack_.pop_back();
        const Link& sender = nodes_[q];
        const auto [gap, delivery] = cost[q];
        // Nothing at or below q can be better.
        if (sender.receipt + tail >= least) continue;
        double free = sender.receipt;
        for (Node c = sender.first; c != none; c = nodes_[c].next) {
            Link& child = nodes_[c];
            child.start = costs_->ports() == 1 ? free : sender.receipt + child.offset;
            child.receipt = child.start + child.delivery;
            free += child.gap;
            stack_.push_back(c);
        }
        if (costs_->ports() > 1) {
            offer_with_ports(v, q, offer);
            continue;
        }
        double later = free + costs_->inner(q);
        offer(std::max(later + gap, free + delivery + tail), {q, none});
        for (Node c = sender.last; c != none; c = nodes_[c].previous) {
            const Link& child = nodes_[c];
            later = std::max(later, child.receipt + child.tail);
            offer(std::max(later + gap, child.start + delivery + tail), {q, c});
        }
    }
    return best;
}

void SendTree::update_upwards(Node v) {
    for (; v != none; v = nodes_[v].parent) {
        const double tail = tail_from_children(v);
        if (tail == nodes_[v].tail) return;  // offsets above don't depend on it either
        nodes_[v].tail = tail;
    }
}

void SendTree::critical_path(std::vector<Node>& path) const {
    path.clear();
    for (Node v = costs_->root(); v != none;) {
        path.push_back(v);
        double free = 0;
        Node decides = none;
        for (Node c = nodes_[v].first; c != none; c = nodes_[c].next) {
            const double start = costs_->ports() == 1 ? free : nodes_[c].offset;
            if (start + nodes_[c].delivery + nodes_[c].tail == nodes_[v].tail) decides = c;
            free += nodes_[c].gap;
        }
        v = decides;
    }
}

}  // namespace espalier::plan::grid
