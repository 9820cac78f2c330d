#include "overview/text.hpp"

#include "core/json_reader.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "overview/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace espalier::overview {

namespace {

constexpr std::size_t most_groups = 60;
constexpr std::size_t most_columns = 16;
constexpr std::size_t most_capacities = 30;

using Field = std::function<std::optional<double>(std::size_t)>;

/// Adds a column of numbers, in one unit, unless nobody knows any of them.
void add_numbers(Sheet& sheet, const std::vector<std::size_t>& groups, const std::string& title,
                 const Field& field,
                 const std::function<Unit(const std::vector<double>&)>& choose_unit) {
    std::vector<double> known;
    for (const std::size_t group : groups)
        if (const auto value = field(group)) known.push_back(*value);
    if (known.empty()) return;
    const Unit unit = choose_unit(known);
    sheet.columns.push_back({unit.after(title)});
    for (std::size_t row = 0; row < groups.size(); ++row)
        sheet.rows[row].push_back(unit.number(field(groups[row])));
}

void add_words(Sheet& sheet, const std::vector<std::size_t>& groups, const std::string& title,
               bool number, const std::function<std::string(std::size_t)>& field) {
    sheet.columns.push_back({title, number});
    for (std::size_t row = 0; row < groups.size(); ++row)
        sheet.rows[row].push_back(field(groups[row]));
}

/// A matrix whose rows and columns bear the numbers of the groups.
std::string matrix_text(const Matrix<std::optional<double>>& cells,
                        const std::vector<std::size_t>& groups, const Unit& unit) {
    std::vector<Table::Column> titles{{"from", Table::Align::right}};
    for (const std::size_t group : groups)
        titles.push_back({std::to_string(group + 1), Table::Align::right});
    Table table(std::move(titles));
    for (const std::size_t from : groups) {
        std::vector<std::string> row{std::to_string(from + 1)};
        for (const std::size_t to : groups)
            row.push_back(from == to ? "" : unit.number(cells(from, to)));
        table.add(std::move(row));
    }
    return table.text();
}

/// The extremes of a row, or of a column, of a matrix: with whom, and how much.
struct Extreme {
    std::size_t group = 0;
    double value = 0;
};
std::optional<Extreme> extreme(const Matrix<std::optional<double>>& cells, std::size_t from,
                               bool greatest) {
    std::optional<Extreme> found;
    for (std::size_t to = 0; to < cells.columns(); ++to) {
        const auto& cell = cells(from, to);
        if (to == from || !cell) continue;
        if (!found || (greatest ? *cell > found->value : *cell < found->value))
            found = Extreme{to, *cell};
    }
    return found;
}

/// In place of matrices that would be too wide: whom each group is nearest to and farthest from,
/// and to whom it sends fastest and slowest.
std::string extremes_text(const Overview& overview, const std::vector<std::size_t>& groups,
                          std::size_t columns) {
    const Unit time = time_unit(overview, known_values(overview.latencies, groups));
    const Unit rate = rate_unit(overview, known_values(overview.rates, groups));
    Sheet sheet;
    sheet.rows.resize(groups.size());
    add_words(sheet, groups, "from", false,
              [&](std::size_t group) { return overview.groups[group].name; });
    const auto add = [&](const std::string& title, const Matrix<std::optional<double>>& cells,
                         bool greatest, const Unit& unit) {
        add_words(sheet, groups, title, false, [&](std::size_t group) {
            const auto found = extreme(cells, group, greatest);
            return found ? overview.groups[found->group].name : "-";
        });
        add_words(sheet, groups, unit.name, true, [&](std::size_t group) {
            const auto found = extreme(cells, group, greatest);
            return found ? unit.number(found->value) : "-";
        });
    };
    add("nearest", overview.latencies, false, time);
    add("farthest", overview.latencies, true, time);
    add("fastest to", overview.rates, true, rate);
    add("slowest to", overview.rates, false, rate);
    return text_of(sheet, columns);
}

std::string pairs_text(const Overview& overview, const std::vector<std::size_t>& groups,
                       std::size_t columns) {
    if (overview.groups.size() > most_columns) {
        std::string text =
            "\nLatencies and rates between them:\n\n" + extremes_text(overview, groups, columns);
        if (overview.noun != "cluster")
            text +=
                fmt::format("\nespalier partition finds clusters of like {}.\n", plural(overview));
        return text;
    }
    std::string text;
    if (const auto times = known_values(overview.latencies, groups); !times.empty()) {
        const Unit unit = time_unit(overview, times);
        text += "\n" + unit.after("Latency, row to column") + ":\n\n" +
                matrix_text(overview.latencies, groups, unit);
    }
    if (const auto rates = known_values(overview.rates, groups); !rates.empty()) {
        const Unit unit = rate_unit(overview, rates);
        text += "\n" + unit.after("Rate of one large message, row to column") + ":\n\n" +
                matrix_text(overview.rates, groups, unit);
    }
    return text;
}

std::string capacities_text(const Overview& overview, std::size_t columns) {
    std::string text = "\nShared capacities:\n\n" +
                       text_of(sheet_of_capacities(overview, most_capacities), columns);
    if (overview.capacities.size() > most_capacities)
        text += fmt::format("  and {} more\n", overview.capacities.size() - most_capacities);
    return text;
}

}  // namespace

