#include "plan/composed/halves.hpp"

#include "core/infinity.hpp"

#include "plan/composed/cuts.hpp"
#include "plan/composed/level_tree.hpp"
#include "plan/composed/pieces.hpp"
#include "plan/composed/striped.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace espalier::plan::composed {

namespace {

/// A site of only those members.
Site part_of(const Site& site, const std::vector<std::size_t>& members) {
    if (members.size() == 1) return site.members[members.front()];
    Site part = site;
    part.members.clear();
    part.index.clear();
    for (const std::size_t member : members) {
        part.members.push_back(site.members[member]);
        if (!site.index.empty()) part.index.push_back(site.index[member]);
    }
    return part;
}

double round_trip(const Problem& problem, const Site& one, const Site& other) {
    const std::size_t from = one.ranks().front();
    const std::size_t to = other.ranks().front();
    return (problem.fabric->cost(from, to, Bytes(0)).latency +
            problem.fabric->cost(to, from, Bytes(0)).latency)
        .value;
}

/// For each member, whether it is on the side of the first one when the longest edge of a least
/// spanning tree is taken out (single linkage).
std::vector<bool> with_the_first(const Problem& problem, const Site& site) {
    const std::size_t count = site.members.size();
    std::vector<double> distance(count, infinity);
    std::vector<std::size_t> parent(count, 0);
    std::vector<std::size_t> joined{0};
    std::vector<bool> in_tree(count, false);
    in_tree[0] = true;
    std::pair<double, std::size_t> longest{-1, 0};
    while (joined.size() < count) {
        const std::size_t last = joined.back();
        std::size_t next = 0;
        for (std::size_t m = 1; m < count; ++m) {
            if (in_tree[m]) continue;
            const double far = round_trip(problem, site.members[last], site.members[m]);
            if (far < distance[m]) std::tie(distance[m], parent[m]) = std::pair(far, last);
            if (next == 0 || distance[m] < distance[next]) next = m;
        }
        in_tree[next] = true;
        joined.push_back(next);
        longest = std::max(longest, {distance[next], next});
    }
    std::vector<bool> with(count, true);
    for (const std::size_t member : joined)
        if (member != 0) with[member] = member != longest.second && with[parent[member]];
    return with;
}

/// Those of both halves' trees, and the edge between them, which is the centre's first.
Tree joined(Tree near, const Tree& far) {
    for (std::size_t rank = 0; rank < far.size(); ++rank)
        for (const std::size_t child : far.children[rank]) near.add(rank, child);
    near.add_first(near.root, far.root);
    return near;
}

}  // namespace

std::optional<Halves> halves_of(const Problem& problem) {
    const Site* site = problem.site;
    while (site->members.size() == 1) site = &site->members.front();
    const std::size_t count = site->members.size();
    if (count < 2) return std::nullopt;
    std::vector<bool> with(count);
    if (site->link != nullptr)
        for (std::size_t m = 0; m < count; ++m) with[m] = m < count / 2;
    else
        with = with_the_first(problem, *site);
    std::vector<std::size_t> first, second;
    for (std::size_t m = 0; m < count; ++m) (with[m] ? first : second).push_back(m);
    Halves halves{part_of(*site, first), part_of(*site, second)};
    if (halves.far.members.empty()) std::swap(halves.near, halves.far);
    if (halves.far.members.empty()) return std::nullopt;
    return halves;
}

const Site& neighbourhood(const Site& site, std::size_t rank) {
    const Site& member = site.members[site.coordinating_member(rank)];
    return member.members.empty() ? site : neighbourhood(member, rank);
}

std::vector<schedule::Schedule> exchange_of_halves(const Problem& problem, Meter& meter) {
    std::vector<schedule::Schedule> found;
    if (problem.request->ordered) return found;
    const auto halves = halves_of(problem);
    if (!halves) return found;
    meter.spend(2 * level_tree_steps(problem));
    const auto tree = [&](const Site& half, std::size_t root, Direction direction) {
        Problem part = problem;
        part.site = &half;
        return level_tree(part, root, problem.request->bytes, direction);
    };
    const std::size_t centre = halves->near.ranks().front();
    const std::size_t sender = halves->far.ranks().front();
    const auto around = neighbourhood(halves->far, sender).ranks();
    const std::size_t receiver = around[around.front() == sender ? 1 : 0];
    Lane lane;
    lane.up =
        joined(tree(halves->near, centre, Direction::up), tree(halves->far, sender, Direction::up));
    lane.down = joined(tree(halves->near, centre, Direction::down),
                       tree(halves->far, receiver, Direction::down));
    lane.exchange = true;
    if (problem.request->segmenting.mode != Segmenting::Mode::fixed)
        found.push_back(put_on(problem, {lane}, in_turns(problem, 1, 1)));
    for (auto& schedule : striped_between(*halves, problem, meter))
        found.push_back(std::move(schedule));
    return found;
}

}  // namespace espalier::plan::composed
