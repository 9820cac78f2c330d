#include "plan/bounds/crossing.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <map>

namespace espalier::plan::bounds {

Crossing::Crossing(const Groups& groups, std::vector<Pair> links, Meter& meter)
    : groups_(groups), links_(std::move(links)), uses_(links_.size()) {
    add_ports(false);
    add_ports(true);
    add_limits();
    if (can_price(meter)) {
        std::vector<double> supply;
        for (const Server& server : servers_) supply.push_back(server.places);
        prices_.push_back(least_prices(uses_, supply));
    } else {
        for (const bool receiving : {false, true}) prices_.push_back(prices_of_side(receiving));
    }
    std::erase_if(prices_, [](const auto& prices) { return prices.empty(); });
    rate_ = prices_.empty() ? 0 : never;
    for (const auto& prices : prices_) rate_ = std::min(rate_, rate(prices));
}

/// Whether the meter lasts for the least prices, which are charged: the simplex takes about as many
/// pivots as there are servers, and looks at its inverse and at all links in each.
bool Crossing::can_price(Meter& meter) const {
    const std::size_t rows = servers_.size();
    const std::size_t steps = rows * (rows * rows + links_.size()) / operations_a_step;
    if (steps > meter.work_left()) return false;
    meter.spend(steps);
    return true;
}

double Crossing::rate(const std::vector<double>& prices) const {
    double rate = 0;
    for (std::size_t s = 0; s < servers_.size(); ++s) rate += prices[s] * servers_[s].places;
    return rate;
}

double Crossing::use(std::size_t link, std::size_t server) const {
    for (const Use& use : uses_[link])
        if (use.resource == server) return use.amount;
    return 0;
}

/// All that one side's groups send, or receive, passes their ports, and maybe some capacity: each
/// pays for the cheapest. Empty where a group has nothing to pay for.
std::vector<double> Crossing::prices_of_side(bool receiving) const {
    std::vector<double> prices(servers_.size(), 0);
    for (std::size_t group = 0; group < servers_.size(); ++group) {
        if (servers_[group].is_limit || servers_[group].receiving != receiving) continue;
        std::size_t best = servers_.size();
        double best_price = 0;
        double least = never;
        for (const Use& candidate : uses_[servers_[group].links.front()]) {
            const std::size_t s = candidate.resource;
            if (s != group && !servers_[s].is_limit) continue;
            double amount = never;
            for (const std::size_t l : servers_[group].links) amount = std::min(amount, use(l, s));
            if (!(amount > 0)) continue;
            const double more = std::max(0.0, 1 / amount - prices[s]) * servers_[s].places;
            if (!(more < least)) continue;
            best = s;
            best_price = 1 / amount;
            least = more;
        }
        if (best == servers_.size()) return {};
        prices[best] = std::max(prices[best], best_price);
    }
    return prices;
}

void Crossing::add_ports(bool receiving) {
    std::map<std::size_t, Server> servers;
    for (std::size_t l = 0; l < links_.size(); ++l) {
        const Link& link = groups_.link(links_[l].first, links_[l].second);
        const std::size_t group = receiving ? links_[l].second : links_[l].first;
        Server& server = servers[group];
        server.startup =
            server.links.empty() ? link.startup : std::min(server.startup, link.startup);
        server.links.push_back(l);
    }
    for (auto& [group, server] : servers) {
        for (const std::size_t l : server.links) {
            const double per_byte = groups_.link(links_[l].first, links_[l].second).per_byte;
            if (per_byte > 0) uses_[l].push_back({servers_.size(), per_byte});
        }
        server.receiving = receiving;
        server.places = groups_.ports(group);
        servers_.push_back(std::move(server));
    }
}

void Crossing::add_limits() {
    std::map<std::uint32_t, Server> servers;
    for (std::size_t l = 0; l < links_.size(); ++l)
        for (const std::uint32_t limit : groups_.draws(links_[l].first, links_[l].second))
            if (groups_.limits()[limit] < never) servers[limit].links.push_back(l);
    for (auto& [limit, server] : servers) {
        for (const std::size_t l : server.links)
            uses_[l].push_back({servers_.size(), 1 / groups_.limits()[limit]});
        server.is_limit = true;
        servers_.push_back(std::move(server));
    }
}

double Crossing::seconds(const Server& server, std::span<const Window> windows, double end) const {
    std::vector<std::pair<double, double>> spans;
    double first = never;
    double last = -never;
    for (const std::size_t l : server.links) {
        const double later =
            server.receiving ? groups_.link(links_[l].first, links_[l].second).latency : 0;
        const double from = windows[l].open + later;
        const double to = end - windows[l].shut + later;
        if (!(to > from)) continue;
        first = std::min(first, from);
        last = std::max(last, to);
        if (server.is_limit) spans.emplace_back(from, to);
    }
    if (!(last > first)) return 0;
    double open = last - first;
    // Windows of a node's ports open, or shut, together; those on a capacity may lie apart.
    std::ranges::sort(spans);
    double until = first;
    for (const auto& [from, to] : spans) {
        open -= std::max(0.0, from - until);
        until = std::max(until, to);
    }
    return std::max(0.0, server.places * open - server.startup);
}

std::vector<double> Crossing::supply(std::span<const Window> windows, double end) const {
    std::vector<double> supply;
    for (const Server& server : servers_) supply.push_back(seconds(server, windows, end));
    return supply;
}

/// What is brought across if each link takes what it can get, one after the other.
bool Crossing::is_easy(std::vector<double> left, double bytes) const {
    for (const auto& uses : uses_) {
        double most = bytes;
        for (const Use& use : uses) most = std::min(most, left[use.resource] / use.amount);
        for (const Use& use : uses) left[use.resource] -= most * use.amount;
        bytes -= most;
    }
    return !(bytes > 0);
}

double Crossing::bytes_by(const std::vector<double>& prices, std::span<const Window> windows,
                          double end) const {
    double bytes = 0;
    for (std::size_t s = 0; s < servers_.size(); ++s)
        if (prices[s] > 0) bytes += prices[s] * seconds(servers_[s], windows, end);
    return bytes;
}

double Crossing::time(const std::vector<double>& prices, std::span<const Window> windows,
                      double bytes) const {
    double low = never;
    for (const Window& window : windows) low = std::min(low, window.open + window.shut);
    if (low == never || prices.empty()) return 0;
    double step = bytes / rate(prices);
    double high = low + step;
    while (bytes_by(prices, windows, high) < bytes) {
        low = high;
        high += step;
        step *= 2;
    }
    // Between two events the bytes grow in proportion to the time: a straight line meets them.
    double least = bytes_by(prices, windows, low);
    double most = bytes_by(prices, windows, high);
    for (bool straight = true; high - low > rounding * high; straight = !straight) {
        const double share = straight ? (bytes - least) / (most - least) : 0.5;
        const double middle = low + (high - low) * share;
        if (!(middle > low && middle < high)) return middle;
        const double found = bytes_by(prices, windows, middle);
        (found < bytes ? low : high) = middle;
        (found < bytes ? least : most) = found;
    }
    return low;
}

double Crossing::time(std::span<const Window> windows, double bytes, double known,
                      Meter& meter) const {
    if (prices_.empty()) return 0;
    if (is_easy(supply(windows, known), bytes)) return 0;
    double bound = known;
    for (const auto& prices : prices_) bound = std::max(bound, time(prices, windows, bytes));
    while (can_price(meter)) {
        const auto prices = least_prices(uses_, supply(windows, bound));
        const double better = time(prices, windows, bytes);
        if (!(better > bound * (1 + rounding))) break;
        bound = better;
    }
    return bound;
}

}  // namespace espalier::plan::bounds
