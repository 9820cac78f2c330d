#include "ring/bound_tree.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace espalier::ring {
namespace {

constexpr std::size_t none = CutTree::none;

/// Hosts that only these links tie to the rest, of which the first host is one.
struct Group {
    std::vector<Host> hosts;
    std::vector<LinkId> links;
    std::vector<Vertex> vertices = {};  ///< on the hosts' side; where routes are listed, none
    std::size_t part = none;
};

/// Sorts the groups, the greatest first, and makes a part of each that nests in those before it;
/// of those with the same hosts one part. The links of the others count anywhere.
CutTree nested(std::size_t hosts, std::vector<Group>& groups) {
    std::ranges::stable_sort(groups, std::greater{}, [](const Group& group) {
        return std::pair(group.hosts.size(), group.vertices.size());
    });
    CutTree tree;
    tree.parts.emplace_back();
    tree.part_of.assign(hosts, 0);
    std::vector<std::size_t> size{hosts};  // of each part's group
    for (Group& group : groups) {
        const std::size_t around = tree.part_of[group.hosts.front()];
        const bool nests = std::ranges::all_of(
            group.hosts, [&](Host host) { return tree.part_of[host] == around; });
        if (!nests || group.hosts.size() == hosts) {
            tree.anywhere.insert(tree.anywhere.end(), group.links.begin(), group.links.end());
            continue;
        }
        group.part = around;
        if (around == 0 || size[around] != group.hosts.size()) {
            group.part = tree.parts.size();
            for (const Host host : group.hosts) tree.part_of[host] = group.part;
            size.push_back(group.hosts.size());
            tree.parts.push_back({around, tree.parts[around].depth + 1, {}, {}, {}});
        }
        auto& above = tree.parts[group.part].above;
        above.insert(above.end(), group.links.begin(), group.links.end());
    }
    for (Host host = 0; host < hosts; ++host) tree.parts[tree.part_of[host]].hosts.push_back(host);
    return tree;
}

/// A platform as a graph without directions.
class Graph {
public:
    explicit Graph(const Platform& platform) : around_(platform.vertices()) {
        for (Vertex vertex = 0; vertex < platform.vertices(); ++vertex)
            for (const auto& arc : platform.leaving(vertex)) {
                if (arc.to == vertex) continue;
                around_[vertex].insert(arc.to);
                around_[arc.to].insert(vertex);
                auto& links = between_[std::minmax({vertex, arc.to})];
                if (platform.link(arc.link).shared) links.insert(arc.link);
            }
    }

