#include "plan/grid/multilevel.hpp"

#include "plan/grid/binomial.hpp"
#include "plan/grid/fef.hpp"
#include "plan/grow.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace espalier::plan::grid {
namespace {

/// Wide-area, local and loop-back networks are one or two orders of magnitude apart; links of one
/// kind seldom differ by half of one from the next longer.
constexpr double jump_factor = 5;

struct Step {
    Send between;
    double distance = 0;
};

/// The minimum spanning tree of the distances (of the two directions, the longer), shortest first.
std::vector<Step> spanning_steps(const Problem& problem) {
    const auto between = [&directed = distances(problem)](std::size_t i, std::size_t j) {
        return std::max(directed(i, j), directed(j, i));
    };
    std::vector<Step> steps;
    grow_tree(Growth(problem.root, all_but(problem.root, problem.size()), between),
              [&](std::size_t from, std::size_t to) {
                  steps.push_back({.between = {from, to}, .distance = between(from, to)});
              });
    std::ranges::stable_sort(steps, {}, &Step::distance);
    return steps;
}

std::vector<double> jumps(std::span<const Step> steps) {
    std::vector<double> found;
    for (std::size_t s = 1; s < steps.size(); ++s)
        if (steps[s].distance > 0 && steps[s].distance >= jump_factor * steps[s - 1].distance)
            found.push_back(steps[s - 1].distance);
    std::ranges::reverse(found);
    return found;
}

/// Each cluster's group at a level, named by its least member.
std::vector<std::size_t> groups_within(double distance, std::span<const Step> steps,
                                       std::size_t clusters) {
    std::vector<std::size_t> parent(clusters);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto least = [&](std::size_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (const Step& step : steps) {
        if (step.distance > distance) break;
        const auto [kept, joined] = std::minmax({least(step.between.from), least(step.between.to)});
        parent[joined] = kept;
    }
    for (std::size_t i = 0; i < clusters; ++i) parent[i] = least(i);
    return parent;
}

class Tree {
public:
    explicit Tree(const Problem& problem) {
        const std::vector<Step> steps = spanning_steps(problem);
        for (const double distance : jumps(steps))
            levels_.push_back(groups_within(distance, steps, problem.size()));
        std::vector<std::size_t> everyone(problem.size());
        std::iota(everyone.begin(), everyone.end(), std::size_t{0});
        levels_.push_back(everyone);
        serve(problem.root, everyone, 0);
    }

    [[nodiscard]] const Order& order() const { return order_; }

private:
    /// Spreads the message from `holder` to all `members` (its group one level further out, in
    /// increasing order): first between the groups of this level, then inside each.
    void serve(std::size_t holder, std::vector<std::size_t> members, std::size_t level) {
        const std::vector<std::size_t>& group_of = levels_[level];
        const auto name = [&](std::size_t i) { return group_of[i]; };
        std::ranges::stable_sort(members, {}, name);
        const auto own = std::ranges::lower_bound(members, group_of[holder], {}, name);
        std::rotate(members.begin(), own, members.end());

        std::vector<std::size_t> coordinators{holder};
        for (const std::size_t i : members)
            if (name(i) == i && name(i) != name(holder)) coordinators.push_back(i);
        if (level == 0)
            for (std::size_t c = 1; c < coordinators.size(); ++c)
                order_.push_back({.from = holder, .to = coordinators[c]});
        else
            append_binomial(coordinators, order_);

        if (level + 1 == levels_.size()) return;
        auto first = members.begin();
        for (const std::size_t coordinator : coordinators) {
            const auto end = std::find_if(
                first, members.end(), [&](std::size_t i) { return name(i) != name(coordinator); });
            serve(coordinator, {first, end}, level + 1);
            first = end;
        }
    }

    std::vector<std::vector<std::size_t>> levels_;  ///< names of groups; single clusters come last
    Order order_;
};

}  // namespace

std::vector<double> level_distances(const Problem& problem) {
    return jumps(spanning_steps(problem));
}

Order multilevel(const Problem& problem) { return Tree(problem).order(); }

}  // namespace espalier::plan::grid
