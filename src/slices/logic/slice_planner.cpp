#include "slices/logic/slice_planner.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"
#include "network/grid_view.hpp"
#include "network/to_links.hpp"
#include "ring/fair.hpp"
#include "ring/fair_share.hpp"
#include "simulate/fair_links.hpp"
#include "simulate/ring_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::slices {

namespace {

using network::LinksNetwork;
using ring::Host;
using ring::Problem;

LinksNetwork as_links(const network::Network& network, double exchange, const std::string& source) {
    if (const auto* links = network.links()) return *links;
    if (const auto* pairwise = network.pairwise()) return to_links(*pairwise);
    if (const auto* grid = network.grid())
        return to_links(*grid, Bytes(static_cast<std::uint64_t>(std::llround(exchange))));
    throw InputError(source, "model",
                     fmt::format("rings are planned on 'links', 'pairwise' or 'grid', not on '{}'",
                                 network.model_name()));
}

void require_positive(double value, const char* what) {
    if (!(value > 0) || !std::isfinite(value))
        throw InputError("ring", what, fmt::format("{} is not positive", value));
}

}  // namespace

SlicePlanner::SlicePlanner(const network::Network& network, const std::string& source,
                           const std::vector<std::string>& hosts, const SliceJob& job)
    : source_(source), job_(job) {
    require_positive(job.work, "work");
    require_positive(job.exchange, "exchange");
    require_positive(job.columns, "columns");
    network_ = as_links(network, job.exchange, source);
    place_ranks(hosts);
}

/// Hosts without a rank are routers, as far as this computation goes.
void SlicePlanner::place_ranks(const std::vector<std::string>& hosts) {
    const auto nodes = network_.hosts();
    if (nodes.empty()) throw InputError(source_, "nodes", "no node has a cycle time");
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> node_of;  // by rank
    for (const std::string& host : hosts) {
        const auto [entry, is_new] = known.try_emplace(host, network_.nodes.size());
        if (is_new) {
            const auto find = [&](auto&& is_it) {
                return std::find_if(nodes.begin(), nodes.end(), [&](std::size_t node) {
                    return is_it(network_.nodes[node].name);
                });
            };
            auto node = find([&](const std::string& name) { return name == host; });
            if (node == nodes.end())
                node =
                    find([&](const std::string& name) { return network::same_host(name, host); });
            if (node == nodes.end())
                throw InputError(
                    source_, "nodes",
                    fmt::format("host '{}' is not among those with a cycle time", host));
            entry->second = *node;
        }
        node_of.push_back(entry->second);
    }
    std::map<std::size_t, Host> host_of;
    for (const std::size_t node : node_of) host_of.emplace(node, 0);
    for (auto& [node, host] : host_of) {
        host = static_cast<Host>(stated_.size());
        stated_.push_back(*network_.nodes[node].cycle_time);
    }
    measured_.assign(stated_.size(), 0);
    ranks_.resize(stated_.size());
    for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
        host_.push_back(host_of.at(node_of[rank]));
        ranks_[host_.back()].push_back(static_cast<int>(rank));
    }
    const auto is_out = [&](std::size_t node) { return !host_of.contains(node); };
    for (const std::size_t node : nodes)
        if (is_out(node)) network_.nodes[node].cycle_time.reset();
    std::erase_if(network_.routes,
                  [&](const auto& route) { return is_out(route.from) || is_out(route.to); });
}

RingSlices SlicePlanner::plan() {
    const ring::Platform platform(network_);
    const auto routes = shortest_routes(platform);
    const Problem problem{platform, routes, job_.work, job_.exchange, job_.by_round_trips};
    RingSlices slices;
    if (job_.order == SliceOrder::planned) {
        const auto found = plan_fair(problem, {.limits = job_.limits, .seed = job_.seed});
        slices = slice(found.solution.embedding.order, found.solution.division.shares);
    } else {
        std::vector<Host> order(platform.hosts());
        std::iota(order.begin(), order.end(), Host{0});
        if (job_.order == SliceOrder::random) {
            Random random(job_.seed);
            for (std::size_t last = order.size(); last > 1; --last)
                std::swap(order[last - 1], order[random.below(last)]);
        }
        slices = slice(order, speed_shares(problem, order));
    }
    slices.step_time = predict(problem, slices);
    return slices;
}

