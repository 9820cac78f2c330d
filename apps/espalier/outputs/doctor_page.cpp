#include "outputs/doctor_page.hpp"

#include "core/prose.hpp"
#include "core/table.hpp"
#include "doctor/report.hpp"
#include "overview/units.hpp"
#include "report/heat_map.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace espalier::cli {

namespace {

using doctor::CardNetwork;
using doctor::Facts;
using doctor::Finding;
using doctor::Pair;
using overview::Unit;

constexpr std::size_t most_hosts = 40;  // in a matrix

std::vector<report::Card> cards_of(const std::vector<Finding>& findings, Finding::Kind kind,
                                   std::size_t& number) {
    constexpr std::size_t most_named = 12;
    std::vector<report::Card> cards;
    for (const Finding& finding : findings) {
        if (finding.kind != kind) continue;
        report::Card card{fmt::format("{}. {}", ++number, finding.cause), {}};
        card.urgent = kind == Finding::Kind::fault;
        if (!finding.hosts.empty()) card.title += ": " + listed(finding.hosts, most_named);
        if (!finding.where.empty()) card.words.emplace_back("where", finding.where);
        card.words.emplace_back("seen", finding.evidence);
        card.words.emplace_back("mend", finding.remedy);
        cards.push_back(std::move(card));
    }
    return cards;
}

/// Those of a network, of many first those that something was found about.
std::vector<std::size_t> shown_hosts(const Facts& facts, const CardNetwork& network,
                                     const std::vector<Finding>& findings) {
    std::vector<std::size_t> hosts;
    for (const CardNetwork::Member& member : network.members) hosts.push_back(member.host);
    if (hosts.size() <= most_hosts) return hosts;
    std::stable_partition(hosts.begin(), hosts.end(), [&](std::size_t host) {
        return !doctor::causes_of(facts.hosts[host].name, findings).empty();
    });
    hosts.resize(most_hosts);
    std::ranges::sort(hosts);
    return hosts;
}

using Value = std::function<std::optional<double>(const Pair&)>;

/// Empty where nothing is known.
std::string matrix(const Facts& facts, std::size_t network, const std::vector<std::size_t>& hosts,
                   const Value& value_of, const std::function<Unit(std::vector<double>)>& unit_of,
                   report::HeatMap map) {
    map.values = Matrix<std::optional<double>>(hosts.size(), hosts.size());
    map.numbers = Matrix<std::string>(hosts.size(), hosts.size());
    std::vector<double> known;
    for (const Pair& pair : facts.pairs) {
        const auto from = std::ranges::find(hosts, pair.from);
        const auto to = std::ranges::find(hosts, pair.to);
        if (pair.network != network || from == hosts.end() || to == hosts.end()) continue;
        const auto value = value_of(pair);
        map.values(static_cast<std::size_t>(from - hosts.begin()),
                   static_cast<std::size_t>(to - hosts.begin())) = value;
        if (value) known.push_back(*value);
    }
    if (std::ranges::all_of(known, [](double value) { return value == 0; })) return "";
    const Unit unit = unit_of(known);
    map.title = fmt::format("{}, from row to column; stronger: {}", unit.after(map.title),
                            map.small_is_strong ? "slower" : "more");
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        map.names.push_back(facts.hosts[hosts[i]].name);
        for (std::size_t j = 0; j < hosts.size(); ++j)
            map.numbers(i, j) = map.values(i, j) ? unit.number(*map.values(i, j))
                                : i == j         ? ""
                                                 : "?";
    }
    return report::picture(report::heat_panel(map), map.title);
}

/// nullopt where nothing was sent.
std::optional<double> lost(const Pair& pair) {
    const std::uint64_t sent = pair.small_sent + pair.large_sent;
    const std::uint64_t received = pair.small_received + pair.large_received;
    if (sent == 0) return std::nullopt;
    return received >= sent ? 0 : static_cast<double>(sent - received) / static_cast<double>(sent);
}

