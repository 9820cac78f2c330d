#include "plan/composed/lanes.hpp"

#include "core/infinity.hpp"
#include "plan/grow.hpp"
#include "simulate/slots.hpp"

#include <algorithm>
#include <bit>

namespace espalier::plan::composed {

struct Lanes::Growth {
    Tree tree;
    Direction direction = Direction::down;
    /// Of each rank: when it holds a segment, and when it may send its next message.
    std::vector<double> reached;
    std::vector<double> free;

    [[nodiscard]] bool has(std::size_t rank) const { return reached[rank] < never; }
};

Lanes::Lanes(const Problem& problem, Bytes segment, Bytes share, Shape shape)
    : problem_(&problem),
      fabric_(problem.fabric),
      segment_(segment),
      shape_(shape),
      messages_(segment.value == 0
                    ? 1
                    : static_cast<double>(share.value) / static_cast<double>(segment.value)),
      loads_(*fabric_) {}

Lanes::Growth Lanes::begin(std::size_t root, Direction direction) const {
    Growth growth{Tree(fabric_->nodes(), root), direction,
                  std::vector<double>(fabric_->nodes(), never),
                  std::vector<double>(fabric_->nodes(), 0)};
    growth.reached[root] = 0;
    return growth;
}

Tree Lanes::grow(std::size_t root, Direction direction) {
    Growth growth = begin(root, direction);
    depth_ = 0;
    enter(*problem_->site, root, growth);
    return std::move(growth.tree);
}

Tree Lanes::grow(const Halves& halves, std::size_t near, std::size_t far, Direction direction) {
    Growth growth = begin(near, direction);
    growth.reached[far] = 0;
    enter(halves.near, near, growth);
    enter(halves.far, far, growth);
    growth.tree.add_first(near, far);
    if (direction == Direction::up) std::swap(near, far);
    loads_.add(near, far, segment_, messages_);
    return std::move(growth.tree);
}

Lane Lanes::grow(const Halves& halves) {
    const std::size_t centre = idlest(halves.near);
    const std::size_t sender = idlest(halves.far);
    Lane lane;
    lane.exchange = true;
    depth_ = 0;
    lane.up = grow(halves, centre, sender, Direction::up);
    const double up = depth_;
    const std::size_t receiver = idlest(neighbourhood(halves.far, sender), sender);
    loads_.add(sender, receiver, segment_, messages_);
    depth_ = 0;
    lane.down = grow(halves, centre, receiver, Direction::down);
    const auto crossing = [&](std::size_t from, std::size_t to) {
        const auto message = fabric_->cost(from, to, segment_);
        return (message.gap + message.latency).value;
    };
    depth_ += up + std::max(crossing(centre, receiver), crossing(sender, centre));
    return lane;
}

std::size_t Lanes::idlest(const Site& site, std::optional<std::size_t> but) const {
    auto ranks = site.ranks();
    std::erase(ranks, but);
    return *std::ranges::min_element(ranks, {}, [&](std::size_t rank) {
        const double in = loads_.in(rank);
        const double out = loads_.out(rank);
        return std::pair(std::max(in, out), in + out);
    });
}

simulate::MessageCost Lanes::cost(std::size_t from, std::size_t to, Bytes bytes,
                                  Direction direction) const {
    return direction == Direction::down ? fabric_->cost(from, to, bytes)
                                        : fabric_->cost(to, from, bytes);
}

/// `rank` of this site holds a segment; the others get it from there.
void Lanes::enter(const Site& site, std::size_t rank, Growth& growth) {
    if (site.members.empty()) return;
    const std::size_t first = site.coordinating_member(rank);
    std::vector<std::size_t> ranks;
    for (std::size_t m = 0; m < site.members.size(); ++m)
        ranks.push_back(m == first ? rank : entrance(site.members[m], growth));
    if (site.link != nullptr) {
        pass_along(site, first, ranks, growth);
    } else {
        if (site.members.size() > 1) ranks[first] = gateway(site.members[first], rank, growth);
        reach_out(first, ranks, growth);
        ranks[first] = rank;
    }
    for (std::size_t m = 0; m < site.members.size(); ++m) enter(site.members[m], ranks[m], growth);
}

/// Where a site receives: what it has already, or a rank of which others ask little.
std::size_t Lanes::entrance(const Site& site, const Growth& growth) const {
    for (const std::size_t rank : site.ranks())
        if (growth.has(rank)) return rank;
    return idlest(site);
}

/// The coordinator of a cluster of which `rank` holds a segment: that rank, unless it has more to
/// do than it takes to pass the segment to another.
std::size_t Lanes::gateway(const Site& site, std::size_t rank, Growth& growth) {
    const std::size_t idle = idlest(site);
    if (idle == rank || growth.has(idle)) return rank;
    const auto hop = cost(rank, idle, segment_, growth.direction);
    const double busy = growth.direction == Direction::down ? loads_.out(rank) : loads_.in(rank);
    if (busy <=
        std::max(loads_.out(idle), loads_.in(idle)) + (hop.gap * messages_ + hop.latency).value)
        return rank;
    join(rank, idle, growth);
    return idle;
}

void Lanes::pass_along(const Site& site, std::size_t first, std::vector<std::size_t> ranks,
                       Growth& growth) {
    // From the first on, round; who has it already comes next.
    std::rotate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(first), ranks.end());
    std::stable_partition(ranks.begin() + 1, ranks.end(),
                          [&](std::size_t rank) { return growth.has(rank); });
    const auto parent_of = [&](std::size_t position) {
        if (shape_ == Shape::chain) return position - 1;
        if (shape_ == Shape::binary) return (position - 1) / 2;
        return position - std::bit_floor(position);
    };
    for (std::size_t position = 1; position < site.members.size(); ++position)
        if (!growth.has(ranks[position])) join(ranks[parent_of(position)], ranks[position], growth);
}

