#include "outputs/comparison_page.hpp"

#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "report/bars.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

namespace espalier::cli {

namespace {

using frontend::Comparison;
using report::format_time;

std::string name_of(const Comparison::Row& row) {
    return row.chosen.empty() ? row.algorithm : fmt::format("{}: {}", row.algorithm, row.chosen);
}

std::string over(Seconds time, Seconds least) {
    return least.value > 0 ? report::percent_of(time / least - 1) : "-";
}

/// What no plan beats; of whole messages only where nothing is known of all.
Seconds bound_of(const Comparison& comparison) {
    const Seconds any = comparison.any_bound();
    return any.value > 0 ? any : comparison.common_bound().time;
}

std::string bars(const Comparison& comparison, Seconds bound) {
    constexpr std::size_t most_bars = 40;
    constexpr double longest = 560;
    std::vector<report::AmountGroup> groups;
    for (const Comparison::Row& row : comparison.rows) {
        if (groups.size() == most_bars) break;
        const bool best = groups.empty();
        report::AmountGroup group{name_of(row),
                                  {{row.time().value, format_time(row.time(), row.time_unit),
                                    best ? report::palette::orange : report::palette::blue}}};
        if (bound.value > 0) group.mark = bound.value;
        groups.push_back(std::move(group));
    }
    return report::picture(
        report::bar_panel("Makespan, the least first", std::move(groups), longest),
        "Makespans of the algorithms");
}

std::string table_of(const Comparison& comparison, Seconds bound) {
    constexpr std::size_t digits = 3;
    const Comparison::Row& best = comparison.rows.front();
    const TimeColumn makespans(best.time(), digits, best.time_unit);
    const TimeColumn planning = TimeColumn::of_computing();
    overview::Sheet sheet{{{"algorithm", false},
                           {makespans.title("makespan")},
                           {"over best"},
                           {"over bound"},
                           {"segments"},
                           {planning.title("planned in")}},
                          {}};
    for (const Comparison::Row& row : comparison.rows)
        sheet.rows.push_back({name_of(row) + (row.optimal ? " (proven)" : ""),
                              makespans.cell(row.time()), over(row.time(), best.time()),
                              over(row.time(), bound), fmt::format("{}", row.segments),
                              planning.cell(row.took)});
    return report::table(sheet);
}

/// `broadcast of 64 KiB from c0-0 on net.json`
std::string words_for(const Comparison::Subject& subject) {
    std::string words = subject.collective;
    if (subject.bytes) words += " of " + format_bytes(*subject.bytes);
    if (!subject.root.empty()) words += ", root " + subject.root;
    return words + " on " + subject.network;
}

std::vector<std::string> origin_of(const Comparison& comparison, const std::string& file) {
    if (comparison.subject && !comparison.subject->command.empty())
        return {fmt::format("{}, written by `{}`.", file, comparison.subject->command),
                fmt::format("To see the plan: `espalier plan {} --explain`.",
                            comparison.subject->problem)};
    std::vector<std::string> lines{file + ", written by espalier compare."};
    if (comparison.subject) {
        const Comparison::Subject& subject = *comparison.subject;
        std::string options;
        if (subject.bytes) options += fmt::format(" --bytes {}", subject.bytes->value);
        if (!subject.root.empty()) options += " --root " + subject.root;
        lines.push_back(fmt::format("To see the plan: espalier plan {} {}{} --explain.",
                                    subject.collective, subject.network, options));
    }
    return lines;
}

}  // namespace

std::string comparison_page(const Comparison& comparison, const std::string& file,
                            const std::string& made) {
    const Seconds bound = bound_of(comparison);
    std::string title = "A comparison without a plan";
    std::string below = comparison.subject ? capitalised(words_for(*comparison.subject)) : "";
    if (!comparison.rows.empty()) {
        const Comparison::Row& best = comparison.rows.front();
        title = fmt::format("{} is the fastest of {}", name_of(best),
                            counted(comparison.rows.size(), "algorithm"));
        below += fmt::format(
            "{}{}{}", below.empty() ? "" : ": ", format_time(best.time(), best.time_unit),
            bound.value > 0 ? fmt::format("; no schedule {}takes less than {}",
                                          comparison.any_bound().value > 0 ? "of any kind "
                                                                           : "of whole messages ",
                                          format_time(bound, best.time_unit))
                            : "");
    }
    std::string page =
        report::begin_page(title) + report::heading_of_page(title, below) + "<main>\n";
    if (!comparison.rows.empty()) {
        page += bars(comparison, bound);
        if (bound.value > 0) page += report::paragraph("The green line is the lower bound.");
        page += table_of(comparison, bound);
    }
    if (!comparison.skipped.empty()) {
        std::vector<std::string> lines;
        for (const Comparison::Skipped& skipped : comparison.skipped)
            lines.push_back(fmt::format("{}: {}", skipped.algorithm, skipped.reason));
        page += report::heading("Without a plan") + report::list(lines);
    }
    std::vector<std::string> lines = origin_of(comparison, file);
    lines.push_back(made);
    page += report::origin(lines);
    return page + "</main>\n" + std::string(report::end_of_page);
}

}  // namespace espalier::cli
