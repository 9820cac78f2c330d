#include "ring/path_search.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <tuple>

namespace espalier::ring {
PathSearch::PathSearch(const Platform& platform, const RouteTable* fixed)
    : platform_(platform),
      fixed_(fixed),
      arriving_(platform.vertices()),
      is_end_(platform.vertices(), 1) {
    for (LinkId link = 0; link < platform.links(); ++link)
        latencies_.push_back(platform.link(link).latency);
    if (fixed_ != nullptr) {
        symmetric_ = false;
        return;
    }
    std::vector<int> directions(platform.links(), 0);
    std::vector<Vertex> neighbour(platform.vertices(), nobody);
    const auto join = [&](Vertex one, Vertex other) {
        if (one == other) return;
        if (neighbour[one] != nobody && neighbour[one] != other) is_end_[one] = 0;
        neighbour[one] = other;
    };
    for (Vertex from = 0; from < platform.vertices(); ++from) {
        for (const auto& arc : platform.leaving(from)) {
            ++directions[arc.link];
            arriving_[arc.to].push_back({from, arc.link});
            join(from, arc.to);
            join(arc.to, from);
        }
    }
    symmetric_ = std::ranges::count(directions, 1) == 0;
}

void PathSearch::find_widths(std::span<const double> left, Host end, Direction direction,
                             std::span<const Host> others, std::span<double> widths) {
    const bool from = direction == Direction::from;
    if (fixed_ != nullptr) {
        for (const Host other : others) {
            const Path& path = from ? (*fixed_)(end, other) : (*fixed_)(other, end);
            steps_ += path.size();
            widths[other] = infinity;
            for (const LinkId link : path) {
                const auto times = platform_.link(link).shared ? std::ranges::count(path, link) : 1;
                widths[other] = std::min(widths[other], left[link] / static_cast<double>(times));
            }
        }
        return;
    }
    const Arcs& arcs = from ? platform_.leaving() : arriving_;
    const Vertex start = platform_.vertex_of(end);
    best_.assign(platform_.vertices(), 0);
    best_[start] = infinity;
    open_widths_.assign(1, {infinity, start});
    while (!open_widths_.empty()) {
        std::ranges::pop_heap(open_widths_);
        const auto [width, vertex] = open_widths_.back();
        open_widths_.pop_back();
        if (width < best_[vertex]) continue;
        steps_ += arcs[vertex].size();
        for (const auto& arc : arcs[vertex]) {
            const double next = std::min(width, left[arc.link]);
            if (next <= best_[arc.to]) continue;
            best_[arc.to] = next;
            if (is_end_[arc.to] != 0) continue;
            open_widths_.emplace_back(next, arc.to);
            std::ranges::push_heap(open_widths_);
        }
    }
    for (const Host host : others) widths[host] = best_[platform_.vertex_of(host)];
    steps_ += others.size();
}

/// Two paths of as many links each lead between the tree's host and one vertex: whether `a` has the
/// lower number where they first differ.
bool PathSearch::Tree::has_lower_numbers(Reached a, Reached b) const {
    bool lower = a.by < b.by;
    if (direction_ == Direction::to) return lower;  // it is the first link of all
    while (a.next != b.next) {
        a = reached_[a.next];
        b = reached_[b.next];
        if (a.by != b.by) lower = a.by < b.by;
    }
    return lower;
}

void PathSearch::find_tree(std::span<const double> left, Host end, Direction direction,
                           double width, Tree& tree) {
    tree.width_ = width;
    tree.direction_ = direction;
    tree.end_ = end;
    if (fixed_ == nullptr) grow(left, latencies_, tree);
}

void PathSearch::find_shortest(std::span<const double> lengths, Host from, Tree& tree) {
    tree.width_ = 0;
    tree.direction_ = Direction::from;
    tree.end_ = from;
    grow(lengths, lengths, tree);  // none is less than 0: all links are wide enough
}

void PathSearch::grow(std::span<const double> left, std::span<const double> lengths, Tree& tree) {
    const auto later = [](const Open& a, const Open& b) {
        return std::tie(a.length, a.links) > std::tie(b.length, b.links);
    };
    const Vertex start = platform_.vertex_of(tree.end_);
    const Arcs& arcs = tree.direction_ == Direction::from ? platform_.leaving() : arriving_;
    tree.reached_.assign(platform_.vertices(), Tree::Reached{});
    tree.reached_[start] = {0, 0, nobody, 0, infinity};
    open_.assign(1, {0, 0, start});
    while (!open_.empty()) {
        std::ranges::pop_heap(open_, later);
        const Open best = open_.back();
        open_.pop_back();
        const Tree::Reached at = tree.reached_[best.vertex];
        if (std::tie(at.length, at.links) < std::tie(best.length, best.links)) continue;
        steps_ += arcs[best.vertex].size();
        for (const auto& arc : arcs[best.vertex]) {
            if (left[arc.link] < tree.width_) continue;
            const Tree::Reached next{best.length + lengths[arc.link], best.links + 1, best.vertex,
                                     arc.link, std::min(at.width, left[arc.link])};
            Tree::Reached& known = tree.reached_[arc.to];
            const auto was = std::tie(known.length, known.links);
            const auto is = std::tie(next.length, next.links);
            const bool shorter = is < was;
            if (!shorter && (is != was || !tree.has_lower_numbers(next, known))) continue;
            known = next;
            if (!shorter || is_end_[arc.to] != 0) continue;
            open_.push_back({next.length, next.links, arc.to});
            std::ranges::push_heap(open_, later);
        }
    }
}

std::optional<Path> PathSearch::follow(const Tree& tree, Host other, double width) const {
    const bool from = tree.direction_ == Direction::from;
    if (fixed_ != nullptr) return from ? (*fixed_)(tree.end_, other) : (*fixed_)(other, tree.end_);
    const Tree::Reached& reached = tree.reached_[platform_.vertex_of(other)];
    if (reached.width < width) return std::nullopt;
    Path path;
    path.reserve(reached.links);
    for_each_link(tree, other, [&](LinkId link) { path.push_back(link); });
    if (from) std::ranges::reverse(path);
    return path;
}

double PathSearch::length_to(const Tree& tree, Host to) const {
    return tree.reached_[platform_.vertex_of(to)].length;
}

Matrix<double> PathSearch::least_latencies() {
    const std::size_t hosts = platform_.hosts();
    Matrix<double> least(hosts, hosts, 0);
    Tree tree;
    for (Host from = 0; from < hosts; ++from) {
        if (fixed_ == nullptr) find_shortest(latencies_, from, tree);
        for (Host to = 0; to < hosts; ++to) {
            if (to == from) continue;
            if (fixed_ == nullptr)
                least(from, to) = length_to(tree, to);
            else
                for (const LinkId link : (*fixed_)(from, to)) least(from, to) += latencies_[link];
        }
    }
    return least;
}

}  // namespace espalier::ring