/// Between clusters, each next one is reached where that ends soonest: the path of one segment, and
/// all that the busiest part of it then has to carry.
void Lanes::reach_out(std::size_t first, const std::vector<std::size_t>& ranks, Growth& growth) {
    std::vector<double> carried(ranks.size(), 0);
    const auto busiest = [&](std::size_t from, std::size_t to) {
        return std::max(carried[from], load_with(ranks[from], ranks[to], growth.direction));
    };
    std::vector<std::size_t> waiting;
    for (std::size_t m = 0; m < ranks.size(); ++m)
        if (!growth.has(ranks[m])) waiting.push_back(m);
    const auto key = [&](std::size_t from, std::size_t to) {
        const auto message = cost(ranks[from], ranks[to], segment_, growth.direction);
        return std::max(growth.reached[ranks[from]], growth.free[ranks[from]]) +
               (message.gap + message.latency).value + busiest(from, to);
    };
    grow_tree(plan::Growth(first, waiting, key), [&](std::size_t from, std::size_t to) {
        carried[to] = busiest(from, to);
        join(ranks[from], ranks[to], growth);
    });
}

double Lanes::load_with(std::size_t from, std::size_t to, Direction direction) const {
    if (direction == Direction::up) std::swap(from, to);
    return loads_.most_with(from, to, segment_, messages_);
}

void Lanes::join(std::size_t from, std::size_t to, Growth& growth) {
    growth.tree.add(from, to);
    const auto message = cost(from, to, segment_, growth.direction);
    const double start = std::max(growth.reached[from], growth.free[from]);
    growth.free[from] = start + message.gap.value;
    growth.reached[to] = start + (message.gap + message.latency).value;
    depth_ = std::max(depth_, growth.reached[to]);
    if (growth.direction == Direction::up) std::swap(from, to);
    loads_.add(from, to, segment_, messages_);
}

namespace {

/// `messages` of them go along a tree; returns how long one takes. `exchanged`: the root's first
/// child has it when the root does.
double carry(const Tree& tree, Direction direction, bool exchanged, Bytes segment, double messages,
             const simulate::Fabric& fabric, std::size_t ports, Loads& loads) {
    std::vector<double> reached(tree.size(), 0);
    double deepest = 0;
    for (const std::size_t node : tree.order()) {
        simulate::Slots free(ports, reached[node]);
        for (const std::size_t child : tree.children[node]) {
            const std::size_t from = direction == Direction::down ? node : child;
            const std::size_t to = direction == Direction::down ? child : node;
            if (exchanged && node == tree.root && child == tree.children[node].front()) {
                loads.add(from, to, segment, messages);
                continue;
            }
            const auto message = fabric.cost(from, to, segment);
            const double sent = free.earliest() + message.gap.value;
            free.occupy_until(sent);
            reached[child] = sent + message.latency.value;
            deepest = std::max(deepest, reached[child]);
            loads.add(from, to, segment, messages);
        }
    }
    return deepest;
}

}  // namespace

double estimate(const simulate::Fabric& fabric, std::size_t ports, const std::vector<Lane>& lanes,
                Bytes segment, std::size_t segments) {
    Loads loads(fabric, ports);
    double deepest = 0;
    const double messages = static_cast<double>(segments) / static_cast<double>(lanes.size());
    for (const Lane& lane : lanes) {
        double depth = 0;
        if (lane.up)
            depth += carry(*lane.up, Direction::up, false, segment, messages, fabric, ports, loads);
        if (lane.down)
            depth += carry(*lane.down, Direction::down, lane.exchange, segment, messages, fabric,
                           ports, loads);
        deepest = std::max(deepest, depth);
    }
    return deepest +
           loads.most() * static_cast<double>(segments - 1) / static_cast<double>(segments);
}

}  // namespace espalier::plan::composed
