#include "plan/bounds/sets.hpp"

#include <algorithm>
#include <set>

namespace espalier::plan::bounds {

double fastest(const Groups& groups, std::size_t from, std::size_t to) {
    const Link& link = groups.link(from, to);
    if (!link.exists()) return 0;
    double rate = link.per_byte > 0 ? 1 / link.per_byte : never;
    for (const std::uint32_t limit : groups.draws(from, to))
        rate = std::min(rate, groups.limits()[limit]);
    return rate;
}

std::vector<std::vector<GroupSet>> parts_by_rate(const Groups& groups) {
    const auto either_direction = [&](std::size_t a, std::size_t b) {
        return std::max(fastest(groups, a, b), fastest(groups, b, a));
    };
    // A tree of the fastest links (Prim) joins as much as all links of that rate do.
    Matrix<double> tree(groups.size(), groups.size(), 0);
    std::vector<double> rate(groups.size(), -1);
    std::vector<char> joined_up(groups.size(), 0);
    std::vector<std::size_t> to(groups.size(), 0);
    std::set<double> rates;
    std::size_t last = 0;
    for (std::size_t step = 1; step < groups.size(); ++step) {
        joined_up[last] = 1;
        std::size_t next = groups.size();
        for (std::size_t group = 0; group < groups.size(); ++group) {
            if (joined_up[group] != 0) continue;
            if (const double found = either_direction(last, group); found > rate[group]) {
                rate[group] = found;
                to[group] = last;
            }
            if (next == groups.size() || rate[group] > rate[next]) next = group;
        }
        tree(next, to[next]) = rate[next];
        rates.insert(rate[next]);
        last = next;
    }
    std::vector<std::vector<GroupSet>> found;
    for (const double slowest : rates)
        found.push_back(joined(groups.size(),
                               [&](std::size_t a, std::size_t b) { return tree(a, b) > slowest; }));
    return found;
}

std::vector<GroupSet> narrow_sets(const Groups& groups) {
    std::set<GroupSet> found;
    const auto add = [&](const GroupSet& set) {
        const auto inside = std::ranges::count(set, 1);
        if (inside == 0 || static_cast<std::size_t>(inside) == set.size()) return;
        GroupSet others(set.size());
        std::ranges::transform(set, others.begin(), [](char in) { return in == 0 ? 1 : 0; });
        found.insert(set);
        found.insert(std::move(others));
    };
    for (std::size_t group = 0; group < groups.size(); ++group) {
        GroupSet alone(groups.size(), 0);
        alone[group] = 1;
        add(alone);
    }
    for (std::uint32_t limit = 0; limit < groups.limits().size(); ++limit)
        for (const GroupSet& part : joined(groups.size(), [&](std::size_t a, std::size_t b) {
                 return groups.link(a, b).exists() &&
                        std::ranges::count(groups.draws(a, b), limit) == 0;
             }))
            add(part);
    for (const auto& parts : parts_by_rate(groups))
        for (const GroupSet& part : parts) add(part);
    return {found.begin(), found.end()};
}

}  // namespace espalier::plan::bounds
