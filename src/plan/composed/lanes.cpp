#include "plan/composed/lanes.hpp"

#include <algorithm>
#include <limits>

namespace espalier::plan::composed {

struct Lanes::Growth {
    Tree tree;
    Way way = Way::down;
    /// Of each rank that the tree has: when it may send its next message.
    std::vector<double> free;
};

Lanes::Lanes(const Problem& problem, Bytes segment, Bytes share, Shape shape)
    : problem_(&problem),
      fabric_(problem.fabric),
      segment_(segment),
      share_(share),
      shape_(shape),
      messages_(segment.value == 0
                    ? 1
                    : static_cast<double>(share.value) / static_cast<double>(segment.value)),
      out_(fabric_->nodes(), 0),
      in_(fabric_->nodes(), 0),
      shared_(fabric_->capacities().size(), 0) {}

Tree Lanes::grow(std::size_t root, Way way) {
    Growth growth{Tree(fabric_->nodes(), root), way, std::vector<double>(fabric_->nodes(), 0)};
    depth_ = 0;
    enter(*problem_->site, root, 0, growth);
    return std::move(growth.tree);
}

std::size_t Lanes::idlest(const Site& site) const {
    const auto ranks = site.ranks();
    return *std::ranges::min_element(ranks, {}, [&](std::size_t rank) {
        return std::pair(std::max(in_[rank], out_[rank]), in_[rank] + out_[rank]);
    });
}

simulate::MessageCost Lanes::cost(std::size_t from, std::size_t to, Bytes bytes, Way way) const {
    return way == Way::down ? fabric_->cost(from, to, bytes) : fabric_->cost(to, from, bytes);
}

/// `rank` of this site holds a segment; the others get it from there.
void Lanes::enter(const Site& site, std::size_t rank, double reached, Growth& growth) {
    if (site.members.empty()) return;
    const std::size_t first = site.speaker(rank);
    std::vector<std::size_t> ranks;
    for (std::size_t m = 0; m < site.members.size(); ++m)
        ranks.push_back(m == first ? rank : idlest(site.members[m]));
    if (site.link != nullptr)
        pass_along(site, first, ranks, reached, growth);
    else
        reach_out(site, first, ranks, reached, growth);
}

void Lanes::pass_along(const Site& site, std::size_t first, const std::vector<std::size_t>& ranks,
                       double reached, Growth& growth) {
    const std::size_t members = ranks.size();
    std::vector<double> ready(members, reached);
    const auto parent_of = [&](std::size_t position) {
        if (shape_ == Shape::chain) return position - 1;
        if (shape_ == Shape::binary) return (position - 1) / 2;
        std::size_t high = 1;
        while (high * 2 <= position) high *= 2;
        return position - high;
    };
    for (std::size_t position = 1; position < members; ++position) {
        const std::size_t from = parent_of(position);
        ready[position] = join(ranks[(first + from) % members], ranks[(first + position) % members],
                               ready[from], growth);
    }
    for (std::size_t position = 0; position < members; ++position) {
        const std::size_t member = (first + position) % members;
        enter(site.members[member], ranks[member], ready[position], growth);
    }
}

/// Between clusters, each next one is reached where that ends soonest: the way of one segment, and
/// all that the busiest part of it then has to carry.
void Lanes::reach_out(const Site& site, std::size_t first, const std::vector<std::size_t>& ranks,
                      double reached, Growth& growth) {
    const std::size_t members = ranks.size();
    struct Offer {
        double key = std::numeric_limits<double>::infinity();
        std::size_t from = 0;
    };
    std::vector<Offer> offers(members);
    std::vector<double> ready(members, reached);
    std::vector<double> carried(members, 0);
    std::vector<std::size_t> order{first};
    std::vector<char> served(members, 0);
    served[first] = 1;
    const auto offer = [&](std::size_t from, std::size_t to) {
        const auto message = cost(ranks[from], ranks[to], segment_, growth.way);
        const double arrival =
            std::max(ready[from], growth.free[ranks[from]]) + (message.gap + message.latency).value;
        const double busiest =
            std::max(carried[from], load_with(ranks[from], ranks[to], growth.way));
        if (arrival + busiest < offers[to].key) offers[to] = {arrival + busiest, from};
    };
    for (std::size_t to = 0; to < members; ++to)
        if (to != first) offer(first, to);
    while (order.size() < members) {
        std::size_t to = members;
        for (std::size_t m = 0; m < members; ++m)
            if (served[m] == 0 && (to == members || offers[m].key < offers[to].key)) to = m;
        const std::size_t from = offers[to].from;
        carried[to] = std::max(carried[from], load_with(ranks[from], ranks[to], growth.way));
        ready[to] = join(ranks[from], ranks[to], ready[from], growth);
        served[to] = 1;
        order.push_back(to);
        for (std::size_t m = 0; m < members; ++m) {
            if (served[m] != 0) continue;
            // What the sender's port now has to carry makes its other offers later.
            if (offers[m].from == from) {
                offers[m] = {};
                for (const std::size_t holder : order) offer(holder, m);
            } else {
                offer(to, m);
            }
        }
    }
    for (const std::size_t member : order)
        enter(site.members[member], ranks[member], ready[member], growth);
}

double Lanes::load_with(std::size_t from, std::size_t to, Way way) const {
    const double busy = cost(from, to, segment_, way).gap.value * messages_;
    if (way == Way::up) std::swap(from, to);
    double load = std::max(out_[from], in_[to]) + busy;
    const auto capacities = fabric_->capacities();
    for (const std::uint32_t c : fabric_->draws(from, to))
        load = std::max(load, shared_[c] + static_cast<double>(share_.value) / capacities[c].limit);
    return load;
}

double Lanes::join(std::size_t from, std::size_t to, double ready, Growth& growth) {
    growth.tree.add(from, to);
    const auto message = cost(from, to, segment_, growth.way);
    const double start = std::max(ready, growth.free[from]);
    growth.free[from] = start + message.gap.value;
    const double end = start + (message.gap + message.latency).value;
    depth_ = std::max(depth_, end);
    load_ = std::max(load_, load_with(from, to, growth.way));
    const double busy = message.gap.value * messages_;
    if (growth.way == Way::up) std::swap(from, to);
    out_[from] += busy;
    in_[to] += busy;
    const auto capacities = fabric_->capacities();
    for (const std::uint32_t c : fabric_->draws(from, to))
        shared_[c] += static_cast<double>(share_.value) / capacities[c].limit;
    return end;
}

}  // namespace espalier::plan::composed
