#include "directory/assemble.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "directory/assemble_grid.hpp"
#include "directory/both_ways.hpp"
#include "directory/known_costs.hpp"
#include "directory/shared_links.hpp"
#include "directory/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::directory {

namespace {

/// The totals of all nodes, or none if that of some node is not known.
std::vector<BytesPerSecond> totals(const std::vector<std::optional<BytesPerSecond>>& known,
                                   const std::string& name, std::vector<std::string>& warnings) {
    std::vector<BytesPerSecond> all;
    for (const auto& total : known)
        if (total) all.push_back(*total);
    if (all.size() == known.size()) return all;
    if (!all.empty())
        warnings.push_back(fmt::format("the total {} of {} of {} nodes is known, and left out",
                                       name, all.size(), known.size()));
    return {};
}

/// The sum of gap and latency at the sizes of the gap.
network::CostTable sum_of(const network::CostTable& gap, const network::CostTable& latency) {
    std::vector<network::CostTable::Entry> entries(gap.entries().begin(), gap.entries().end());
    for (auto& [size, time] : entries) time += latency(size);
    return network::CostTable(std::move(entries));
}

network::PairwiseNetwork assemble_pairwise(const KnownCosts& known, const SharedLinks& shared,
                                           std::vector<std::string>& warnings) {
    const std::size_t size = known.nodes.size();
    network::PairwiseNetwork network{known.nodes, Matrix<std::optional<Seconds>>(size, size),
                                     Matrix<std::optional<BytesPerSecond>>(size, size),
                                     totals(known.egress, "sent", warnings),
                                     totals(known.ingress, "received", warnings)};
    for (const auto& [ends, costs] : known.pairs) {
        if (ends.first == ends.second) continue;
        auto& startup = network.startup(ends.first, ends.second);
        auto& bandwidth = network.bandwidth(ends.first, ends.second);
        if (costs.spread) {
            if (network.spread.rows() == 0)
                network.spread = Matrix<std::optional<double>>(size, size);
            network.spread(ends.first, ends.second) = costs.spread;
        }
        if (costs.latency) startup = costs.latency->entries().front().time;
        bandwidth = costs.bandwidth;
        if (!costs.gap) continue;
        const bool grows = costs.latency && !costs.latency->is_constant();
        const GapLine line = fit_line(grows ? sum_of(*costs.gap, *costs.latency) : *costs.gap);
        bandwidth = line.bandwidth;
        if (startup) startup = line.startup + (grows ? Seconds(0) : *startup);
    }
    if (!shared.links.empty())
        warnings.push_back(fmt::format(
            "a pairwise network does not tell that pairs share {} links; a grid network does",
            shared.links.size()));
    return network;
}

bool needs_grid(const KnownCosts& known, const SharedLinks& shared) {
    if (!shared.links.empty()) return true;
    bool has_gap = false;
    bool says_more = false;
    bool lacks_rate = false;
    bool between = false;
    for (const auto& [ends, costs] : known.pairs) {
        if (ends.first == ends.second) continue;
        between = true;
        has_gap = has_gap || costs.gap;
        says_more = says_more || (costs.gap && (costs.gap_sizes > 2 || costs.gap->is_constant()));
        lacks_rate = lacks_rate || !costs.has_rate();
    }
    // Of processes of one node only a grid tells.
    return !between || (has_gap && (says_more || lacks_rate));
}

[[noreturn]] void fail_empty(const std::string& name, Time at, const Rule& rule) {
    const std::string window =
        rule.window ? fmt::format(" in the {} before", format_age(*rule.window)) : " or before";
    throw InputError(name, "",
                     fmt::format("no pair was measured alone at {}{}", format_time(at), window));
}

Json describe(const KnownCosts& known, const std::string& name, Time at,
              const AssembleOptions& options, bool grid, const std::vector<std::string>& warnings) {
    const std::chrono::duration<double> age = at - known.oldest;
    Json measured{{"at", format_time(at)},
                  {"by", "espalier directory"},
                  {"source", name},
                  {"rule", to_string(options.rule)},
                  {"measurements", known.measurements},
                  {"oldest", format_time(known.oldest)},
                  {"newest", format_time(known.newest)},
                  {"oldest_age_s", age.count()},
                  {"measured_by", known.by}};
    if (grid) measured["tolerance"] = options.tolerance;
    if (!warnings.empty()) measured["warnings"] = warnings;
    return measured;
}

}  // namespace

Model parse_model(std::string_view text, const std::string& where) {
    if (text == "pairwise") return Model::pairwise;
    if (text == "grid") return Model::grid;
    throw InputError(where, "", fmt::format("'{}' is not pairwise or grid", text));
}

network::Network assemble(const Source& source, const std::string& name, Time at,
                          const AssembleOptions& options) {
    const std::vector<Value> values = apply(options.rule, source, at);
    KnownCosts known = known_costs(values, options.rule, source.nodes());
    if (known.pairs.empty()) fail_empty(name, at, options.rule);
    find_traffic_both_ways(values, known);
    const SharedLinks shared = find_shared_links(values, known);
    std::vector<std::string> warnings;
    if (shared.unclear > 0)
        warnings.push_back(fmt::format(
            "pairs that were active together (here {}) say nothing, because some of them were not "
            "measured alone",
            shared.unclear == 1 ? "1 group" : fmt::format("{} groups", shared.unclear)));
    const bool grid = options.model ? *options.model == Model::grid : needs_grid(known, shared);
    network::Network::Model model =
        grid ? network::Network::Model(assemble_grid(known, shared, options.tolerance, warnings))
             : network::Network::Model(assemble_pairwise(known, shared, warnings));
    return network::Network(std::move(model), describe(known, name, at, options, grid, warnings),
                            name);
}

}  // namespace espalier::directory
