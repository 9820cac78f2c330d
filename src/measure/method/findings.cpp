#include "measure/method/findings.hpp"

#include "core/json_reader.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "network/cluster_names.hpp"
#include "network/unique_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace espalier::measure {

namespace {

network::GridNetwork empty_grid(const Findings& findings) {
    std::vector<std::vector<std::string>> hosts_of;
    for (const auto& cluster : findings.clusters) {
        auto& names = hosts_of.emplace_back();
        for (const std::size_t host : cluster) names.push_back(findings.hosts[host].name);
    }
    const std::vector<std::string> names = network::name_clusters(hosts_of);

    network::GridNetwork grid;
    for (std::size_t c = 0; c < names.size(); ++c) {
        network::Cluster cluster;
        cluster.name = names[c];
        cluster.size = hosts_of[c].size();
        cluster.nodes = std::move(hosts_of[c]);
        if (!findings.cycle_times.empty())
            for (const std::size_t host : findings.clusters[c])
                cluster.cycle_times.push_back(findings.cycle_times[host].value);
        grid.clusters.push_back(std::move(cluster));
    }
    grid.links = Matrix<std::optional<network::PLogP>>(names.size(), names.size());
    return grid;
}

std::size_t unknown_links(const network::GridNetwork& grid) {
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < grid.size(); ++i)
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (i != j && !grid.links(i, j)) ++unknown;
    return unknown;
}

Json spread_of(const Findings& findings, const network::GridNetwork& grid) {
    std::vector<std::vector<Json>> cells(grid.size(), std::vector<Json>(grid.size(), nullptr));
    for (const SurveyRecord& record : findings.surveys) {
        if (record.kind == LinkKind::within_node) continue;
        cells[record.from][record.to] = record.costs.spread;
        if (findings.symmetric && record.kind == LinkKind::between)
            cells[record.to][record.from] = record.costs.spread;
    }
    return cells;
}

/// What the model of messages leaves out, as simulations of the 88-machine grid show it.
constexpr double of_the_model = 0.1;

/// How far predictions may be off: what the model leaves out, and what most links were measured
/// more exactly than.
double uncertainty_of(const Findings& findings) {
    constexpr double most = 90;
    std::vector<double> spreads{0};
    for (const SurveyRecord& record : findings.surveys) spreads.push_back(record.costs.spread);
    return of_the_model + percentile(spreads, most);
}

std::vector<std::string> shortcomings(const Findings& findings, const network::GridNetwork& grid) {
    std::vector<std::string> lines = findings.warnings;
    if (const std::size_t unknown = unknown_links(grid); unknown > 0)
        lines.push_back(
            fmt::format("the budget left no time for {} of the {} links between "
                        "clusters; their costs are unknown",
                        unknown, grid.size() * (grid.size() - 1)));
    if (findings.presumed_links > 0)
        lines.push_back(
            fmt::format("the budget left no time for {} of the {} links between "
                        "clusters; they are presumed to be as fast as the fastest",
                        findings.presumed_links, grid.size() * (grid.size() - 1)));
    if (findings.presumed_insides > 0)
        lines.push_back(fmt::format(
            "the budget left no time for the insides of {} of the {} clusters; they are presumed "
            "to be as another's",
            findings.presumed_insides, grid.size()));
    const auto partial = std::count_if(
        findings.surveys.begin(), findings.surveys.end(),
        [](const auto& record) { return !record.costs.complete && !record.costs.points.empty(); });
    if (partial > 0)
        lines.push_back(fmt::format(
            "the budget left no time for some message sizes of {} of the {} links measured; they "
            "are drawn from the sizes around them",
            partial, findings.surveys.size()));
    return lines;
}

Json computing(const Findings& findings) {
    Json spread = Json::array();
    std::size_t samples = 0;
    for (const CycleTime& time : findings.cycle_times) {
        spread.push_back(time.spread);
        samples += time.samples;
    }
    return {{"kernel", findings.kernel}, {"samples", samples}, {"spread", std::move(spread)}};
}

/// The clusters of a group, or the first of them and how many more there are.
std::string joined_names(const network::GridNetwork& grid, const std::vector<std::size_t>& group) {
    constexpr std::size_t most = 4;
    std::vector<std::string> names;
    for (const std::size_t c : group) names.push_back(grid.clusters[c].name);
    if (names.size() <= most) return fmt::format("{}", fmt::join(names, "+"));
    return fmt::format("{}+{} more", names.front(), names.size() - 1);
}

