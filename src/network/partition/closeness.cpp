#include "network/partition/closeness.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace espalier::network {

namespace {

struct Pair {
    double distance;
    std::size_t a;
    std::size_t b;
};

/// A member of a group with its nearest and farthest other member: who is within the tolerance of
/// both is within it of all between.
struct Member {
    std::size_t node;
    double nearest = infinity;
    double farthest = 0;
};

using Group = std::vector<Member>;

class Grouping {
public:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    Grouping(const Metric& metric, double tolerance)
        : metric_(metric), tolerance_(tolerance), group_of_(metric.size(), none) {}

    /// Gives the node a group, unless it has one; `preferred` is a group to try first, or none.
    void place(std::size_t node, std::size_t preferred) {
        if (group_of_[node] != none) return;
        const std::size_t chosen =
            preferred != none && fits(node, groups_[preferred]) ? preferred : first_fit(node);
        if (chosen == groups_.size()) groups_.emplace_back();
        join(node, groups_[chosen]);
        group_of_[node] = chosen;
    }

    [[nodiscard]] std::size_t group_of(std::size_t node) const { return group_of_[node]; }

private:
    /// The number of groups where the node fits into none.
    [[nodiscard]] std::size_t first_fit(std::size_t node) const {
        const auto group =
            std::find_if(groups_.begin(), groups_.end(),
                         [&](const Group& candidate) { return fits(node, candidate); });
        return static_cast<std::size_t>(group - groups_.begin());
    }

    [[nodiscard]] bool fits(std::size_t node, const Group& group) const {
        return std::all_of(group.begin(), group.end(), [&](const Member& member) {
            const auto distance = metric_.between(node, member.node);
            return distance && (group.size() == 1 ||
                                (within_tolerance(*distance, member.nearest, tolerance_) &&
                                 within_tolerance(member.farthest, *distance, tolerance_)));
        });
    }

    void join(std::size_t node, Group& group) const {
        Member newcomer{node};
        for (Member& member : group) {
            const double distance = *metric_.between(node, member.node);
            for (Member* end : {&member, &newcomer}) {
                end->nearest = std::min(end->nearest, distance);
                end->farthest = std::max(end->farthest, distance);
            }
        }
        group.push_back(newcomer);
    }

    const Metric& metric_;
    double tolerance_;
    std::vector<Group> groups_;
    std::vector<std::size_t> group_of_;
};

std::vector<Pair> pairs_from_the_nearest_on(const Metric& metric) {
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < metric.size(); ++a)
        for (std::size_t b = a + 1; b < metric.size(); ++b)
            if (const auto distance = metric.between(a, b)) pairs.push_back({*distance, a, b});
    std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
        return std::tie(x.distance, x.a, x.b) < std::tie(y.distance, y.a, y.b);
    });
    return pairs;
}

}  // namespace

Partition closeness(const Metric& metric, double tolerance) {
    Grouping grouping(metric, tolerance);
    for (const Pair& pair : pairs_from_the_nearest_on(metric)) {
        grouping.place(pair.a, grouping.group_of(pair.b));
        grouping.place(pair.b, grouping.group_of(pair.a));
    }
    for (std::size_t node = 0; node < metric.size(); ++node) grouping.place(node, Grouping::none);
    std::vector<std::size_t> group_of_node(metric.size());
    for (std::size_t node = 0; node < metric.size(); ++node)
        group_of_node[node] = grouping.group_of(node);
    return make_partition(metric, tolerance, group_of_node);
}

}  // namespace espalier::network