/// Each host's columns, divided evenly among its ranks; those that get none are out of the ring.
RingSlices SlicePlanner::slice(std::span<const Host> order, std::span<const double> shares) const {
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
RingSlices SlicePlanner::slice_near(const RingSlices& now, const ring::Solution& solution) const {
    std::vector<Host> order = solution.embedding.order;
    std::vector<double> shares = solution.division.shares;
    RingSlices best;
    int most_stay = -1;
    for (int direction = 0; direction < 2; ++direction) {
        for (std::size_t turn = 0; turn < order.size(); ++turn) {
            RingSlices slices = slice(order, shares);
            int stay = 0;
            for (const ColumnMove& move : moves_between(now, slices))
                if (move.from == move.to) stay += move.count;
            if (stay > most_stay) {
                most_stay = stay;
                best = std::move(slices);
            }
            std::rotate(order.begin(), order.begin() + 1, order.end());
            std::rotate(shares.begin(), shares.begin() + 1, shares.end());
        }
        std::reverse(order.begin(), order.end());
        std::reverse(shares.begin(), shares.end());
    }
    return best;
}

std::vector<Host> SlicePlanner::hosts_of(const RingSlices& slices) const {
    std::vector<Host> hosts;
    for (const int rank : slices.ranks) {
        const Host host = host_[static_cast<std::size_t>(rank)];
        if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
    }
    return hosts;
}

std::vector<double> SlicePlanner::shares_of(const RingSlices& slices) const {
    std::vector<double> shares;
    std::optional<Host> last;
    for (std::size_t place = 0; place < slices.ranks.size(); ++place) {
        const Host host = host_[static_cast<std::size_t>(slices.ranks[place])];
        if (last != host) shares.push_back(0);
        last = host;
        shares.back() += static_cast<double>(slices.counts[place]) / job_.columns;
    }
    return shares;
}

double SlicePlanner::predict(const Problem& problem, const RingSlices& slices) const {
    const auto hosts = hosts_of(slices);
    const auto horizon = simulate::RingHorizon::steady(hosts.size());
    return ring::FairShare(problem).evaluate(hosts, shares_of(slices), horizon).division.step_time;
}

void SlicePlanner::learn(const RingSlices& now, std::span<const double> seconds) {
    std::vector<double> busy(stated_.size(), 0);
    std::vector<double> columns(stated_.size(), 0);
    for (std::size_t place = 0; place < now.ranks.size(); ++place) {
        const auto rank = static_cast<std::size_t>(now.ranks[place]);
        if (!(seconds[rank] > 0)) continue;
        const double count = now.counts[place];
        busy[host_[rank]] = std::max(busy[host_[rank]], seconds[rank] * count);
        columns[host_[rank]] += count;
    }
    const double work_of_a_column = job_.work / job_.columns;
    for (std::size_t host = 0; host < stated_.size(); ++host)
        if (columns[host] > 0) measured_[host] = busy[host] / columns[host] / work_of_a_column;

    std::vector<double> ratios;
    for (std::size_t host = 0; host < stated_.size(); ++host)
        if (measured_[host] > 0) ratios.push_back(measured_[host] / stated_[host]);
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
    const Problem problem{platform, routes, job_.work, job_.exchange, job_.by_round_trips};
    const std::vector<Host> ring = hosts_of(now);
    const std::vector<std::vector<Host>> starts{ring};
    const std::vector<ring::Solution> ways{
        ring::FairShare(problem).divide(ring, ring::Balancing::thorough(ring.size())),
        plan_fair(problem, {.limits = job_.limits, .seed = job_.seed}, starts).solution};

    Outlook outlook;
    outlook.step_time_now = predict(problem, now);
    double least = std::numeric_limits<double>::infinity();
    for (const auto& way : ways) {
        RingSlices slices = slice_near(now, way);
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
