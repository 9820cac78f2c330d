#include "outputs/run_page.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "outputs/call_drawings.hpp"
#include "outputs/call_sizes.hpp"
#include "overview/overview.hpp"
#include "report/bars.hpp"
#include "report/network_svg.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"
#include "runs/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace espalier::cli {

namespace {

using report::AmountGroup;
using runs::Group;
using runs::Run;

std::string name_of(const Group& group) {
    return fmt::format("{} {}, {}", group.collective, format_bytes(group.bytes),
                       counted(group.ranks, "rank"));
}

std::string signed_time(Seconds time) {
    return (time.value < 0 ? "−" : "") + format_seconds(Seconds(std::abs(time.value)));
}

/// How savings are known.
std::string basis_of(const runs::Saved& saved) {
    if (saved.measured.value == 0 && saved.predicted.value == 0) return "";
    if (saved.predicted.value == 0) return "calls by plans were timed against MPI's own";
    if (saved.measured.value == 0) return "MPI's own is predicted: no call was done by it";
    return fmt::format("{} by timing calls of both kinds, {} predicted",
                       signed_time(saved.measured), signed_time(saved.predicted));
}

std::string verdict(const Run& run) {
    const Seconds inside = run.in_collectives();
    const runs::Saved saved = runs::saved_by(run);
    Seconds to_mpi(0);
    std::uint64_t calls_to_mpi = 0;
    std::uint64_t calls = 0;
    for (const runs::Left& left : runs::left_to_mpi(run)) {
        to_mpi += left.sum;
        calls_to_mpi += left.calls;
    }
    for (const runs::Call& call : run.calls) calls += call.calls;
    std::vector<report::Figure> all{
        {format_seconds(inside), "Time in collectives",
         fmt::format(
             "rank 0, {}{}", counted(calls, "call"),
             run.elapsed && run.elapsed->value > 0
                 ? fmt::format(", {:.0f}% of {}", 100 * std::min(inside / *run.elapsed, 1.0),
                               format_seconds(*run.elapsed))
                 : "")},
        {signed_time(saved.all()), saved.all().value < 0 ? "Lost, about" : "Saved, about",
         basis_of(saved)},
        {format_seconds(run.start), "Cost at the start",
         run.network_from == "measured" ? "the network was measured, for later runs too"
                                        : "the network: " + run.network_from},
        {format_seconds(to_mpi), "Left to MPI", counted(calls_to_mpi, "call")}};
    std::string html = report::figures(all);
    if (const std::string advice = runs::advice(run); !advice.empty())
        html +=
            "<div class=\"advice\">" + report::paragraph("Advice: " + advice + ".") + "</div>\n";
    return html;
}

/// What a call takes by a plan and by MPI's own, and what nothing beats.
std::string bars(const std::vector<Group>& groups) {
    constexpr std::size_t most_groups = 12;
    constexpr double longest = 460;
    std::vector<AmountGroup> rows;
    for (const Group& group : groups) {
        if (rows.size() == most_groups) break;
        if (!group.gain) continue;
        AmountGroup row{name_of(group), {}};
        row.amounts.push_back(
            {group.gain->planned.value,
             fmt::format("{} by {}", format_seconds(group.gain->planned), listed(group.by, 2)),
             report::palette::blue});
        row.amounts.push_back(
            {group.gain->own.value,
             fmt::format("{}{} by MPI: {:.2g} times as long", group.gain->measured ? "" : "~",
                         format_seconds(group.gain->own), group.gain->own / group.gain->planned),
             report::palette::orange, !group.gain->measured});
        if (group.bound) row.mark = group.bound->value;
        rows.push_back(std::move(row));
    }
    if (rows.empty()) return "";
    return report::picture(
               report::bar_panel("A call, until its last rank is done", std::move(rows), longest),
               "What calls take by plans and by MPI's own") +
           report::paragraph(
               "Hollow: predicted, since no call was done so. The green line is the lower bound, "
               "that "
               "no schedule of any kind beats in the model that plans are made in.");
}

std::string table_of(std::span<const Group> groups) {
    overview::Sheet sheet{{{"calls of", false},
                           {"calls"},
                           {"rank 0 in all"},
                           {"one planned"},
                           {"predicted"},
                           {"lower bound"},
                           {"one by MPI"},
                           {"times faster"},
                           {"saved"},
                           {"done by", false}},
                          {}};
    const auto known = [](const std::optional<Seconds>& time) {
        return time ? format_seconds(*time) : "-";
    };
    for (const Group& group : groups) {
        std::vector<std::string> row{name_of(group), fmt::format("{}", group.calls),
                                     format_seconds(group.sum)};
        if (group.gain) {
            row.insert(
                row.end(),
                {format_seconds(group.gain->planned), known(group.predicted), known(group.bound),
                 (group.gain->measured ? "" : "~") + format_seconds(group.gain->own),
                 fmt::format("{:.2f}", group.gain->own / group.gain->planned),
                 signed_time(group.saved)});
        } else {
            const std::string one = format_seconds(group.sum / static_cast<double>(group.calls));
            const bool planned = group.by.front() != "MPI";
            row.insert(row.end(), {planned ? one : "-", known(group.predicted), known(group.bound),
                                   planned ? "-" : one, "-", "-"});
        }
        row.push_back(listed(group.by, 3));
        sheet.rows.push_back(std::move(row));
    }
    return report::table(sheet);
}

std::string tables_of(std::span<const Group> groups) {
    constexpr std::size_t at_once = 20;
    constexpr std::size_t most_rows = 1000;
    std::string html = table_of(groups.first(std::min(groups.size(), at_once)));
    if (groups.size() <= at_once) return html;
    const std::size_t shown = std::min(groups.size(), most_rows);
    std::string rest = table_of(groups.subspan(at_once, shown - at_once));
    if (shown < groups.size())
        rest += report::paragraph(
            fmt::format("{} kinds of calls more are left out.", groups.size() - shown));
    return html + report::folded(fmt::format("{} kinds of calls more", groups.size() - at_once),
                                 rest, false);
}

std::string table_of_left(const Run& run) {
    overview::Sheet sheet{{{"why", false}, {"calls"}, {"rank 0 in all"}}, {}};
    for (const runs::Left& left : runs::left_to_mpi(run))
        sheet.rows.push_back({left.why, fmt::format("{}", left.calls), format_seconds(left.sum)});
    for (const auto& [name, calls] : run.passed)
        sheet.rows.push_back({name + ": always", fmt::format("{}", calls), "not timed"});
    if (sheet.rows.empty()) return "";
    return report::heading("Left to MPI") + report::table(sheet);
}

std::string timelines(const CallDrawings& all) {
    std::string html = report::heading("What a call does");
    if (!all.drawings.empty())
        html += report::paragraph(
            "Nothing of this was recorded while the program ran: each is a plan made anew from the "
            "network, and simulated.");
    if (!all.left_out.empty()) html += report::paragraph("Not drawn: " + all.left_out + ".");
    for (const CallDrawing& drawing : all.drawings)
        html +=
            report::folded(drawing.call,
                           report::paragraph(drawing.caption) + report::picture(drawing.planned) +
                               report::picture(drawing.library),
                           &drawing == &all.drawings.front());
    return html;
}

/// What `saved` means.
constexpr const char* meaning =
    "Saved, of each planned call: what MPI's own algorithm takes less what the plan takes, until "
    "the last rank is done. Where calls of both kinds were tried, both were timed; else MPI's is "
    "predicted (~), scaled down where plans took less than predicted. The cost is not taken off.";

std::string network_in_words(const Run& run) {
    if (run.network_fingerprint.empty()) return "No network was known.";
    std::string where = run.network_file.empty() ? "in no file" : run.network_file;
    if (run.network_measured_in)
        where += ", measured in " + format_seconds(*run.network_measured_in);
    return fmt::format("The network {} ({}).", run.network_fingerprint, where);
}

std::string provenance(const Run& run, const std::string& file, const std::string& network_file,
                       const std::string& made) {
    std::vector<std::string> lines{
        fmt::format("{}, written by rank 0 of {} under {} in MPI_Finalize; its times are its own.",
                    file, run.ranks, run.mpi),
        network_in_words(run), meaning};
    if (!network_file.empty())
        lines.emplace_back(
            fmt::format("To see plans anew: espalier plan COLLECTIVE {} --bytes SIZE --explain; "
                        "side by side: espalier compare COLLECTIVE {}.",
                        network_file, network_file));
    lines.push_back(made);
    return report::origin(lines);
}

}  // namespace

