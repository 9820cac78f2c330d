#pragma once

#include "plan/composed/edge_uses.hpp"
#include "plan/composed/level_tree.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::composed {

/// The roots of trees, and whom each node of each has above it: Forest::nobody() where it has no
/// one.
struct Trees {
    std::vector<std::size_t> roots;
    std::vector<std::vector<std::size_t>> parents;
};

/// Trees that carry parts of a message, or several, at the same time, segment after segment, and
/// what they ask together of ports and shared capacities. Changes can be taken back, so that a
/// search may try them out.
class Forest {
public:
    /// What one part of the message passes: a tree up to a centre, one down from it, or both.
    enum class Directions { down, up, both };
    /// How trees that share a port or a capacity divide it: in equal parts, or so that the last
    /// segments of all of them arrive at the same time, for which deeper trees get more (for trees
    /// down or up alone).
    enum class Pace { alike, by_depth };

    /// `uses` must outlive it.
    explicit Forest(const EdgeUses& uses, Directions directions, Pace pace = Pace::alike);

    /// Adds a part of so many messages, whose trees have only this root so far.
    void add(std::size_t root, double messages);
    /// All trees become those, of as many nodes; and are written there. What moved is forgotten.
    void take(const Trees& trees);
    void write(Trees& trees) const;
    [[nodiscard]] Directions directions() const { return directions_; }
    [[nodiscard]] std::size_t trees() const { return trees_.size(); }
    [[nodiscard]] std::size_t nodes() const { return uses_->nodes(); }
    [[nodiscard]] std::size_t root(std::size_t tree) const { return trees_[tree].root; }
    [[nodiscard]] Direction direction(std::size_t tree) const { return trees_[tree].direction; }
    [[nodiscard]] static constexpr std::size_t nobody() { return static_cast<std::size_t>(-1); }
    /// Nobody's: the root, and what is not in the tree yet.
    [[nodiscard]] std::size_t parent(std::size_t tree, std::size_t node) const {
        return trees_[tree].parent[node];
    }
    [[nodiscard]] bool is_below(std::size_t tree, std::size_t node, std::size_t above) const;
    /// Whether a message can go between them, in the direction of the tree's data.
    [[nodiscard]] bool can_join(std::size_t tree, std::size_t parent, std::size_t child) const;

    /// Of a message between them, in seconds: how long its sender is busy with it, and how long it
    /// takes in all.
    [[nodiscard]] double gap(std::size_t tree, std::size_t parent, std::size_t child) const {
        return gap(trees_[tree], parent, child);
    }
    [[nodiscard]] double time_of(std::size_t tree, std::size_t parent, std::size_t child) const {
        return gap(tree, parent, child) + latency(trees_[tree], parent, child);
    }

    /// The node and what is below it hang under another parent, or under nobody.
    void move(std::size_t tree, std::size_t node, std::size_t parent);
    /// The node becomes the root: the way from there to it is turned round.
    void move_root(std::size_t tree, std::size_t node);
    /// Forgets what was moved so far, or takes it all back.
    void keep() { moves_.clear(); }
    void take_back();

    /// About when the last segment is everywhere, in seconds: the longest, over all nodes of all
    /// trees, that a first segment is on its way there, and that the busiest port or capacity on
    /// this way then needs for all that follows. By depth: the longest, over all ports and
    /// capacities, that they are busy, and that a segment is on the ways that pass there, on
    /// average.
    [[nodiscard]] double estimate();
    /// Of a tree's first segment to the last node that gets it, in seconds; by the last estimate().
    [[nodiscard]] double depth(std::size_t tree) const { return trees_[tree].deepest; }
    /// The p-norm (p = 12) of the times, in seconds, for which ports and capacities are busy: a
    /// smooth upper bound of the greatest of them.
    [[nodiscard]] double crowding() const;
    /// The sum of these times for each node, in seconds.
    [[nodiscard]] double effort() const { return all_ / static_cast<double>(nodes()); }
    /// Has crowding() and effort() count anew, without what rounding has added up to.
    void recount();
    /// How long the busiest was busy by the last estimate(), in seconds, and who kept it so: the
    /// child of a message on it.
    struct Busiest {
        double load = 0;
        std::size_t tree = 0;
        std::size_t child = 0;
    };
    [[nodiscard]] const Busiest& busiest() const { return busiest_; }
    /// How long each port and capacity is busy, and the busiest of them, in seconds.
    [[nodiscard]] const std::vector<double>& loads() const { return load_; }
    [[nodiscard]] double busiest_load() const;
    /// What a message between the two, if the tree has one, keeps busy.
    [[nodiscard]] std::span<const EdgeUses::Use> uses(std::size_t tree, std::size_t parent,
                                                      std::size_t child) const;
    /// How busy the busiest of these would be with one tree's messages more.
    [[nodiscard]] double load_with(std::size_t tree, std::size_t parent, std::size_t child) const;

    /// The trees of a part: for segments that go up, down, or both.
    [[nodiscard]] Tree tree(std::size_t tree) const;

private:
    /// A message, as often looked at as it is.
    struct Edge {
        double gap = 0;
        double latency = 0;
        std::span<const EdgeUses::Use> uses;
    };
    struct OneTree {
        Direction direction = Direction::down;
        std::size_t root = 0;
        double messages = 1;
        std::vector<std::size_t> parent;
        std::vector<Edge> edge;          ///< of each node, from or to its parent
        std::vector<double> sending;     ///< of each node, the gaps to all its children
        std::vector<std::size_t> order;  ///< parents first
        bool is_ordered = false;
        std::vector<double> depth;
        double deepest = 0;
    };
    struct Move {
        std::size_t tree = 0;
        std::size_t node = 0;
        std::size_t parent = 0;
        std::size_t root = 0;
    };

    void put(std::size_t tree, std::size_t node, std::size_t parent);
    void carry(const Edge& edge, double messages);
    void set_in_order(OneTree& tree);
    [[nodiscard]] double estimate_by_depth();
    [[nodiscard]] double gap(const OneTree& tree, std::size_t parent, std::size_t child) const;
    [[nodiscard]] double latency(const OneTree& tree, std::size_t parent, std::size_t child) const;

    const EdgeUses* uses_;
    Directions directions_;
    Pace pace_;
    std::vector<OneTree> trees_;
    std::vector<double> load_;  ///< by resource, in seconds
    std::vector<Move> moves_;
    std::vector<double> busiest_above_;
    Busiest busiest_;
    double usual_ = 1;  ///< the load of which crowd_ has powers
    double crowd_ = 0;
    double all_ = 0;
    std::vector<std::size_t> next_;  ///< of set_in_order
    std::vector<std::size_t> first_;
    /// For each resource: its load, the sum over its messages of load times the depth of their
    /// path, and one edge (tree, child) on it.
    struct Through {
        double load = 0;
        double weighed = 0;
        std::size_t tree = 0;
        std::size_t child = 0;
    };
    std::vector<Through> trees_through_;
    double crowd_by_depth_ = 0;  ///< powers as in crowd_, by the last estimate
};

}  // namespace espalier::plan::composed
