#include "plan/composed/block_tree.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::plan::composed {

std::vector<std::uint64_t> block_sizes(const Problem& problem) {
    const Request& request = *problem.request;
    std::vector<std::uint64_t> sizes(problem.job->places.size(), request.bytes.value);
    if (request.blocks)
        for (std::size_t rank = 0; rank < sizes.size(); ++rank)
            sizes[rank] = (*request.blocks)[rank].value;
    return sizes;
}

Walk walk_over(const Tree& tree) {
    Walk walk;
    walk.place.resize(tree.size());
    walk.size.assign(tree.size(), 1);
    std::vector<std::size_t> open{tree.root};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        walk.place[node] = walk.order.size();
        walk.order.push_back(node);
        open.insert(open.end(), tree.children[node].rbegin(), tree.children[node].rend());
    }
    for (auto node = walk.order.rbegin(); node != walk.order.rend(); ++node)
        if (*node != tree.root) walk.size[tree.parent[*node]] += walk.size[*node];
    return walk;
}

double order_by_tails(Tree& tree, const simulate::Fabric& fabric,
                      const std::vector<std::uint64_t>& blocks) {
    const Walk walk = walk_over(tree);
    std::vector<std::uint64_t> bytes = blocks;
    std::vector<double> gap(tree.size(), 0);   // of the message to a node
    std::vector<double> tail(tree.size(), 0);  // from when it has left until all below have theirs
    double all = 0;
    for (auto next = walk.order.rbegin(); next != walk.order.rend(); ++next) {
        const std::size_t node = *next;
        auto& children = tree.children[node];
        std::stable_sort(children.begin(), children.end(),
                         [&](std::size_t a, std::size_t b) { return tail[a] > tail[b]; });
        double sent = 0;
        double over = 0;
        for (const std::size_t child : children) {
            sent += gap[child];
            over = std::max(over, sent + tail[child]);
        }
        if (node == tree.root) {
            all = over;
            break;
        }
        const auto cost = fabric.cost(tree.parent[node], node, Bytes(bytes[node]));
        gap[node] = cost.gap.value;
        tail[node] = cost.latency.value + over;
        bytes[tree.parent[node]] += bytes[node];
    }
    return all;
}

void distribute(schedule::Schedule& schedule, const Tree& tree, const Walk& walk,
                std::uint64_t piece) {
    for (const std::size_t from : walk.order)
        for (const std::size_t to : tree.children[from]) {
            const std::size_t end = walk.place[to] + walk.size[to];
            std::size_t first = walk.place[to];
            std::uint64_t bytes = 0;
            for (std::size_t chunk = first; chunk < end; ++chunk) {
                bytes += schedule.chunks[chunk].bytes.value;
                if (chunk + 1 < end && (piece == 0 || bytes < piece)) continue;
                schedule.transfers.push_back(
                    {.from = from, .to = to, .chunk = first, .chunks = chunk + 1 - first});
                first = chunk + 1;
                bytes = 0;
            }
        }
}

void add_knomial(Tree& tree, const std::vector<std::size_t>& order, std::size_t radix) {
    // Node i of the order is the child of i with its lowest digit that is not 0 made 0.
    for (std::size_t i = 1; i < order.size(); ++i) {
        std::size_t unit = 1;
        while (i / unit % radix == 0) unit *= radix;
        tree.add(order[i - i / unit % radix * unit], order[i]);
    }
}

std::size_t coordinator_of(const Problem& problem, const Site& site, std::size_t root) {
    if (site.members.empty()) return site.rank;
    const auto ranks = site.ranks();
    if (std::ranges::find(ranks, root) != ranks.end()) return root;
    if (site.grid == nullptr || site.members.size() < 3)
        return coordinator_of(problem, site.members.front(), root);
    std::vector<std::size_t> coordinators;
    for (const Site& member : site.members)
        coordinators.push_back(coordinator_of(problem, member, root));
    std::size_t best = coordinators.front();
    double least = infinity;
    for (const std::size_t from : coordinators) {
        double sum = 0;
        for (const std::size_t to : coordinators)
            if (from != to) sum += problem.fabric->cost(from, to, Bytes(1)).latency.value;
        if (sum < least) {
            least = sum;
            best = from;
        }
    }
    return best;
}

namespace {

/// Root first.
std::vector<std::size_t> coordinators_of(const Problem& problem, const Site& site,
                                         std::size_t root) {
    std::vector<std::size_t> coordinators{root};
    const std::size_t own = site.coordinating_member(root);
    for (std::size_t m = 0; m < site.members.size(); ++m)
        if (m != own) coordinators.push_back(coordinator_of(problem, site.members[m], root));
    return coordinators;
}

bool is_below(const Tree& tree, std::size_t node, std::size_t ancestor) {
    while (node != tree.root && node != ancestor) node = tree.parent[node];
    return node == ancestor;
}

void move(Tree& tree, std::size_t node, std::size_t parent) {
    std::erase(tree.children[tree.parent[node]], node);
    tree.add(parent, node);
}

void add_levels(const Problem& problem, const Site& site, std::size_t root, std::size_t radix,
                Tree& tree) {
    if (site.members.empty()) return;
    const auto coordinators = coordinators_of(problem, site, root);
    const std::size_t own = site.coordinating_member(root);
    const bool inner = std::ranges::all_of(
        site.members, [](const Site& member) { return member.members.empty(); });
    add_knomial(tree, coordinators, inner ? radix : coordinators.size());
    std::size_t next = 1;
    for (std::size_t m = 0; m < site.members.size(); ++m) {
        const std::size_t coordinator = m == own ? root : coordinators[next++];
        add_levels(problem, site.members[m], coordinator, radix, tree);
    }
}

}  // namespace

Tree tree_by_levels(const Problem& problem, std::size_t root, std::size_t radix) {
    Tree tree(problem.job->places.size(), root);
    add_levels(problem, *problem.site, radix, tree);
    return tree;
}

void add_levels(const Problem& problem, const Site& site, std::size_t radix, Tree& tree) {
    add_levels(problem, site, tree.root, radix, tree);
}

std::vector<std::size_t> coordinators_of(const Problem& problem, std::size_t root) {
    return coordinators_of(problem, *problem.site, root);
}

void move_subtrees(Tree& tree, const std::vector<std::size_t>& movable,
                   const simulate::Fabric& fabric, const std::vector<std::uint64_t>& blocks,
                   Meter& meter) {
    double least = order_by_tails(tree, fabric, blocks);
    for (bool better = true; better;) {
        better = false;
        for (const std::size_t node : movable)
            for (const std::size_t parent : movable) {
                if (node == tree.root || parent == tree.parent[node] ||
                    is_below(tree, parent, node))
                    continue;
                if (meter.over()) return;
                meter.spend(tree.size() * steps_a_look);
                Tree changed = tree;
                move(changed, node, parent);
                const double time = order_by_tails(changed, fabric, blocks);
                if (time >= least * (1 - 1e-9)) continue;
                least = time;
                tree = std::move(changed);
                better = true;
            }
    }
}

}  // namespace espalier::plan::composed
