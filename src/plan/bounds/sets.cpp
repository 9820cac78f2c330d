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
    std::set<double> rates;
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = 0; b < groups.size(); ++b)
            if (a != b) rates.insert(fastest(groups, a, b));
    rates.insert(never);
    std::vector<std::vector<GroupSet>> found;
    for (const double least : rates) {
        auto parts = joined(groups.size(), [&](std::size_t a, std::size_t b) {
            const double rate = fastest(groups, a, b);
            return rate > 0 && rate >= least;
        });
        if (parts.size() > 1 && (found.empty() || parts.size() > found.back().size()))
            found.push_back(std::move(parts));
    }
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
