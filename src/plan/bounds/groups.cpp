#include "plan/bounds/groups.hpp"

#include "simulate/bounds.hpp"
#include "simulate/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace espalier::plan::bounds {

namespace {

/// Capacities on which one node alone draws, sending or receiving, are alike, at least where they
/// are of one size.
class Labels {
public:
    Labels(const simulate::Fabric& fabric, bool by_size) : fabric_(fabric) {
        struct Ends {
            std::set<std::size_t> from;
            std::set<std::size_t> to;
        };
        const std::size_t enough = 2;
        std::vector<Ends> ends(fabric.capacities().size());
        for (std::size_t from = 0; from < fabric.nodes(); ++from)
            for (std::size_t to = 0; to < fabric.nodes(); ++to)
                for (const std::uint32_t c : fabric.draws(from, to)) {
                    if (ends[c].from.size() < enough) ends[c].from.insert(from);
                    if (ends[c].to.size() < enough) ends[c].to.insert(to);
                }
        for (std::size_t c = 0; c < ends.size(); ++c) {
            const double limit = by_size ? fabric.capacities()[c].limit : 0;
            if (ends[c].from.size() == 1 && ends[c].to.size() > 1)
                labels_.emplace_back(one_sends, limit);
            else if (ends[c].to.size() == 1 && ends[c].from.size() > 1)
                labels_.emplace_back(one_receives, limit);
            else
                labels_.emplace_back(static_cast<int>(c), 0.0);
        }
    }

    [[nodiscard]] bool same(std::size_t from, std::size_t to, std::size_t other_from,
                            std::size_t other_to) const {
        return std::ranges::equal(
            fabric_.draws(from, to), fabric_.draws(other_from, other_to), {},
            [&](std::uint32_t c) { return labels_[c]; },
            [&](std::uint32_t c) { return labels_[c]; });
    }

private:
    static constexpr int one_sends = -1;
    static constexpr int one_receives = -2;

    const simulate::Fabric& fabric_;
    std::vector<std::pair<int, double>> labels_;
};

/// The first groups that are found; what is in none of `most` - 1 is together in the last.
Grouping group(const simulate::Fabric& fabric, const Matrix<Link>& links, std::size_t most,
               bool by_size) {
    const std::size_t nodes = fabric.nodes();
    const Labels labels(fabric, by_size);
    const auto same = [&](std::size_t from, std::size_t to, std::size_t other_from,
                          std::size_t other_to) {
        return links(from, to) == links(other_from, other_to) &&
               labels.same(from, to, other_from, other_to);
    };
    const auto alike = [&](std::size_t a, std::size_t b) {
        if (!same(a, b, b, a)) return false;
        for (std::size_t node = 0; node < nodes; ++node)
            if (node != a && node != b && !(same(a, node, b, node) && same(node, a, node, b)))
                return false;
        return true;
    };
    Grouping groups;
    for (std::size_t node = 0; node < nodes; ++node) {
        const auto found = std::ranges::find_if(
            groups, [&](const auto& members) { return alike(members.front(), node); });
        if (found != groups.end())
            found->push_back(node);
        else if (groups.size() < most)
            groups.push_back({node});
        else
            groups.back().push_back(node);
    }
    return groups;
}

}  // namespace

std::size_t most_united(const Meter& meter) {
    std::size_t most = 1;
    const auto steps = [](std::size_t groups) {
        return (std::uint64_t{1} << groups) * groups * groups * groups * groups * groups;
    };
    while (most < 32 && steps(most + 1) <= meter.work_left()) ++most;
    return most;
}

Grouping like_nodes(const simulate::Fabric& fabric, const Matrix<Link>& links, Meter& meter) {
    const std::size_t few = most_united(meter);
    meter.spend(simulate::steps_a_cost * fabric.nodes() * fabric.nodes());
    const auto most = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::sqrt(std::sqrt(static_cast<double>(meter.work_left())))));
    Grouping exact = group(fabric, links, most, true);
    if (exact.size() <= few) return exact;
    Grouping coarse = group(fabric, links, most, false);
    return coarse.size() <= few || exact.size() == most ? coarse : exact;
}

