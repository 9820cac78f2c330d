#include "ring/path_search.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace espalier::ring {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Neighbours = std::vector<std::vector<Vertex>>;

Neighbours neighbours(const Platform& platform) {
    Neighbours next(platform.vertices());
    for (Vertex vertex = 0; vertex < platform.vertices(); ++vertex) {
        for (const auto& arc : platform.leaving(vertex)) {
            if (arc.to == vertex) continue;
            next[vertex].push_back(arc.to);
            next[arc.to].push_back(vertex);
        }
    }
    for (auto& list : next) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return next;
}

/// Takes away, again and again, routers that have at most one neighbour.
void drop_dead_ends(Neighbours& next, const std::vector<char>& is_host) {
    std::vector<Vertex> doubtful;
    for (Vertex vertex = 0; vertex < next.size(); ++vertex) doubtful.push_back(vertex);
    while (!doubtful.empty()) {
        const Vertex vertex = doubtful.back();
        doubtful.pop_back();
        if (is_host[vertex] != 0 || next[vertex].size() > 1) continue;
        for (const Vertex other : next[vertex]) {
            std::erase(next[other], vertex);
            doubtful.push_back(other);
        }
        next[vertex].clear();
    }
}

}  // namespace

PathSearch::PathSearch(const Platform& platform, const RouteTable* fixed)
    : platform_(platform), fixed_(fixed), ends_(platform.hosts()) {
    for (LinkId link = 0; link < platform.links(); ++link)
        latencies_.push_back(platform.link(link).latency);
    if (fixed_ != nullptr) {
        symmetric_ = false;
        return;
    }
    std::vector<char> is_host(platform.vertices(), 0);
    for (Host host = 0; host < platform.hosts(); ++host) is_host[platform.vertex_of(host)] = 1;
    Neighbours next = neighbours(platform);
    drop_dead_ends(next, is_host);

    std::vector<Ends*> end_of(platform.vertices(), nullptr);
    for (Host host = 0; host < platform.hosts(); ++host) {
        const Vertex vertex = platform.vertex_of(host);
        if (next[vertex].size() == 1 && end_of[next[vertex].front()] == nullptr)
            end_of[vertex] = &ends_[host];
    }
    std::vector<Node> node_of(platform.vertices(), nobody);
    for (Vertex vertex = 0; vertex < platform.vertices(); ++vertex)
        if (end_of[vertex] == nullptr && (is_host[vertex] != 0 || !next[vertex].empty()))
            node_of[vertex] = static_cast<Node>(nodes_++);
    for (Host host = 0; host < platform.hosts(); ++host)
        ends_[host].node = node_of[platform.vertex_of(host)];

    leaving_.resize(nodes_);
    arriving_.resize(nodes_);
    std::vector<int> directions(platform.links(), 0);
    for (Vertex from = 0; from < platform.vertices(); ++from) {
        for (const auto& arc : platform.leaving(from)) {
            ++directions[arc.link];
            const bool known_from = end_of[from] != nullptr || node_of[from] != nobody;
            const bool known_to = end_of[arc.to] != nullptr || node_of[arc.to] != nobody;
            if (!known_from || !known_to || arc.to == from) continue;
            if (end_of[from] != nullptr)
                end_of[from]->leaving.push_back({node_of[arc.to], arc.link});
            else if (end_of[arc.to] != nullptr)
                end_of[arc.to]->arriving.push_back({node_of[from], arc.link});
            else {
                leaving_[node_of[from]].push_back({node_of[arc.to], arc.link});
                arriving_[node_of[arc.to]].push_back({node_of[from], arc.link});
            }
        }
    }
    symmetric_ = std::ranges::count(directions, 1) == 0;
    best_.resize(nodes_);
}

double PathSearch::fixed_width(std::span<const double> left, const Path& path) const {
    double width = infinity;
    for (const LinkId link : path) {
        const auto times = platform_.link(link).shared ? std::ranges::count(path, link) : 1;
        width = std::min(width, left[link] / static_cast<double>(times));
    }
    return width;
}

void PathSearch::find_widths(std::span<const double> left, const Arcs& arcs, const Ends& end,
                             std::vector<Arc> Ends::*start, std::vector<Arc> Ends::*finish,
                             std::span<const Host> others, std::span<double> widths) {
    std::ranges::fill(best_, 0);
    open_widths_.clear();
    const auto reach = [&](Node node, double width) {
        if (width <= best_[node]) return;
        best_[node] = width;
        open_widths_.emplace_back(width, node);
        std::ranges::push_heap(open_widths_);
    };
    if (end.node != nobody) reach(end.node, infinity);
    for (const Arc& arc : end.*start) reach(arc.to, left[arc.link]);
    while (!open_widths_.empty()) {
        std::ranges::pop_heap(open_widths_);
        const auto [width, node] = open_widths_.back();
        open_widths_.pop_back();
        if (width < best_[node]) continue;
        steps_ += arcs[node].size();
        for (const Arc& arc : arcs[node]) reach(arc.to, std::min(width, left[arc.link]));
    }
    for (const Host host : others) {
        const Ends& other = ends_[host];
        double width = &other == &end ? infinity : 0;
        if (other.node != nobody) width = best_[other.node];
        for (const Arc& arc : other.*finish)
            width = std::max(width, std::min(best_[arc.to], left[arc.link]));
        widths[host] = width;
    }
    steps_ += others.size();
}