std::string text_of(const Sheet& sheet, std::size_t columns) {
    std::vector<Table::Column> titles;
    for (const Sheet::Column& column : sheet.columns)
        titles.push_back({column.title, column.number ? Table::Align::right : Table::Align::left});
    Table table(std::move(titles));
    for (const auto& row : sheet.rows) table.add(row);
    return table.text(columns);
}

std::string title_of(const Overview& overview) {
    std::string title = fmt::format("{} of {} {}", overview.model, overview.groups.size(),
                                    overview.groups.size() == 1 ? overview.noun : plural(overview));
    if (overview.nodes != overview.groups.size()) title += ", " + counted(overview.nodes, "node");
    if (!overview.routers.empty()) title += ", " + counted(overview.routers.size(), "router");
    return title;
}

std::string left_out(const Overview& overview, std::size_t shown) {
    if (shown >= overview.groups.size()) return {};
    return fmt::format("{} of {} {} are left out", overview.groups.size() - shown,
                       overview.groups.size(), plural(overview));
}

Sheet sheet_of_groups(const Overview& overview, const std::vector<std::size_t>& groups) {
    const auto of = [&](std::size_t group) -> const Group& { return overview.groups[group]; };
    const auto times = [&](const auto& known) { return time_unit(overview, known); };
    const auto rates = [&](const auto& known) { return rate_unit(overview, known); };
    const auto inside = [&](const Matrix<std::optional<double>>& cells) -> Field {
        return [&cells](std::size_t group) {
            return cells.rows() == 0 ? std::nullopt : cells(group, group);
        };
    };
    Sheet sheet;
    sheet.rows.resize(groups.size());
    add_words(sheet, groups, "#", true, [](std::size_t g) { return std::to_string(g + 1); });
    add_words(sheet, groups, overview.noun, false, [&](std::size_t g) { return of(g).name; });
    if (std::ranges::any_of(overview.groups, [](const Group& g) { return !g.site.empty(); }))
        add_words(sheet, groups, "in", false, [&](std::size_t g) { return of(g).site; });
    if (overview.nodes != overview.groups.size())
        add_words(sheet, groups, "nodes", true,
                  [&](std::size_t g) { return std::to_string(of(g).nodes); });
    add_numbers(sheet, groups, "latency inside", inside(overview.latencies), times);
    add_numbers(sheet, groups, "rate inside", inside(overview.rates), rates);
    add_numbers(
        sheet, groups, "a node sends", [&](std::size_t g) { return of(g).egress; }, rates);
    add_numbers(
        sheet, groups, "receives", [&](std::size_t g) { return of(g).ingress; }, rates);
    add_numbers(
        sheet, groups, "latency within a node", [&](std::size_t g) { return of(g).within_node; },
        times);
    add_numbers(
        sheet, groups, "broadcast inside", [&](std::size_t g) { return of(g).broadcast; }, times);
    add_numbers(
        sheet, groups, "a message takes", [&](std::size_t g) { return of(g).send_time; }, times);
    if (std::ranges::any_of(overview.groups,
                            [](const Group& g) { return g.cycle_times.has_value(); }))
        add_words(sheet, groups, "cycle time", true, [&](std::size_t g) -> std::string {
            const auto& range = of(g).cycle_times;
            if (!range) return "-";
            return range->first == range->second
                       ? fmt::format("{:.3g}", range->first)
                       : fmt::format("{:.3g} to {:.3g}", range->first, range->second);
        });
    return sheet;
}