std::string name_of(const network::GridNetwork& grid, const Bottleneck& bottleneck) {
    using Place = Bottleneck::Place;
    const std::string from = joined_names(grid, bottleneck.from);
    const std::string to = joined_names(grid, bottleneck.to);
    const bool between = bottleneck.place == Place::between || grid.size() == 2;
    if (between) return fmt::format("{} to {}{}", from, to, bottleneck.both ? " and back" : "");
    const std::string& whose = bottleneck.place == Place::out ? from : to;
    if (bottleneck.both) return whose + " up and down";
    return whose + (bottleneck.place == Place::out ? " up" : " down");
}

/// Adds the rates at which a node sends, and receives, in all: those of its fastest stream alone.
void add_caps(const Findings& findings, network::GridNetwork& grid) {
    const Matrix<double> alone = stream_rates(findings.surveys, grid.size(), findings.symmetric);
    for (std::size_t c = 0; c < grid.size(); ++c) {
        double out = 0;
        double in = 0;
        for (std::size_t other = 0; other < grid.size(); ++other) {
            out = std::max(out, alone(c, other));
            in = std::max(in, alone(other, c));
        }
        if (out > 0) grid.clusters[c].egress = BytesPerSecond(out);
        if (in > 0) grid.clusters[c].ingress = BytesPerSecond(in);
    }
}

void add_shared(const Findings& findings, network::GridNetwork& grid, Json& measured) {
    measured["shared"] = Json::array();
    network::UniqueNames names;
    for (const Bottleneck& bottleneck : findings.bottlenecks) {
        const std::string name = names.take(name_of(grid, bottleneck));
        grid.shared.push_back({name, BytesPerSecond(bottleneck.capacity), bottleneck.pairs()});
        measured["shared"].push_back(
            {{"name", name}, {"apart_Bps", bottleneck.apart}, {"rounds", bottleneck.rounds}});
    }
}

/// The transport between real hosts, which is TCP: ten segments at once on a connection
/// that was idle (RFC 6928), shares by round trips, queues of routers that hold about a tenth
/// of a second, and windows that halve after the least of Linux's time-outs.
constexpr network::Transport usual_transport{
    Bytes(16'384), Seconds(0.1), network::Transport::Shares::by_round_trip, Seconds(0.2)};
/// What simulations make of it: long messages share likewise, short ones don't pass them.
constexpr network::Transport simulated_transport{.shares =
                                                     network::Transport::Shares::by_round_trip};

}  // namespace

network::Network to_network(const Findings& findings) {
    network::GridNetwork grid = empty_grid(findings);
    for (const SurveyRecord& record : findings.surveys) {
        if (record.costs.points.empty()) continue;
        network::PLogP link = fit(record.costs);
        link.spread = of_the_model + record.costs.spread;
        network::Cluster& cluster = grid.clusters[record.from];
        if (record.kind == LinkKind::inside) {
            cluster.inside = network::Cluster::Local{link};
        } else if (record.kind == LinkKind::within_node) {
            cluster.within_node = link;
        } else {
            grid.links(record.from, record.to) = link;
            if (findings.symmetric) grid.links(record.to, record.from) = link;
        }
    }

    grid.message_time = findings.message_time;
    add_caps(findings, grid);

    Json measured;
    measured["at"] = findings.at;
    measured["by"] = "espalier measure";
    measured["mpi"] = findings.mpi;
    if (findings.eager) measured["eager_bytes"] = *findings.eager;
    measured["ranks"] = findings.ranks;
    measured["hosts"] = findings.hosts.size();
    measured["seconds"] = findings.taken.value;
    measured["budget_s"] = findings.budget.value;
    measured["tolerance"] = findings.tolerance;
    measured["symmetric"] = findings.symmetric;
    measured["spread"] = spread_of(findings, grid);
    grid.uncertainty = uncertainty_of(findings);
    add_shared(findings, grid, measured);
    if (findings.sharing_known) grid.unstated = network::Unstated::separate;
    grid.transport = findings.noisy ? usual_transport : simulated_transport;
    if (!findings.windows_restart.value_or(true)) grid.transport.restart.reset();
    measured["transport"] = "assumed";
    if (!findings.cycle_times.empty()) measured["compute"] = computing(findings);
    measured["skipped_pairs"] = unknown_pairs(findings.latencies);
    measured["warnings"] = shortcomings(findings, grid);
    return network::Network(std::move(grid), std::move(measured), "measured network");
}

std::string summary(const network::Network& network) {
    const Json& measured = network.measured();
    const auto plural = [](std::size_t count, std::string_view noun) {
        return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    return fmt::format("{} of {}, {}, measured in {} of {}",
                       plural(network.grid()->size(), "cluster"),
                       plural(measured.at("hosts").get<std::size_t>(), "host"),
                       plural(measured.at("ranks").get<std::size_t>(), "rank"),
                       format_seconds(Seconds(measured.at("seconds").get<double>())),
                       format_seconds(Seconds(measured.at("budget_s").get<double>())));
}

}  // namespace espalier::measure