Groups::Groups(const simulate::Fabric& fabric, const Matrix<Link>& links, Grouping members,
               std::size_t ports)
    : members_(std::move(members)),
      ports_(static_cast<double>(ports)),
      links_(size(), size()),
      draws_(size(), size()),
      soonest_(size(), size()) {
    find_links(links);
    find_draws(fabric, links);
    for (std::size_t from = 0; from < size(); ++from) {
        const auto paths = simulate::shortest_paths(
            size(), from,
            [&](std::size_t a, std::size_t b) { return a == b ? 0.0 : links_(a, b).hop(); });
        for (std::size_t to = 0; to < size(); ++to) soonest_(from, to) = paths[to];
    }
}

void Groups::find_links(const Matrix<Link>& links) {
    for (std::size_t a = 0; a < size(); ++a)
        for (std::size_t b = 0; b < size(); ++b) {
            Link& least = links_(a, b);
            for (const std::size_t from : members_[a])
                for (const std::size_t to : members_[b]) {
                    if (from == to) continue;
                    const Link& link = links(from, to);
                    least.latency = std::min(least.latency, link.latency);
                    least.startup = std::min(least.startup, link.startup);
                    least.per_byte = std::min(least.per_byte, link.per_byte);
                    least.shortest = std::min(least.shortest, link.shortest);
                }
        }
}

void Groups::find_draws(const simulate::Fabric& fabric, const Matrix<Link>& links) {
    const auto capacities = fabric.capacities();
    // Of capacities that serve the same messages the least counts; those that serve the same pairs
    // of groups, each some of the messages, are as good as one.
    std::vector<std::set<std::size_t>> pairs(capacities.size());
    std::vector<std::vector<std::size_t>> messages(capacities.size());
    for (std::size_t a = 0; a < size(); ++a)
        for (std::size_t b = 0; b < size(); ++b)
            for (const std::size_t from : members_[a])
                for (const std::size_t to : members_[b])
                    if (from != to && links(from, to).exists())
                        for (const std::uint32_t c : fabric.draws(from, to)) {
                            pairs[c].insert(a * size() + b);
                            messages[c].push_back(from * fabric.nodes() + to);
                        }
    std::map<std::vector<std::size_t>, double> least;
    for (std::size_t c = 0; c < capacities.size(); ++c) {
        const double limit = capacities[c].limit;
        const auto [found, is_new] = least.try_emplace(messages[c], limit);
        if (!is_new) found->second = std::min(found->second, limit);
    }
    std::map<std::set<std::size_t>, std::uint32_t> known;
    std::vector<std::uint32_t> sum_of(capacities.size());
    for (std::size_t c = 0; c < capacities.size(); ++c) {
        const auto next = static_cast<std::uint32_t>(known.size());
        sum_of[c] = known.emplace(pairs[c], next).first->second;
        if (sum_of[c] == limits_.size()) limits_.push_back(0);
        limits_[sum_of[c]] += std::exchange(least[messages[c]], 0.0);
    }
    std::vector<std::size_t> drawing(limits_.size());
    std::vector<std::uint32_t> drawn;
    for (std::size_t a = 0; a < size(); ++a)
        for (std::size_t b = 0; b < size(); ++b) {
            std::size_t all = 0;
            std::ranges::fill(drawing, 0U);
            for (const std::size_t from : members_[a])
                for (const std::size_t to : members_[b]) {
                    if (from == to || !links(from, to).exists()) continue;
                    ++all;
                    drawn.clear();
                    for (const std::uint32_t c : fabric.draws(from, to)) drawn.push_back(sum_of[c]);
                    std::ranges::sort(drawn);
                    const auto end = std::unique(drawn.begin(), drawn.end());
                    for (auto sum = drawn.begin(); sum != end; ++sum) ++drawing[*sum];
                }
            for (std::uint32_t sum = 0; sum < limits_.size(); ++sum)
                if (all > 0 && drawing[sum] == all) draws_(a, b).push_back(sum);
        }
}

}  // namespace espalier::plan::bounds