std::string run_page(const Run& run, const std::optional<network::Network>& network,
                     const std::string& file, const std::string& network_file,
                     const std::string& made) {
    const std::string title = fmt::format("{}: {}, {}", run.program.empty() ? "A run" : run.program,
                                          counted(run.ranks, "rank"), run.mpi);
    const std::vector<Group> groups = runs::groups_of(run);
    std::string page =
        report::begin_page(title) + report::heading_of_page(title, "") + "<main>\n" + verdict(run);
    if (!groups.empty()) page += report::heading("Calls") + bars(groups) + tables_of(groups);
    if (network) {
        page += timelines(draw_calls(run, *network, network_file));
        page += call_sizes(run, *network, network_file);
        page += report::heading("The network");
        const overview::Overview overview = overview::overview_of(*network);
        const report::NetworkPanels panels = report::network_panels(overview);
        for (const report::Panel& panel : panels.pictures)
            page += report::picture(panel, "The network");
    } else if (!run.network_fingerprint.empty()) {
        page += report::heading("The network") +
                report::paragraph(
                    "The run's file holds no network; with --network NET.json there is a map, and "
                    "timelines.");
    }
    return page + table_of_left(run) + provenance(run, file, network_file, made) + "</main>\n" +
           std::string(report::end_of_page);
}

}  // namespace espalier::cli