    using Edge = std::pair<Vertex, Vertex>;
    /// The shared links between any two neighbours.
    [[nodiscard]] const std::map<Edge, std::set<LinkId>>& between() const { return between_; }
    /// The vertices that can be reached from `start` if two neighbours are not joined (`without`).
    [[nodiscard]] std::vector<char> reached(Vertex start, const Edge& without) const {
        std::vector<char> seen(around_.size(), 0);
        std::vector<Vertex> open{start};
        seen[start] = 1;
        while (!open.empty()) {
            const Vertex vertex = open.back();
            open.pop_back();
            for (const Vertex other : around_[vertex]) {
                if (seen[other] != 0 || Edge(std::minmax({vertex, other})) == without) continue;
                seen[other] = 1;
                open.push_back(other);
            }
        }
        return seen;
    }

private:
    std::vector<std::set<Vertex>> around_;
    std::map<Edge, std::set<LinkId>> between_;
};

CutTree of_graph(const Platform& platform) {
    const Graph graph(platform);
    const Vertex root = platform.vertex_of(0);
    std::vector<char> usable = graph.reached(root, {});
    std::vector<Group> groups;
    std::vector<std::pair<Vertex, LinkId>> others;  // an end of each link that is no bridge
    for (const auto& [edge, links] : graph.between()) {
        if (usable[edge.first] == 0) continue;
        const auto seen = graph.reached(root, edge);
        if (seen[edge.first] == seen[edge.second]) {
            for (const LinkId link : links) others.emplace_back(edge.first, link);
            continue;
        }
        Group group{{}, {links.begin(), links.end()}};
        for (Vertex vertex = 0; vertex < platform.vertices(); ++vertex)
            if (usable[vertex] != 0 && seen[vertex] == 0) group.vertices.push_back(vertex);
        for (Host host = 0; host < platform.hosts(); ++host)
            if (seen[platform.vertex_of(host)] == 0) group.hosts.push_back(host);
        if (!group.hosts.empty())
            groups.push_back(std::move(group));
        else  // no ring gets there
            for (const Vertex vertex : group.vertices) usable[vertex] = 0;
    }
    CutTree tree = nested(platform.hosts(), groups);
    std::vector<const Group*> innermost(platform.vertices(), nullptr);
    std::vector<const Group*> last(tree.parts.size(), nullptr);
    for (const Group& group : groups) {
        last[group.part] = &group;
        for (const Vertex vertex : group.vertices) innermost[vertex] = &group;
    }
    for (const auto& [vertex, link] : others) {
        if (usable[vertex] == 0) continue;
        const Group* group = innermost[vertex];
        CutTree::Part& part = tree.parts[group == nullptr ? 0 : group->part];
        // Between bridges that lead to the same hosts, only who goes there uses it.
        (group == nullptr || group == last[group->part] ? part.inside : part.above).push_back(link);
    }
    return tree;
}

/// The hosts on one side of a link, given the pairs whose routes cross it: those that some host has
/// routes across it to or from; empty unless every such route has one end among them and one not.
std::vector<Host> side_of(const std::vector<std::pair<Host, Host>>& crossings, std::size_t hosts) {
    const Host first = crossings.front().first;
    std::vector<char> beyond(hosts, 0);
    for (const auto& [from, to] : crossings) {
        if (from == first) beyond[to] = 1;
        if (to == first) beyond[from] = 1;
    }
    const bool splits = std::all_of(crossings.begin(), crossings.end(), [&](const auto& ends) {
        return beyond[ends.first] != beyond[ends.second];
    });
    // The same side whatever link: that without the first host.
    const char wanted = beyond[0] != 0 ? 0 : 1;
    std::vector<Host> side;
    for (Host host = 0; splits && host < hosts; ++host)
        if (beyond[host] == wanted) side.push_back(host);
    return side;
}

CutTree of_routes(const Platform& platform) {
    const auto hosts = static_cast<Host>(platform.hosts());
    std::vector<std::vector<std::pair<Host, Host>>> crossings(platform.links());
    for (Host from = 0; from < hosts; ++from)
        for (Host to = 0; to < hosts; ++to) {
            if (from == to) continue;
            for (const LinkId link : platform.routes()(from, to))
                if (platform.link(link).shared) crossings[link].emplace_back(from, to);
        }
    std::vector<Group> groups;
    std::vector<LinkId> anywhere;
    for (LinkId link = 0; link < platform.links(); ++link) {
        if (crossings[link].empty()) continue;
        auto side = side_of(crossings[link], hosts);
        if (side.empty())
            anywhere.push_back(link);
        else
            groups.push_back({std::move(side), {link}});
    }
    CutTree tree = nested(hosts, groups);
    tree.anywhere.insert(tree.anywhere.end(), anywhere.begin(), anywhere.end());
    return tree;
}

}  // namespace

std::size_t CutTree::meeting(Host one, Host other) const {
    std::size_t left = part_of[one];
    std::size_t right = part_of[other];
    while (left != right) {
        std::size_t& deeper = parts[left].depth < parts[right].depth ? right : left;
        deeper = parts[deeper].parent;
    }
    return left;
}

CutTree cut_tree(const Platform& platform) {
    return platform.has_routes() ? of_routes(platform) : of_graph(platform);
}

}  // namespace espalier::ring
