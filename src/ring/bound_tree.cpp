#include "ring/bound_tree.hpp"

#include <algorithm>
#include <utility>

namespace espalier::ring {
namespace {

constexpr std::size_t none = CutTree::none;

/// Depth-first numbering of a graph without parallel edges, and from it the parts that no bridge
/// separates (Tarjan). Parts are numbered parents first.
class Bridges {
public:
    Bridges(const std::vector<std::vector<Vertex>>& neighbours, Vertex start)
        : neighbours_(neighbours),
          number_(neighbours.size(), none),
          low_(neighbours.size(), none),
          from_(neighbours.size(), none),
          part_of(neighbours.size(), none) {
        visit(start);
        for (const Vertex vertex : visited_) {
            const bool first = from_[vertex] == none;
            if (!first && low_[vertex] != number_[vertex]) {
                part_of[vertex] = part_of[from_[vertex]];
                continue;
            }
            part_of[vertex] = parent.size();
            parent.push_back(first ? none : part_of[from_[vertex]]);
        }
    }

private:
    void visit(Vertex start) {
        std::vector<std::size_t> next(neighbours_.size(), 0);
        std::vector<Vertex> open{start};
        enter(start);
        while (!open.empty()) {
            const Vertex vertex = open.back();
            if (next[vertex] < neighbours_[vertex].size()) {
                const Vertex other = neighbours_[vertex][next[vertex]++];
                if (other == from_[vertex]) continue;
                if (number_[other] != none) {
                    low_[vertex] = std::min(low_[vertex], number_[other]);
                } else {
                    from_[other] = vertex;
                    enter(other);
                    open.push_back(other);
                }
            } else {
                open.pop_back();
                if (const std::size_t before = from_[vertex]; before != none)
                    low_[before] = std::min(low_[before], low_[vertex]);
            }
        }
    }
    void enter(Vertex vertex) {
        number_[vertex] = low_[vertex] = visited_.size();
        visited_.push_back(vertex);
    }

    const std::vector<std::vector<Vertex>>& neighbours_;
    std::vector<std::size_t> number_;
    std::vector<std::size_t> low_;
    std::vector<std::size_t> from_;
    std::vector<Vertex> visited_;

public:
    std::vector<std::size_t> part_of;  ///< none where the start does not lead
    std::vector<std::size_t> parent;
};

struct Ends {
    Vertex from = 0;
    Vertex to = 0;
    bool known = false;
};

/// Leaves out parts that no ring gets to, and joins each part that only links a single one below
/// it to that one: their groups are the same.
CutTree without_idle_parts(const CutTree& tree) {
    const std::size_t count = tree.parts.size();
    std::vector<std::size_t> below(count, 0);     // hosts
    std::vector<std::size_t> children(count, 0);  // that have any
    for (std::size_t part = count; part-- > 0;) {
        below[part] += tree.parts[part].hosts.size();
        if (part == 0 || below[part] == 0) continue;
        below[tree.parts[part].parent] += below[part];
        ++children[tree.parts[part].parent];
    }
    CutTree kept;
    kept.anywhere = tree.anywhere;
    kept.part_of.resize(tree.part_of.size());
    std::vector<std::size_t> place(count, none);      // in `kept`
    std::vector<std::vector<LinkId>> pending(count);  // links above joined parts
    for (std::size_t part = 0; part < count; ++part) {
        if (below[part] == 0) continue;
        CutTree::Part copy = tree.parts[part];
        if (part > 0) {
            auto& from_above = pending[copy.parent];
            copy.above.insert(copy.above.end(), from_above.begin(), from_above.end());
            copy.parent = place[copy.parent];
            if (copy.hosts.empty() && copy.inside.empty() && children[part] == 1) {
                pending[part] = std::move(copy.above);
                place[part] = copy.parent;
                continue;
            }
            copy.depth = kept.parts[copy.parent].depth + 1;
        }
        place[part] = kept.parts.size();
        for (const Host host : copy.hosts) kept.part_of[host] = place[part];
        kept.parts.push_back(std::move(copy));
    }
    return kept;
}

CutTree of_graph(const Platform& platform) {
    std::vector<std::vector<Vertex>> neighbours(platform.vertices());
    std::vector<Ends> ends(platform.links());
    for (Vertex vertex = 0; vertex < platform.vertices(); ++vertex)
        for (const auto& arc : platform.leaving(vertex)) {
            if (arc.to == vertex) continue;
            neighbours[vertex].push_back(arc.to);
            neighbours[arc.to].push_back(vertex);
            ends[arc.link] = {vertex, arc.to, true};
        }
    for (auto& list : neighbours) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    const Bridges bridges(neighbours, platform.vertex_of(0));

    CutTree tree;
    tree.parts.resize(bridges.parent.size());
    for (std::size_t part = 0; part < tree.parts.size(); ++part)
        tree.parts[part].parent = bridges.parent[part];
    for (LinkId link = 0; link < platform.links(); ++link) {
        if (!ends[link].known || !platform.link(link).shared) continue;
        const std::size_t from = bridges.part_of[ends[link].from];
        const std::size_t to = bridges.part_of[ends[link].to];
        if (from == none) continue;
        if (from == to)
            tree.parts[from].inside.push_back(link);
        else
            tree.parts[bridges.parent[from] == to ? from : to].above.push_back(link);
    }
    for (Host host = 0; host < platform.hosts(); ++host) {
        tree.part_of.push_back(bridges.part_of[platform.vertex_of(host)]);
        tree.parts[tree.part_of.back()].hosts.push_back(host);
    }
    return without_idle_parts(tree);
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
            for (const LinkId link : platform.route(from, to))
                if (platform.link(link).shared) crossings[link].emplace_back(from, to);
        }
    struct Group {
        std::vector<Host> hosts;
        LinkId link = 0;
    };
    CutTree tree;
    std::vector<Group> groups;
    for (LinkId link = 0; link < platform.links(); ++link) {
        if (crossings[link].empty()) continue;
        auto side = side_of(crossings[link], hosts);
        if (side.empty())
            tree.anywhere.push_back(link);
        else
            groups.push_back({std::move(side), link});
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& one, const Group& other) {
        return one.hosts.size() > other.hosts.size();
    });

    tree.parts.emplace_back();
    tree.part_of.assign(hosts, 0);
    std::vector<std::size_t> size{hosts};  // of each part's group
    for (const auto& group : groups) {
        const std::size_t around = tree.part_of[group.hosts.front()];
        const bool nests = std::all_of(group.hosts.begin(), group.hosts.end(),
                                       [&](Host host) { return tree.part_of[host] == around; });
        if (!nests || group.hosts.size() == hosts) {
            tree.anywhere.push_back(group.link);
        } else if (around != 0 && size[around] == group.hosts.size()) {
            tree.parts[around].above.push_back(group.link);
        } else {
            for (const Host host : group.hosts) tree.part_of[host] = tree.parts.size();
            size.push_back(group.hosts.size());
            tree.parts.push_back({around, tree.parts[around].depth + 1, {group.link}, {}, {}});
        }
    }
    for (Host host = 0; host < hosts; ++host) tree.parts[tree.part_of[host]].hosts.push_back(host);
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
