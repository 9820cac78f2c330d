#pragma once

#include "core/infinity.hpp"
#include "ring/problem.hpp"

#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace espalier::ring {

/// The searches for paths on a platform: the widest ones, and the shortest ones over links that are
/// wide enough, by Dijkstra's method. Vertices with one neighbour are never gone on from. `left`
/// and `lengths` are indexed by link; what is left of a backbone is its bandwidth.
class PathSearch {
public:
    /// `fixed`, when given, has the only path of each pair.
    PathSearch(const Platform& platform, const RouteTable* fixed);

    /// Whether a path has the same width in both directions, whatever is left.
    [[nodiscard]] bool is_symmetric() const { return symmetric_; }
    /// Whether paths lead from a host to all, or from all to it.
    enum class Direction { from, to };
    /// Writes to widths[h] how wide the widest path between `end` and each host h of `others` is;
    /// to itself it is infinitely wide.
    void find_widths(std::span<const double> left, Host end, Direction direction,
                     std::span<const Host> others, std::span<double> widths);
    /// The best paths of one host to all, or of all to it, over links of which at least a width is
    /// left: by latency, number of links, and their numbers.
    class Tree;
    void find_tree(std::span<const double> left, Host end, Direction direction, double width,
                   Tree& tree);
    /// Finds the shortest paths from one host over all links, by the sum of `lengths` >= 0. Not for
    /// networks with fixed paths.
    void find_shortest(std::span<const double> lengths, Host from, Tree& tree);
    /// The widest path between the tree's host and another one, given its width > 0, if the tree
    /// has it: the best path over more links than are wide enough is also the best over fewer, if
    /// it happens to keep to those.
    [[nodiscard]] std::optional<Path> follow(const Tree& tree, Host other, double width) const;
    /// The length of the path to the host in a tree of find_shortest().
    [[nodiscard]] double length_to(const Tree& tree, Host to) const;
    template <typename Visit>
    void for_each_link(const Tree& tree, Host to, const Visit& visit) const;
    /// The least latency between any two hosts.
    [[nodiscard]] Matrix<double> least_latencies();

    /// Steps spent since the last call, for a Meter.
    [[nodiscard]] std::uint64_t take_steps() { return std::exchange(steps_, 0); }

private:
    static constexpr Vertex nobody = std::numeric_limits<Vertex>::max();
    using Arcs = Platform::Arcs;
    struct Open {
        double length = 0;
        std::uint32_t links = 0;
        Vertex vertex = 0;
    };

    void grow(std::span<const double> left, std::span<const double> lengths, Tree& tree);

    const Platform& platform_;
    const RouteTable* fixed_;
    std::vector<double> latencies_;  ///< of each link
    bool symmetric_ = true;
    Arcs arriving_;             ///< `to` is where they come from
    std::vector<char> is_end_;  ///< by vertex: no path passes through it
    std::vector<std::pair<double, Vertex>> open_widths_;
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
        double length = infinity;
        std::uint32_t links = std::numeric_limits<std::uint32_t>::max();
        Vertex next = nobody;  ///< on the way back to the tree's host
        LinkId by = 0;
        double width = 0;
    };
    [[nodiscard]] bool has_lower_numbers(Reached a, Reached b) const;

    double width_ = 0;
    Direction direction_ = Direction::from;
    Host end_ = 0;
    std::vector<Reached> reached_;  ///< by vertex
};

template <typename Visit>
void PathSearch::for_each_link(const Tree& tree, Host to, const Visit& visit) const {
    for (Vertex vertex = platform_.vertex_of(to); tree.reached_[vertex].next != nobody;
         vertex = tree.reached_[vertex].next)
        visit(tree.reached_[vertex].by);
}

}  // namespace espalier::ring
