#include "slices/logic/slice_planner.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"
#include "network/grid_view.hpp"
#include "ring/fair.hpp"
#include "ring/fair_share.hpp"
#include "ring/plan.hpp"
#include "simulate/fair_links.hpp"
#include "simulate/ring_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

namespace espalier::slices {

namespace {

using network::LinksNetwork;
using ring::Host;
using ring::Problem;

LinksNetwork as_links(const network::Network& network, double exchange, const std::string& source) {
    try {
        return ring::physical_network(network, network.grid() ? std::round(exchange) : exchange);
    } catch (const InputError& error) {
        throw InputError(source, "", error.what());
    }
}

void require_positive(double value, const char* what) {
    if (!(value > 0) || !std::isfinite(value))
        throw InputError("ring", what, fmt::format("{} is not positive", value));
}

/// The one among the nodes with a cycle time that a host's name means.
std::size_t find_host(const LinksNetwork& network, const std::string& host,
                      const std::string& source) {
    const auto nodes = network.hosts();
    if (nodes.empty()) throw InputError(source, "nodes", "no node has a cycle time");
    const auto name = [&](std::size_t node) { return network.nodes[node].name; };
    auto found = std::ranges::find(nodes, host, name);
    if (found == nodes.end())
        found = std::ranges::find_if(
            nodes, [&](const std::string& similar) { return network::same_host(similar, host); },
            name);
    if (found == nodes.end())
        throw InputError(source, "nodes",
                         fmt::format("host '{}' is not among those with a cycle time", host));
    return *found;
}

}  // namespace

std::vector<int> round_to_columns(std::span<const double> shares, int columns) {
    std::vector<int> counts;
    std::vector<double> remainders;
    int left = columns;
    for (const double share : shares) {
        const double exact = share * columns;
        // A share may exceed what is left by rounding alone.
        const int whole = std::clamp(static_cast<int>(std::floor(exact)), 0, left);
        counts.push_back(whole);
        remainders.push_back(exact - whole);
        left -= whole;
    }
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t place) { return remainders[place]; });
    for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) ++counts[order[i]];
    return counts;
}

std::vector<ColumnMove> moves_between(const RingSlices& before, const RingSlices& after) {
    std::vector<ColumnMove> moves;
    std::size_t from = 0;
    std::size_t to = 0;
    int from_left = before.counts.front();
    int to_left = after.counts.front();
    for (int first = 0;;) {
        const int count = std::min(from_left, to_left);
        moves.push_back({before.ranks[from], after.ranks[to], first, count});
        first += count;
        from_left -= count;
        to_left -= count;
        if (from_left == 0 && ++from < before.ranks.size()) from_left = before.counts[from];
        if (to_left == 0 && ++to < after.ranks.size()) to_left = after.counts[to];
        assert((from == before.ranks.size()) == (to == after.ranks.size()));
        if (from == before.ranks.size()) return moves;
    }
}

SlicePlanner::SlicePlanner(const network::Network& network, const std::vector<std::string>& hosts,
                           const RingJob& job, const Limits& limits)
    : job_(job), limits_(limits), by_round_trips_(job.sharing == LinkSharing::round_trips) {
    require_positive(job.work, "work");
    require_positive(job.exchange_bytes, "exchange");
    require_positive(job.columns, "columns");
    network_ = as_links(network, job.exchange_bytes, job.network);
    place_ranks(hosts);
}

/// Hosts without a rank are routers, as far as this computation goes.
void SlicePlanner::place_ranks(const std::vector<std::string>& hosts) {
    std::map<std::string, std::size_t> node_of;
    for (const std::string& host : hosts)
        if (!node_of.contains(host)) node_of[host] = find_host(network_, host, job_.network);
    std::map<std::size_t, Host> host_of;
    for (const auto& [name, node] : node_of) host_of[node] = 0;
    for (auto& [node, host] : host_of) {
        host = static_cast<Host>(stated_.size());
        stated_.push_back(*network_.nodes[node].cycle_time);
    }
    measured_.assign(stated_.size(), 0);
    ranks_.resize(stated_.size());
    for (const std::string& host : hosts) {
        const Host own = host_of[node_of[host]];
        ranks_[own].push_back(static_cast<int>(host_.size()));
        host_.push_back(own);
    }
    const auto is_out = [&](std::size_t node) { return !host_of.contains(node); };
    for (const std::size_t node : network_.hosts())
        if (is_out(node)) network_.nodes[node].cycle_time.reset();
    std::erase_if(network_.routes,
                  [&](const auto& route) { return is_out(route.from) || is_out(route.to); });
}

RingSlices SlicePlanner::plan() {
    const ring::Platform platform(network_);
    const auto routes = shortest_routes(platform);
    const Problem problem{platform, routes, job_.work, job_.exchange_bytes, by_round_trips_};
    Parts parts;
    if (job_.order == RingOrder::planned) {
        auto found = plan_fair(problem, {.limits = limits_, .seed = job_.seed}).solution;
        parts = {std::move(found.embedding.order), std::move(found.division.shares)};
    } else {
        auto& order = parts.order;
        order.resize(platform.hosts());
        std::iota(order.begin(), order.end(), Host{0});
        if (job_.order == RingOrder::random) {
            Random random(job_.seed);
            for (std::size_t last = order.size(); last > 1; --last)
                std::swap(order[last - 1], order[random.below(last)]);
        }
        parts.shares = speed_shares(problem, order);
    }
    RingSlices slices = slice(parts);
    slices.step_time = predict(problem, slices);
    return slices;
}

