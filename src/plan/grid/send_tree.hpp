#pragma once

#include "plan/grid/problem.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace espalier::plan::grid {

/// The tree of an order of sends, for searches that change it a little and ask for its makespan
/// again.
///
/// It keeps what does not depend on when a cluster is served: tail(v), from v's receipt to the end
/// of the last inner broadcast at or below v. So a change is felt by the ancestors alone, and one
/// walk over the tree finds the best place of all for a branch. A Problem must outlive its trees;
/// trees of one Problem can be assigned to each other without allocating.
class SendTree {
public:
    using Node = std::uint32_t;
    static constexpr Node none = ~Node{0};

    /// The costs of a Problem as the walks read them: sender by sender for each receiver.
    class Costs {
    public:
        explicit Costs(const Problem& problem);

        [[nodiscard]] std::size_t size() const { return inner_.size(); }
        [[nodiscard]] Node root() const { return root_; }
        [[nodiscard]] std::size_t ports() const { return ports_; }
        [[nodiscard]] double inner(Node v) const { return inner_[v]; }
        [[nodiscard]] double gap(Node from, Node to) const { return into(to)[from].gap; }
        [[nodiscard]] double delivery(Node from, Node to) const { return into(to)[from].delivery; }

        struct Cost {
            double gap = 0;
            double delivery = 0;
        };
        /// The costs into a cluster, by sender.
        [[nodiscard]] const Cost* into(Node to) const { return &into_[to * inner_.size()]; }

    private:
        std::vector<Cost> into_;
        std::vector<double> inner_;
        Node root_;
        std::size_t ports_;
    };

    /// The root alone.
    explicit SendTree(const Costs& costs);
    SendTree(const Costs& costs, const Order& order);

    [[nodiscard]] double makespan() const { return nodes_[costs_->root()].tail; }
    [[nodiscard]] double tail(Node v) const { return nodes_[v].tail; }
    [[nodiscard]] Node parent(Node v) const { return nodes_[v].parent; }
    [[nodiscard]] Node first_child(Node v) const { return nodes_[v].first; }
    [[nodiscard]] Node next_sibling(Node v) const { return nodes_[v].next; }
    [[nodiscard]] Order order() const;

    /// A place for a branch: as a child of `parent`, before its child `before` (none: after all).
    struct Place {
        Node parent = none;
        Node before = none;
    };
    /// Makes v (with what is below it) a child; it must be detached.
    void attach(Node v, Place place);
    /// Takes v out, with what is below it.
    void detach(Node v);

    /// Where a detached branch makes the least of what it moves or adds end last. Adds the places
    /// that it looked at to `steps`.
    [[nodiscard]] Place best_place(Node v, std::uint64_t& steps);

    /// The clusters that decide the makespan, from the root on down.
    void critical_path(std::vector<Node>& path) const;

private:
    struct Link {
        Node parent = none;
        Node first = none;
        Node last = none;
        Node next = none;
        Node previous = none;
        double gap = 0;  ///< of the send to it
        double delivery = 0;
        double tail = 0;
        double receipt = 0;  ///< as of the last walk
        double start = 0;
        double offset = 0;  ///< of the send to it, after its parent's receipt; where ports() > 1
    };

    [[nodiscard]] double tail_from_children(Node v);
    /// The same with several ports: each send takes the one that is free first. `extra`, where
    /// there is one, is sent to before `before`.
    [[nodiscard]] double tail_with_ports(Node v, Node extra, Node before);
    void update_upwards(Node v);

    template <typename Offer>
    void offer_with_ports(Node v, Node parent, Offer offer) {
        const double receipt = nodes_[parent].receipt;
        offer(receipt + tail_with_ports(parent, v, none), Place{parent, none});
        for (Node c = nodes_[parent].last; c != none; c = nodes_[c].previous)
            offer(receipt + tail_with_ports(parent, v, c), Place{parent, c});
    }

    const Costs* costs_;
    std::vector<Link> nodes_;
    std::vector<Node> stack_;
    std::vector<double> ports_;
};

}  // namespace espalier::plan::grid