Sheet sheet_of_capacities(const Overview& overview, std::size_t most) {
    Sheet sheet;
    std::vector<double> known;
    for (const Capacity& capacity : overview.capacities) known.push_back(capacity.rate);
    const Unit unit = rate_unit(overview, known);
    const Unit bytes{1e6, "MB/s"};
    sheet.columns = {{"capacity", false}, {unit.name.empty() ? "rate" : unit.name}};
    if (overview.in_seconds()) sheet.columns.push_back({bytes.name});
    sheet.columns.push_back({"who draws on it", false});
    for (std::size_t c = 0; c < std::min(most, overview.capacities.size()); ++c) {
        const Capacity& capacity = overview.capacities[c];
        std::vector<std::string> row{capacity.name + (capacity.presumed ? " (presumed)" : ""),
                                     unit.number(capacity.rate)};
        if (overview.in_seconds()) row.push_back(bytes.number(capacity.rate));
        row.push_back(who_shares(overview, capacity));
        sheet.rows.push_back(std::move(row));
    }
    return sheet;
}

std::vector<Advice> advice(const Overview& overview) {
    std::vector<Advice> all;
    for (const Unknown& unknown : overview.unknown) {
        auto same = std::ranges::find(all, unknown.remedy, &Advice::remedy);
        if (same == all.end()) same = all.insert(all.end(), {unknown.remedy, {}});
        same->what.push_back(unknown.what);
    }
    return all;
}

std::string to_text(const Overview& overview, std::size_t columns) {
    const std::vector<std::size_t> groups = largest_groups(overview, most_groups);
    std::string text =
        title_of(overview) + "\n\n" + text_of(sheet_of_groups(overview, groups), columns);
    if (const std::string rest = left_out(overview, groups.size()); !rest.empty())
        text += fmt::format("\n{}.\n", rest);
    if (overview.has_pairs()) text += pairs_text(overview, groups, columns);
    if (!overview.capacities.empty()) text += capacities_text(overview, columns);
    if (!overview.facts.empty()) text += "\n";
    for (const std::string& fact : overview.facts) text += wrapped(fact + ".", columns, 2) + "\n";
    if (!overview.in_seconds() && overview.time_unit.empty())
        text += "\nTimes and rates are in the file's own units.\n";
    for (const Advice& part : advice(overview)) {
        text +=
            "\n" +
            wrapped(part.remedy.empty() ? "Not known:" : fmt::format("Not known; {}:", part.remedy),
                    columns, 2) +
            "\n";
        for (const std::string& what : part.what) text += wrapped("  - " + what, columns, 2) + "\n";
    }
    return text;
}

Json to_json(const Overview& overview) {
    const auto names = [&](const std::vector<std::size_t>& groups) {
        Json list = Json::array();
        for (const std::size_t group : groups) list.push_back(overview.groups[group].name);
        return list;
    };
    const auto cells = [](const Matrix<std::optional<double>>& matrix) {
        Json rows = Json::array();
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
            Json row = Json::array();
            for (const auto& cell : matrix.row(i))
                row.push_back(cell ? Json(*cell) : Json(nullptr));
            rows.push_back(std::move(row));
        }
        return rows;
    };
    Json document{{"format", "espalier-overview"},
                  {"version", 1},
                  {"model", overview.model},
                  {"time_unit", overview.time_unit},
                  {"nodes", overview.nodes}};
    document["groups"] = Json::array();
    for (const Group& group : overview.groups) {
        Json one{{"name", group.name}, {"nodes", group.nodes}};
        if (!group.site.empty()) one["site"] = group.site;
        const auto add = [&](const char* name, const std::optional<double>& value) {
            if (value) one[name] = *value;
        };
        add("egress_Bps", group.egress);
        add("ingress_Bps", group.ingress);
        add("within_node_latency_s", group.within_node);
        add("broadcast_s", group.broadcast);
        add("transmission_time", group.send_time);
        if (group.cycle_times)
            one["cycle_times"] = Json::array({group.cycle_times->first, group.cycle_times->second});
        document["groups"].push_back(std::move(one));
    }
    document["latency_s"] = cells(overview.latencies);
    document["rate_Bps"] = cells(overview.rates);
    document["shared"] = Json::array();
    for (const Capacity& capacity : overview.capacities)
        document["shared"].push_back({{"name", capacity.name},
                                      {"capacity_Bps", capacity.rate},
                                      {"presumed", capacity.presumed},
                                      {"from", names(capacity.from)},
                                      {"to", names(capacity.to)},
                                      {"both", capacity.both},
                                      {"all_pairs", capacity.all_pairs}});
    document["facts"] = overview.facts;
    document["not_known"] = Json::array();
    for (const Unknown& unknown : overview.unknown)
        document["not_known"].push_back({{"what", unknown.what}, {"remedy", unknown.remedy}});
    return document;
}

}  // namespace espalier::overview