std::string matrices(const Facts& facts, std::size_t network,
                     const std::vector<Finding>& findings) {
    const CardNetwork& cards = facts.networks[network];
    const std::vector<std::size_t> hosts = shown_hosts(facts, cards, findings);
    const auto time = [](const std::vector<double>& all) {
        return overview::unit_for(all, 0.01, {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}});
    };
    const auto rate = [](const std::vector<double>& all) {
        return overview::unit_for(all, 0.1, {{1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}});
    };
    const auto part = [](const std::vector<double>&) { return Unit{0.01, "%"}; };
    const std::string orange(report::palette::orange);
    const std::string blue(report::palette::blue);
    std::string html =
        matrix(facts, network, hosts, lost, part, {.title = "Packets lost", .colour = orange}) +
        matrix(facts, network, hosts, &Pair::rate_Bps, rate,
               {.title = "Rate", .colour = orange, .small_is_strong = true}) +
        matrix(facts, network, hosts, &Pair::round_trip_s, time,
               {.title = "Round trip", .colour = blue}) +
        matrix(facts, network, hosts, &Pair::spread_s, time, {.title = "Jitter", .colour = blue});
    if (html.empty()) return "";
    const std::size_t left_out = cards.members.size() - hosts.size();
    return report::heading("Ways between hosts on " + cards.name) + html +
           report::paragraph(
               left_out == 0 ? "" : counted(left_out, "host") + " without a finding left out.");
}

std::string table_of_hosts(const Facts& facts, const std::vector<Finding>& findings) {
    constexpr std::size_t most_rows = 1000;
    constexpr std::size_t words = 3;
    overview::Sheet sheet;
    for (const std::string_view title : doctor::host_columns)
        sheet.columns.push_back({std::string(title), sheet.columns.size() >= words});
    sheet.columns.insert(sheet.columns.begin() + 1, {"found", false});
    const auto rows = doctor::host_rows(facts);
    for (const doctor::HostRow& row : rows) {
        if (sheet.rows.size() == most_rows) break;
        std::vector<std::string> cells(row.cells.begin(), row.cells.end());
        const auto causes = doctor::causes_of(facts.hosts[row.host].name, findings);
        cells.insert(cells.begin() + 1, causes.empty() ? "-" : listed(causes, causes.size()));
        sheet.rows.push_back(std::move(cells));
    }
    std::string html = report::heading("Hosts") + report::table(sheet);
    if (rows.size() > most_rows)
        html += report::paragraph(counted(rows.size() - most_rows, "row") + " more left out.");
    return html;
}

/// Each value that a setting has, with its hosts.
std::string settings(const Facts& facts) {
    constexpr std::size_t most_named = 6;
    std::map<std::string, std::map<std::string, std::vector<std::string>>> values;
    const auto add = [&](const doctor::Host& host, const std::map<std::string, std::string>& all) {
        for (const auto& [name, value] : all) values[name][value].push_back(host.name);
    };
    for (const doctor::Host& host : facts.hosts) {
        add(host, host.settings);
        add(host, host.environment);
    }
    overview::Sheet sheet{{{"setting", false}, {"value", false}, {"hosts", false}}, {}};
    for (const auto& [name, each] : values)
        for (const auto& [value, hosts] : each)
            sheet.rows.push_back(
                {name, value,
                 hosts.size() == facts.hosts.size() ? "all" : listed(hosts, most_named)});
    if (sheet.rows.empty()) return "";
    return report::folded("Settings and variables", report::table(sheet), false);
}

/// `loss: a-3; slow-card: a-1`
std::string in_short(const std::vector<Finding>& findings) {
    constexpr std::size_t most_named = 3;
    std::string text;
    for (const Finding& finding : findings) {
        if (finding.kind != Finding::Kind::fault) continue;
        if (!text.empty()) text += "; ";
        text += finding.cause;
        if (!finding.hosts.empty()) text += ": " + listed(finding.hosts, most_named);
    }
    return text;
}

}  // namespace

std::string doctor_page(const Facts& facts, const std::string& file, const std::string& made) {
    const std::vector<Finding> findings = doctor::diagnose(facts);
    const std::string title = doctor::verdict_of(facts, findings);
    std::string page =
        report::begin_page(title) + report::heading_of_page(title, in_short(findings)) + "<main>\n";
    std::size_t number = 0;
    page += report::cards(cards_of(findings, Finding::Kind::fault, number));
    if (const auto advice = cards_of(findings, Finding::Kind::advice, number); !advice.empty())
        page += report::heading("Advice") + report::cards(advice);
    for (std::size_t network = 0; network < facts.networks.size(); ++network)
        page += matrices(facts, network, findings);
    page += table_of_hosts(facts, findings) + settings(facts) +
            report::origin({file + ", written by espalier doctor; what it saw is judged anew.",
                            fmt::format("In a terminal: espalier doctor --from {}.", file), made});
    return page + "</main>\n" + std::string(report::end_of_page);
}

}  // namespace espalier::cli
