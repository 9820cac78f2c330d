#include "outputs/study_text.hpp"

#include "core/error.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"
#include "report/plan_text.hpp"
#include "report/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace espalier::cli {

namespace {

using report::percent_of;

using frontend::Average;
using frontend::Study;

/// More lines than these nobody tells apart.
constexpr std::size_t most_lines = 14;

/// The averages of one size, from `begin` on, are those up to here.
std::size_t end_of_size(const std::vector<Average>& all, std::size_t begin) {
    std::size_t end = begin;
    while (end < all.size() && all[end].bytes == all[begin].bytes) ++end;
    return end;
}

std::size_t number_of(const Study& study,
                      const std::function<std::string(const Study::Cell&)>& of) {
    std::set<std::string> different;
    for (const Study::Cell& cell : study.cells) different.insert(of(cell));
    return different.size();
}

/// Those of one size with the least mean.
const Average& least_of(const std::vector<Average>& all, std::size_t begin, std::size_t end) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    // Means of other numbers of plans are of other problems.
    const auto last = std::find_if(first, all.begin() + static_cast<std::ptrdiff_t>(end),
                                   [&](const Average& each) { return each.plans != first->plans; });
    return *std::ranges::min_element(first, last, {}, &Average::mean);
}

/// What auto took for messages of one size; `-` where it was not asked.
std::string chosen_by_auto(const Study& study, std::optional<Bytes> bytes) {
    std::set<std::string> names;
    for (const Study::Cell& cell : study.cells) {
        if (cell.bytes != bytes) continue;
        for (const auto& row : cell.comparison.rows)
            if (row.algorithm == "auto" && !row.chosen.empty()) names.insert(row.chosen);
    }
    return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

overview::Sheet sheet_of_all(const Study& study) {
    overview::Sheet sheet{{{"algorithm", false}, {"best in"}, {"over best"}, {"at most"}}, {}};
    for (const Average& each : frontend::averages_of_all(study))
        sheet.rows.push_back({each.algorithm, fmt::format("{}/{}", each.best, each.plans),
                              percent_of(each.over_best), percent_of(each.at_most)});
    return sheet;
}

overview::Sheet sheet_of_sizes(const Study& study) {
    const std::vector<Average> all = frontend::averages(study);
    const bool timed = std::ranges::any_of(
        study.cells, [](const Study::Cell& cell) { return !cell.comparison.rows.empty(); });
    const std::string unit =
        timed ? study.cells.front().comparison.rows.front().time_unit : std::string();
    const auto time = [&](Seconds value) {
        return unit.empty() || unit == "s" ? format_seconds(value)
                                           : fmt::format("{:.4g} {}", value.value, unit);
    };
    overview::Sheet sheet{{{"bytes", false},
                           {"fastest", false},
                           {"mean"},
                           {"95% within"},
                           {"over bound"},
                           {"auto"},
                           {"95% within"},
                           {"auto takes", false}},
                          {}};
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = end_of_size(all, begin);
        const Average& least = least_of(all, begin, end);
        const auto within = [&](const Average& each) {
            return each.off ? "±" + time(*each.off) : "-";
        };
        std::vector<std::string> row{
            least.bytes ? format_bytes(*least.bytes) : "-",
            least.algorithm,
            time(least.mean),
            within(least),
            least.bound.value > 0 ? percent_of(least.mean / least.bound - 1) : "-",
            "-",
            "-",
            chosen_by_auto(study, least.bytes)};
        for (std::size_t k = begin; k < end; ++k) {
            if (all[k].algorithm != "auto") continue;
            row[5] = time(all[k].mean);
            row[6] = within(all[k]);
        }
        sheet.rows.push_back(std::move(row));
        begin = end;
    }
    // One comparison of each size leaves nothing to be uncertain about.
    for (std::size_t column = sheet.columns.size(); column-- > 0;) {
        if (!std::ranges::all_of(sheet.rows, [&](const auto& row) { return row[column] == "-"; }))
            continue;
        const auto place = static_cast<std::ptrdiff_t>(column);
        sheet.columns.erase(sheet.columns.begin() + place);
        for (auto& row : sheet.rows) row.erase(row.begin() + place);
    }
    return sheet;
}

/// Algorithms and why they gave no plan, each pair once, with how often.
std::vector<std::string> skipped_in(const Study& study) {
    std::map<std::string, std::size_t> times;
    for (const Study::Cell& cell : study.cells)
        for (const auto& each : cell.comparison.skipped)
            ++times[each.algorithm + " skipped: " + each.reason];
    std::vector<std::string> lines;
    for (const auto& [line, number] : times)
        lines.push_back(number == 1 ? line : fmt::format("{} ({} times)", line, number));
    return lines;
}

}  // namespace