/// Each host's columns, divided evenly among its ranks; those that get none are out of the ring.
RingSlices SlicePlanner::slice(const Parts& parts) const {
    const auto& [order, shares] = parts;
    RingSlices slices;
    const auto columns = round_to_columns(shares, job_.columns);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const auto& ranks = ranks_[order[place]];
        const std::vector<double> even(ranks.size(), 1 / static_cast<double>(ranks.size()));
        const auto counts = round_to_columns(even, columns[place]);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (counts[i] == 0) continue;
            slices.ranks.push_back(ranks[i]);
            slices.counts.push_back(counts[i]);
        }
    }
    return slices;
}

/// A ring may begin with any of its hosts, and run either way around: as it moves fewest columns.
RingSlices SlicePlanner::slice_near(const RingSlices& now, Parts parts) const {
    RingSlices best;
    int most_stay = -1;
    for (int direction = 0; direction < 2; ++direction) {
        for (std::size_t turn = 0; turn < parts.order.size(); ++turn) {
            RingSlices slices = slice(parts);
            int stay = 0;
            for (const ColumnMove& move : moves_between(now, slices))
                if (move.from == move.to) stay += move.count;
            if (stay > most_stay) {
                most_stay = stay;
                best = std::move(slices);
            }
            std::rotate(parts.order.begin(), parts.order.begin() + 1, parts.order.end());
            std::rotate(parts.shares.begin(), parts.shares.begin() + 1, parts.shares.end());
        }
        std::ranges::reverse(parts.order);
        std::ranges::reverse(parts.shares);
    }
    return best;
}

SlicePlanner::Parts SlicePlanner::parts_of(const RingSlices& slices) const {
    Parts parts;
    auto& [order, shares] = parts;
    for (std::size_t place = 0; place < slices.ranks.size(); ++place) {
        const Host host = host_[static_cast<std::size_t>(slices.ranks[place])];
        if (order.empty() || order.back() != host) {
            order.push_back(host);
            shares.push_back(0);
        }
        shares.back() += static_cast<double>(slices.counts[place]) / job_.columns;
    }
    return parts;
}

double SlicePlanner::predict(const Problem& problem, const RingSlices& slices) const {
    auto [order, shares] = parts_of(slices);
    const auto horizon = simulate::RingHorizon::steady(order.size());
    return ring::FairShare(problem)
        .evaluate(std::move(order), std::move(shares), horizon)
        .division.step_time;
}

void SlicePlanner::learn(const RingSlices& now, std::span<const double> seconds) {
    std::vector<double> busy(stated_.size(), 0);
    std::vector<double> columns(stated_.size(), 0);
    for (std::size_t place = 0; place < now.ranks.size(); ++place) {
        const auto rank = static_cast<std::size_t>(now.ranks[place]);
        if (!(seconds[rank] > 0)) continue;
        const Host host = host_[rank];
        busy[host] = std::max(busy[host], seconds[rank] * now.counts[place]);
        columns[host] += now.counts[place];
    }
    std::vector<double> ratios;  // of what was ever measured
    for (std::size_t host = 0; host < stated_.size(); ++host) {
        if (columns[host] > 0)
            measured_[host] = busy[host] / columns[host] / (job_.work / job_.columns);
        if (measured_[host] > 0) ratios.push_back(measured_[host] / stated_[host]);
    }
    const double usual = ratios.empty() ? 1 : median(ratios);
    const auto nodes = network_.hosts();
    for (std::size_t host = 0; host < nodes.size(); ++host)
        network_.nodes[nodes[host]].cycle_time =
            measured_[host] > 0 ? measured_[host] : stated_[host] * usual;
}

SlicePlanner::Outlook SlicePlanner::look_ahead(const RingSlices& now,
                                               std::span<const double> seconds, double steps_left,
                                               double column_bytes) {
    learn(now, seconds);
    const ring::Platform platform(network_);
    const auto routes = shortest_routes(platform);
    const Problem problem{platform, routes, job_.work, job_.exchange_bytes, by_round_trips_};
    const std::vector<Host> ring = parts_of(now).order;
    const std::vector<std::vector<Host>> starts{ring};
    const std::vector<ring::Solution> ways{
        ring::FairShare(problem).divide(ring, ring::Balancing::thorough(ring.size())),
        plan_fair(problem, {.limits = limits_, .seed = job_.seed}, starts).solution};

    Outlook outlook;
    outlook.step_time_now = predict(problem, now);
    double least = infinity;
    for (const auto& way : ways) {
        RingSlices slices = slice_near(now, {way.embedding.order, way.division.shares});
        slices.step_time = predict(problem, slices);
        const double moving = time_of(problem, moves_between(now, slices), column_bytes);
        const double rest = slices.step_time * steps_left + moving;
        if (rest >= least) continue;
        least = rest;
        outlook.time_of_moving = moving;
        outlook.slices = std::move(slices);
    }
    outlook.pays = least < outlook.step_time_now * steps_left;
    return outlook;
}

double SlicePlanner::time_of(const Problem& problem, const std::vector<ColumnMove>& moves,
                             double column_bytes) const {
    std::map<std::pair<Host, Host>, double> amounts;
    for (const ColumnMove& move : moves) {
        const Host from = host_[static_cast<std::size_t>(move.from)];
        const Host to = host_[static_cast<std::size_t>(move.to)];
        if (from != to) amounts[{from, to}] += move.count * column_bytes;
    }
    std::vector<simulate::LinkMessage> messages;
    for (const auto& [ends, amount] : amounts) {
        const auto& path = problem.routes(ends.first, ends.second);
        messages.push_back({problem.delay(ends.first, ends.second, path), path, amount,
                            problem.weight(ends.first, ends.second, path)});
    }
    return time_of_messages(simulate::ring_links(network_), messages);
}

}  // namespace espalier::slices
