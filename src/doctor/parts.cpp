#include "doctor/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace espalier::doctor {

namespace {

using PartKind = Part::Kind;

std::string name_of_site(std::size_t site, const Facts& facts, const Sites& sites) {
    const auto& members = sites.members(site);
    const std::string& first = facts.hosts[members.front()].name;
    if (members.size() == 1) return first;
    return fmt::format("the site of {} and {} more", first, members.size() - 1);
}

}  // namespace

Sites::Sites(const Facts& facts, std::size_t network) : site_(facts.hosts.size()) {
    std::iota(site_.begin(), site_.end(), 0U);
    std::vector<double> nearest(facts.hosts.size(), std::numeric_limits<double>::infinity());
    for (const Pair& pair : facts.pairs)
        if (pair.network == network && pair.round_trip_s)
            for (const std::size_t host : {pair.from, pair.to})
                nearest[host] = std::min(nearest[host], *pair.round_trip_s);
    constexpr double near_s = 0.5e-3;
    constexpr double times_nearest = 3;
    for (const Pair& pair : facts.pairs) {
        const double limit =
            std::max(near_s, times_nearest * std::min(nearest[pair.from], nearest[pair.to]));
        if (pair.network != network || !pair.round_trip_s || *pair.round_trip_s > limit) continue;
        const std::size_t from = std::max(site_[pair.from], site_[pair.to]);
        const std::size_t to = std::min(site_[pair.from], site_[pair.to]);
        std::ranges::replace(site_, from, to);
    }
    std::map<std::size_t, std::size_t> numbers;
    for (std::size_t host = 0; host < site_.size(); ++host) {
        const auto [place, is_new] = numbers.try_emplace(site_[host], members_.size());
        if (is_new) members_.emplace_back();
        site_[host] = place->second;
        members_[site_[host]].push_back(host);
    }
}

std::vector<Part> parts_of(const Facts& facts, const Sites& sites,
                           const std::vector<std::size_t>& pairs) {
    std::map<std::pair<PartKind, std::vector<std::size_t>>, std::vector<std::size_t>> found;
    for (const std::size_t number : pairs) {
        const Pair& pair = facts.pairs[number];
        const auto add = [&](PartKind kind, std::vector<std::size_t> ends) {
            found[{kind, std::move(ends)}].push_back(number);
        };
        const auto sorted = [](std::size_t a, std::size_t b) {
            return std::vector{std::min(a, b), std::max(a, b)};
        };
        add(PartKind::host, {pair.from});
        add(PartKind::host, {pair.to});
        add(PartKind::sends, {pair.from});
        add(PartKind::receives, {pair.to});
        add(PartKind::pair, sorted(pair.from, pair.to));
        add(PartKind::one_way, {pair.from, pair.to});
        const std::size_t from = sites.of(pair.from);
        const std::size_t to = sites.of(pair.to);
        if (from == to) continue;
        add(PartKind::site, {from});
        add(PartKind::site, {to});
        add(PartKind::leaves, {from});
        add(PartKind::enters, {to});
        add(PartKind::sites, sorted(from, to));
        add(PartKind::direction, {from, to});
    }
    std::set<std::pair<bool, std::vector<std::size_t>>> seen;
    std::vector<Part> parts;
    for (auto& [key, ways] : found)
        if (seen.emplace(is_of_sites(key.first), ways).second)
            parts.push_back({key.first, key.second, std::move(ways)});
    return parts;
}

bool is_of_host(PartKind kind) {
    return kind == PartKind::host || kind == PartKind::sends || kind == PartKind::receives;
}

bool is_of_sites(PartKind kind) {
    return kind == PartKind::site || kind == PartKind::leaves || kind == PartKind::enters ||
           kind == PartKind::sites || kind == PartKind::direction;
}

bool is_one_direction(PartKind kind) {
    return kind == PartKind::sends || kind == PartKind::receives || kind == PartKind::one_way ||
           kind == PartKind::leaves || kind == PartKind::enters || kind == PartKind::direction;
}

std::vector<std::size_t> hosts_of(const Part& part, const Sites& sites) {
    if (!is_of_sites(part.kind)) return part.ends;
    std::vector<std::size_t> hosts;
    for (const std::size_t site : part.ends)
        hosts.insert(hosts.end(), sites.members(site).begin(), sites.members(site).end());
    return hosts;
}

std::string text_of(const Part& part, const Facts& facts, const Sites& sites) {
    const auto name = [&](std::size_t i) {
        return is_of_sites(part.kind) ? name_of_site(part.ends[i], facts, sites)
                                      : facts.hosts[part.ends[i]].name;
    };
    switch (part.kind) {
        case PartKind::host:
            return fmt::format("all that {} sends and receives", name(0));
        case PartKind::sends:
            return fmt::format("what {} sends", name(0));
        case PartKind::receives:
            return fmt::format("what {} receives", name(0));
        case PartKind::pair:
        case PartKind::sites:
            return fmt::format("between {} and {}", name(0), name(1));
        case PartKind::one_way:
        case PartKind::direction:
            return fmt::format("from {} to {}", name(0), name(1));
        case PartKind::site:
            return fmt::format("between {} and all others", name(0));
        case PartKind::leaves:
            return fmt::format("from {} to all others", name(0));
        case PartKind::enters:
            return fmt::format("from all others to {}", name(0));
    }
    return {};
}

}  // namespace espalier::doctor