std::string title_of(const Study& study) {
    std::string text = fmt::format("{} on {}", study.collective, study.network);
    const auto add = [&](std::size_t number, const char* noun) {
        if (number > 1) text += fmt::format(", {}", counted(number, noun));
    };
    add(number_of(study,
                  [](const Study::Cell& cell) {
                      return cell.bytes ? fmt::format("{}", cell.bytes->value) : "";
                  }),
        "size");
    add(number_of(study, [](const Study::Cell& cell) { return cell.root; }), "root");
    add(number_of(
            study,
            [](const Study::Cell& cell) { return cell.seed ? fmt::format("{}", *cell.seed) : ""; }),
        "seed");
    return text;
}

std::string study_text(const Study& study) {
    const std::size_t columns = columns_of_tables(STDOUT_FILENO);
    std::string text = title_of(study) + "\n\n" + overview::text_of(sheet_of_all(study), columns) +
                       "\n" + overview::text_of(sheet_of_sizes(study), columns);
    const std::vector<std::string> skipped = skipped_in(study);
    if (!skipped.empty()) text += "\n";
    for (const std::string& line : skipped) text += "  " + line + "\n";
    return text;
}

std::string study_plot(const Study& study, const std::string& where) {
    std::vector<std::string> names;
    for (const Average& each : frontend::averages_of_all(study)) names.push_back(each.algorithm);
    const std::size_t all = names.size();
    // What people choose is shown first, and the fastest.
    const auto automatic = std::ranges::find(names, "auto");
    if (automatic != names.end()) std::rotate(names.begin(), automatic, automatic + 1);
    names.resize(std::min(all, most_lines));
    report::Plot plot;
    plot.title = capitalised(title_of(study));
    plot.subtitle = study.cells.size() > 1 ? "means; bars hold them with a probability of 95%"
                                           : "predicted times";
    if (all > names.size())
        plot.subtitle += fmt::format("; {} more algorithms are slower", all - names.size());
    plot.x = {"message size", report::Scale::log, report::AxisUnit::bytes, {}, {}};
    plot.y = {"makespan", report::Scale::log, report::AxisUnit::seconds, {}, {}};
    // The bound's colour, of eight, is nobody else's.
    constexpr std::size_t colours = 8;
    constexpr std::size_t of_bounds = 6;
    std::size_t colour = 0;
    for (const std::string& name : names) {
        if (colour % colours == of_bounds) ++colour;
        plot.series.push_back({.name = name, .colour = colour++});
    }
    report::Series bound{.name = "lower bound",
                         .line = report::Series::Line::dashed,
                         .markers = false,
                         .colour = of_bounds};
    for (const Average& each : frontend::averages(study)) {
        const auto line = std::ranges::find(names, each.algorithm);
        if (line == names.end() || !each.bytes || each.bytes->value == 0 || each.mean.value <= 0)
            continue;
        const auto x = static_cast<double>(each.bytes->value);
        plot.series[static_cast<std::size_t>(line - names.begin())].points.push_back(
            {x, each.mean.value, each.off ? each.off->value : 0,
             *line == "auto" ? chosen_by_auto(study, each.bytes) : std::string()});
        const bool is_new = bound.points.empty() || bound.points.back().x != x;
        if (each.bound.value > 0 && is_new) bound.points.push_back({x, each.bound.value, 0, {}});
    }
    const auto by_size = [](const report::Series::Point& a, const report::Series::Point& b) {
        return a.x < b.x;
    };
    for (report::Series& series : plot.series) std::ranges::sort(series.points, by_size);
    std::ranges::sort(bound.points, by_size);
    if (std::ranges::all_of(plot.series,
                            [](const report::Series& each) { return each.points.empty(); }))
        throw InputError(where, "", "time over size needs sizes above 0: --bytes 1KiB..1MiB");
    if (!bound.points.empty()) plot.series.push_back(std::move(bound));
    return report::plot_svg(plot);
}

std::string study_page(const Study& study, const std::string& file, const std::string& made) {
    const std::vector<Average> all = frontend::averages_of_all(study);
    const std::string best =
        all.empty() ? "A study without a plan"
                    : fmt::format("{} is nearest to the fastest of {}", all.front().algorithm,
                                  counted(all.size(), "algorithm"));
    std::string page = report::begin_page(best) +
                       report::heading_of_page(best, capitalised(title_of(study))) + "<main>\n";
    const bool has_sizes = std::ranges::any_of(study.cells, [](const Study::Cell& cell) {
        return cell.bytes && cell.bytes->value > 0 && !cell.comparison.rows.empty();
    });
    if (has_sizes) page += report::picture(study_plot(study, file));
    page += report::heading("By size") + report::table(sheet_of_sizes(study)) +
            report::heading("Over all comparisons") + report::table(sheet_of_all(study));
    if (const auto skipped = skipped_in(study); !skipped.empty())
        page += report::heading("Without a plan") + report::list(skipped);
    const std::string command = study.command.empty() ? fmt::format("espalier compare {} {}",
                                                                    study.collective, study.network)
                                                      : study.command;
    page += report::origin({fmt::format("{}, written by `{}`.", file, command), made});
    return page + "</main>\n" + std::string(report::end_of_page);
}

}  // namespace espalier::cli
