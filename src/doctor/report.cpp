#include "doctor/report.hpp"

#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/prose.hpp"
#include "core/statistics.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "doctor/rules.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace espalier::doctor {

namespace {

std::string median_text(std::vector<double> values, std::string (*format)(double)) {
    return values.empty() ? "-" : format(median(values));
}

std::string time_text(double seconds) { return format_seconds(Seconds(seconds)); }
std::string rate_text(double rate) { return format_rate(BytesPerSecond(rate)); }
std::string part_text(double part) { return part == 0 ? "0" : fmt::format("{:.2g}%", 100 * part); }

/// What was seen of a host on a network, over its ways in one direction.
struct Direction {
    std::vector<double> rates;
    double sent = 0;
    double received = 0;

    void add(const Pair& pair) {
        if (pair.rate_Bps) rates.push_back(*pair.rate_Bps);
        sent += static_cast<double>(pair.small_sent + pair.large_sent);
        received += static_cast<double>(pair.small_received + pair.large_received);
    }
    [[nodiscard]] double lost() const {
        return sent > 0 ? std::max(sent - received, 0.0) / sent : 0;
    }
};

std::array<std::string, 10> cells_of(const Facts& facts, std::size_t network,
                                     const CardNetwork::Member& member) {
    Direction out;
    Direction in;
    std::vector<double> round_trips;
    std::vector<double> spreads;
    for (const Pair& pair : facts.pairs) {
        if (pair.network != network) continue;
        if (pair.from == member.host) out.add(pair);
        if (pair.to == member.host) in.add(pair);
        if (pair.from != member.host) continue;
        if (pair.round_trip_s) round_trips.push_back(*pair.round_trip_s);
        if (pair.spread_s) spreads.push_back(*pair.spread_s);
    }
    const Host& host = facts.hosts[member.host];
    return {host.name,
            host.interfaces[member.interface].name,
            member.address,
            median_text(round_trips, time_text),
            median_text(spreads, time_text),
            median_text(out.rates, rate_text),
            median_text(in.rates, rate_text),
            part_text(out.lost()),
            part_text(in.lost()),
            host.work_s > 0 ? time_text(host.work_s) : "-"};
}

bool is_named(const std::vector<Finding>& findings, const std::string& host) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.kind == Finding::Kind::fault &&
               std::ranges::find(finding.hosts, host) != finding.hosts.end();
    });
}

std::string table_of_hosts(const Facts& facts, const std::vector<Finding>& findings,
                           std::size_t columns) {
    constexpr std::size_t many = 40;
    constexpr std::size_t words = 3;
    std::vector<Table::Column> titles;
    for (const std::string_view title : host_columns)
        titles.push_back(
            {std::string(title), titles.size() < words ? Table::Align::left : Table::Align::right});
    Table table(std::move(titles));
    std::size_t left_out = 0;
    for (const HostRow& row : host_rows(facts)) {
        if (table.size() < many || is_named(findings, facts.hosts[row.host].name))
            table.add({row.cells.begin(), row.cells.end()});
        else
            ++left_out;
    }
    std::string text = table.text(columns);
    if (left_out > 0) text += fmt::format("  and {} more\n", left_out);
    return text;
}

std::string text_of(const Finding& finding, std::size_t number, std::size_t columns) {
    constexpr std::size_t most_hosts = 6;
    constexpr std::size_t indent = 2;
    std::string title = fmt::format("{}. {}", number, finding.cause);
    if (!finding.hosts.empty()) title += ": " + listed(finding.hosts, most_hosts);
    if (!finding.where.empty()) title += fmt::format(" ({})", finding.where);
    return wrapped(title, columns, indent) + "\n" +
           wrapped("   seen: " + finding.evidence, columns, indent + 1) + "\n" +
           wrapped("   mend: " + finding.remedy, columns, indent + 1) + "\n";
}

std::size_t count_of(const std::vector<Finding>& findings, Finding::Kind kind) {
    return static_cast<std::size_t>(std::ranges::count(findings, kind, &Finding::kind));
}

}  // namespace

std::string verdict_of(const Facts& facts, const std::vector<Finding>& findings) {
    std::vector<std::string> networks;
    for (const CardNetwork& network : facts.networks) networks.push_back(network.name);
    constexpr std::size_t most_networks = 4;
    const std::size_t faults = count_of(findings, Finding::Kind::fault);
    return fmt::format(
        "{}, {}{}: {}", counted(facts.hosts.size(), "host"), counted(networks.size(), "network"),
        networks.empty() ? "" : fmt::format(" ({})", listed(networks, most_networks)),
        faults == 0 ? "nothing wrong was seen" : counted(faults, "fault"));
}

std::vector<HostRow> host_rows(const Facts& facts) {
    std::vector<HostRow> rows;
    for (std::size_t network = 0; network < facts.networks.size(); ++network)
        for (const CardNetwork::Member& member : facts.networks[network].members)
            rows.push_back({member.host, cells_of(facts, network, member)});
    return rows;
}

std::vector<std::string> causes_of(const std::string& host, const std::vector<Finding>& findings) {
    std::vector<std::string> causes;
    for (const Finding& finding : findings)
        if (std::ranges::find(finding.hosts, host) != finding.hosts.end() &&
            std::ranges::find(causes, finding.cause) == causes.end())
            causes.push_back(finding.cause);
    return causes;
}

std::string to_text(const Facts& facts, const std::vector<Finding>& findings, int descriptor) {
    const std::size_t columns = columns_of_output(descriptor);
    const std::size_t faults = count_of(findings, Finding::Kind::fault);
    std::string text = verdict_of(facts, findings) + "\n";
    std::size_t number = 0;
    for (const Finding& finding : findings) {
        if (number == faults) text += "\nAdvice\n";
        if (number < faults) text += "\n";
        text += text_of(finding, ++number, columns);
    }
    return text + "\n" + table_of_hosts(facts, findings, columns_of_tables(descriptor));
}

Facts read_document(const JsonValue& document) {
    require_format(document, "espalier-doctor");
    document.allow_only({"format", "version", "findings", "hosts", "pairs"});
    return facts_from_json(document);
}

Json to_json(const Facts& facts, const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings)
        list.push_back({{"kind", finding.kind == Finding::Kind::fault ? "fault" : "advice"},
                        {"cause", finding.cause},
                        {"hosts", finding.hosts},
                        {"where", finding.where},
                        {"evidence", finding.evidence},
                        {"remedy", finding.remedy}});
    Json document{{"format", "espalier-doctor"}, {"version", 1}, {"findings", std::move(list)}};
    write_facts(document, facts);
    return document;
}

void deliver(const Facts& facts, const std::string& output, bool json) {
    const auto findings = diagnose(facts);
    const std::string document = espalier::to_text(to_json(facts, findings));
    if (!output.empty()) write_file(output, document);
    if (output == "-") return;
    write_file("-", json ? document : to_text(facts, findings, STDOUT_FILENO));
}

}  // namespace espalier::doctor
