#pragma once

#include "ring/problem.hpp"

#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace espalier::ring {

/// The searches for paths on a platform: the widest ones, and the shortest ones over links that are
/// wide enough, by Dijkstra's method. Routers that lead nowhere are left out, and no path passes
/// through a host with one neighbour, so that a search visits only the rest: of the platforms of
/// legrand-2003, 5.1, about a third. `left`, `lengths` and `bandwidths` are indexed by link; what
/// is left of a backbone is its bandwidth.
class PathSearch {
public:
    /// `fixed`, when given, has the only path of each pair.
    PathSearch(const Platform& platform, const RouteTable* fixed);

    /// Whether a path has the same width in both directions, whatever is left.
    [[nodiscard]] bool is_symmetric() const { return symmetric_; }
    /// Writes to widths[h] how wide the widest path from `from` is to each host h of `others`; to
    /// `from` itself is infinitely wide.
    void find_widths_from(std::span<const double> left, Host from, std::span<const Host> others,
                          std::span<double> widths);
    void find_widths_to(std::span<const double> left, Host to, std::span<const Host> others,
                        std::span<double> widths);
    /// The best paths of one host to all, or of all to it, over links of which at least a width is
    /// left: by latency, number of links, and their numbers.
    class Tree;
    enum class Direction { from, to };
    void find_tree(std::span<const double> left, Host end, Direction direction, double width,
                   Tree& tree);
    /// Likewise from one host over all links, by the sum of `lengths` >= 0, which must outlive the
    /// tree. Not where there are fixed paths.
    void find_shortest(std::span<const double> lengths, Host from, Tree& tree);
    /// The widest path between the tree's host and another one, given its width > 0, if the tree
    /// has it: the best path over more links than are wide enough is also the best over fewer, if
    /// it happens to keep to those.
    [[nodiscard]] std::optional<Path> follow(const Tree& tree, std::span<const double> left,
                                             Host other, double width) const;
    /// In a tree of find_shortest(): how long the path to the host is, and its links, in no order.
    [[nodiscard]] double length_to(const Tree& tree, Host to) const;
    template <typename Visit>
    void for_each_link(const Tree& tree, Host to, const Visit& visit) const;
    /// The least latency between any two hosts.
    [[nodiscard]] Matrix<double> least_latencies();

    /// Steps spent since the last call, for a Meter.
    [[nodiscard]] std::uint64_t take_steps() { return std::exchange(steps_, 0); }

private:
    /// A vertex of those that are searched; or, of a host at the end of a path, its place in ends_.
    using Node = std::uint32_t;
    static constexpr Node nobody = std::numeric_limits<Node>::max();
    struct Arc {
        Node to = 0;  ///< in lists of arriving arcs: where it comes from
        LinkId link = 0;
    };
    struct Ends {
        Node node = nobody;        ///< of a host that paths may pass through
        std::vector<Arc> leaving;  ///< of one that ends all its paths
        std::vector<Arc> arriving;
    };
    using Arcs = std::vector<std::vector<Arc>>;
    struct Open {
        double length = 0;
        std::uint32_t links = 0;
        Node node = 0;
    };

    void find_widths(std::span<const double> left, const Arcs& arcs, const Ends& end,
                     std::vector<Arc> Ends::*start, std::vector<Arc> Ends::*finish,
                     std::span<const Host> others, std::span<double> widths);
    [[nodiscard]] double fixed_width(std::span<const double> left, const Path& path) const;
    void grow(std::span<const double> left, Tree& tree);
    /// The best of the links at an end that are so wide; nullptr: there is none.
    [[nodiscard]] const Arc* last_arc(const Tree& tree, std::span<const double> left, Host other,
                                      double width) const;

    const Platform& platform_;
    const RouteTable* fixed_;
    std::vector<double> latencies_;  ///< of each link
    bool symmetric_ = true;
    std::size_t nodes_ = 0;
    Arcs leaving_;
    Arcs arriving_;
    std::vector<Ends> ends_;  ///< of each host
    std::vector<std::pair<double, Node>> open_widths_;
    std::vector<double> best_;
    std::vector<Open> open_;
    std::uint64_t steps_ = 0;
};

class PathSearch::Tree {
public:
    [[nodiscard]] double width() const { return width_; }

private:
    friend class PathSearch;
    struct Reached {
        double length = std::numeric_limits<double>::infinity();
        std::uint32_t links = std::numeric_limits<std::uint32_t>::max();
        Node next = nobody;  ///< on the way back to the tree's host
        LinkId by = 0;
        double width = 0;
    };
    [[nodiscard]] bool has_lower_numbers(Reached a, Reached b) const;

    std::span<const double> lengths_;  ///< of each link
    double width_ = 0;
    Direction direction_ = Direction::from;
    Host end_ = 0;
    std::vector<Reached> reached_;  ///< the last one: the tree's host, if it ends all its paths
};

template <typename Visit>
void PathSearch::for_each_link(const Tree& tree, Host to, const Visit& visit) const {
    Node node = ends_[to].node;
    if (to == tree.end_) return;
    if (node == nobody) {
        const Arc& last = *last_arc(tree, tree.lengths_, to, 0);
        visit(last.link);
        node = last.to;
    }
    for (; tree.reached_[node].next != nobody; node = tree.reached_[node].next)
        visit(tree.reached_[node].by);
}

}  // namespace espalier::ring