void PathSearch::find_widths_from(std::span<const double> left, Host from,
                                  std::span<const Host> others, std::span<double> widths) {
    if (fixed_ == nullptr)
        return find_widths(left, leaving_, ends_[from], &Ends::leaving, &Ends::arriving, others,
                           widths);
    for (const Host to : others) {
        const Path& path = (*fixed_)(from, to);
        steps_ += path.size();
        widths[to] = from == to ? infinity : fixed_width(left, path);
    }
}

void PathSearch::find_widths_to(std::span<const double> left, Host to, std::span<const Host> others,
                                std::span<double> widths) {
    if (fixed_ == nullptr)
        return find_widths(left, arriving_, ends_[to], &Ends::arriving, &Ends::leaving, others,
                           widths);
    for (const Host from : others) {
        const Path& path = (*fixed_)(from, to);
        steps_ += path.size();
        widths[from] = from == to ? infinity : fixed_width(left, path);
    }
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
    tree.lengths_ = latencies_;
    tree.width_ = width;
    tree.direction_ = direction;
    tree.end_ = end;
    if (fixed_ == nullptr) grow(left, tree);
}

void PathSearch::find_shortest(std::span<const double> lengths, Host from, Tree& tree) {
    tree.lengths_ = lengths;
    tree.width_ = 0;
    tree.direction_ = Direction::from;
    tree.end_ = from;
    grow(lengths, tree);  // none is less than 0: all links are wide enough
}

void PathSearch::grow(std::span<const double> left, Tree& tree) {
    const auto later = [](const Open& a, const Open& b) {
        return std::tie(a.length, a.links) > std::tie(b.length, b.links);
    };
    const Ends& end = ends_[tree.end_];
    const bool from = tree.direction_ == Direction::from;
    const Node start = end.node != nobody ? end.node : static_cast<Node>(nodes_);
    const Arcs& arcs = from ? leaving_ : arriving_;
    const auto& first_arcs = end.node != nobody ? arcs[start] : from ? end.leaving : end.arriving;
    tree.reached_.assign(nodes_ + 1, Tree::Reached{});
    tree.reached_[start] = {0, 0, nobody, 0, infinity};
    open_.assign(1, {0, 0, start});
    while (!open_.empty()) {
        std::ranges::pop_heap(open_, later);
        const Open best = open_.back();
        open_.pop_back();
        const Tree::Reached at = tree.reached_[best.node];
        if (std::tie(at.length, at.links) < std::tie(best.length, best.links)) continue;
        const auto& next_arcs = best.node == start ? first_arcs : arcs[best.node];
        steps_ += next_arcs.size();
        for (const Arc& arc : next_arcs) {
            if (left[arc.link] < tree.width_) continue;
            const Tree::Reached next{best.length + tree.lengths_[arc.link], best.links + 1,
                                     best.node, arc.link, std::min(at.width, left[arc.link])};
            Tree::Reached& known = tree.reached_[arc.to];
            const auto was = std::tie(known.length, known.links);
            const auto is = std::tie(next.length, next.links);
            if (is < was) {
                known = next;
                open_.push_back({next.length, next.links, arc.to});
                std::ranges::push_heap(open_, later);
            } else if (is == was && tree.has_lower_numbers(next, known)) {
                known = next;
            }
        }
    }
}

const PathSearch::Arc* PathSearch::last_arc(const Tree& tree, std::span<const double> left,
                                            Host other, double width) const {
    const Ends& ends = ends_[other];
    const Arc* last = nullptr;
    for (const Arc& arc : tree.direction_ == Direction::from ? ends.arriving : ends.leaving) {
        if (left[arc.link] < width) continue;
        const auto rank = [&](const Arc& one) {
            return std::pair(tree.lengths_[one.link], one.link);
        };
        if (last == nullptr || rank(arc) < rank(*last)) last = &arc;
    }
    return last;
}

std::optional<Path> PathSearch::follow(const Tree& tree, std::span<const double> left, Host other,
                                       double width) const {
    const bool from = tree.direction_ == Direction::from;
    if (fixed_ != nullptr) return from ? (*fixed_)(tree.end_, other) : (*fixed_)(other, tree.end_);
    Node node = ends_[other].node;
    const Arc* last = nullptr;
    if (node == nobody) {
        last = last_arc(tree, left, other, width);
        if (last == nullptr) return std::nullopt;
        node = last->to;
    }
    if (tree.reached_[node].width < width) return std::nullopt;
    Path path;
    path.reserve(tree.reached_[node].links + 1);
    if (last != nullptr) path.push_back(last->link);
    for (; tree.reached_[node].next != nobody; node = tree.reached_[node].next)
        path.push_back(tree.reached_[node].by);
    if (from) std::ranges::reverse(path);
    return path;
}

double PathSearch::length_to(const Tree& tree, Host to) const {
    if (to == tree.end_) return 0;
    if (ends_[to].node != nobody) return tree.reached_[ends_[to].node].length;
    const Arc& last = *last_arc(tree, tree.lengths_, to, 0);
    return tree.reached_[last.to].length + tree.lengths_[last.link];
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
