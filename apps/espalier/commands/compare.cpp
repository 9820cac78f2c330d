#include "frontend/comparison.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/progress_bar.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "inputs/problem_words.hpp"
#include "outputs/result.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

namespace espalier::cli {

namespace {

using frontend::Comparison;
using report::format_time;
using schedule::BoundScope;
using Bound = Comparison::Bound;
using Row = Comparison::Row;

struct CompareOptions {
    ProblemWords problem;
    bool progress = false;
    ResultOptions result;
};

/// Says which algorithm's turn it is, and for how long it has been.
class Turns {
public:
    explicit Turns(bool forced) : bar_(forced) {}

    void show(const std::string& algorithm, std::size_t begun, std::size_t all) {
        if (begun != begun_) since_ = std::chrono::steady_clock::now();
        begun_ = begun;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since_;
        bar_.show(static_cast<double>(begun - 1) / static_cast<double>(all),
                  fmt::format("{}/{} {}, {:.1f} s", begun, all, algorithm, passed.count()));
    }

private:
    ProgressBar bar_;
    std::size_t begun_ = 0;
    std::chrono::steady_clock::time_point since_;
};

std::string comparison_text(const Comparison& comparison) {
    using enum Table::Align;
    const auto& rows = comparison.rows;
    const Bound bound = comparison.common_bound();
    const bool robust = !rows.empty() && rows.front().robust;
    const std::string percentile =
        robust ? fmt::format("p{}", rows.front().robust->percentile) : "";
    const Bound compared = robust ? comparison.robust_bound(bound.scope) : bound;
    constexpr std::size_t digits = 3;
    const TimeColumn column(rows.empty() ? Seconds(0) : rows.front().time(), digits,
                            rows.empty() ? "" : rows.front().time_unit);
    std::vector<Table::Column> columns{{"algorithm"},        {column.title("makespan"), right},
                                       {"over best", right}, {"over bound", right},
                                       {"segments", right},  {"planned in", right}};
    if (robust) columns.insert(columns.begin() + 1, {column.title(percentile), right});
    Table table(columns);
    const auto over = [](Seconds time, Seconds least) {
        if (least.value <= 0) return std::string("-");
        constexpr double most_written_out = 1e6;
        const double percent = 100 * (time / least - 1);
        if (std::abs(percent) > most_written_out) return fmt::format("{:.2g}%", percent);
        // A bound that is met may be off by a rounding: no minus sign for that.
        return fmt::format("{:.1f}%", std::abs(percent) < 0.05 ? 0 : percent);
    };
    // A proof may be about whole messages only, and another plan be faster.
    const auto name_in_table = [&](const Row& row) {
        const Seconds least = std::ranges::min(rows, {}, &Row::makespan).makespan;
        if (!row.chosen.empty()) return fmt::format("{}: {}", row.algorithm, row.chosen);
        if (!row.optimal) return row.algorithm;
        return row.algorithm + (row.makespan <= least ? " (proven)" : " (proven whole)");
    };
    for (const Row& row : rows) {
        std::vector<std::string> cells{name_in_table(row),
                                       column.cell(row.makespan),
                                       over(row.time(), rows.front().time()),
                                       over(row.time(), compared.time),
                                       fmt::format("{}", row.segments),
                                       format_seconds(row.took)};
        if (robust) cells.insert(cells.begin() + 1, column.cell(row.time()));
        table.add(cells);
    }
    std::string text = table.text();
    for (const Comparison::Skipped& skipped : comparison.skipped)
        text += fmt::format("  {}  skipped: {}\n", skipped.algorithm, skipped.reason);
    if (rows.empty()) return text;
    const std::string& unit = rows.front().time_unit;
    const bool whole = bound.scope == BoundScope::whole_message;
    text += fmt::format("\nlower bound {} for {}\n", format_time(bound.time, unit),
                        whole ? "whole messages" : "any schedule");
    if (const Seconds any = comparison.any_bound(); whole && any > Seconds(0))
        text += fmt::format("lower bound {} for any schedule\n", format_time(any, unit));
    if (robust)
        text += fmt::format("lower bound {} of {} of the makespan, likewise\n",
                            format_time(compared.time, unit), percentile);
    return text;
}

}  // namespace

Action add_compare(CLI::App& app) {
    auto options = std::make_shared<CompareOptions>();
    add_problem_options(app, options->problem);
    app.add_flag("--ranks", options->problem.options.ranks,
                 "plans between ranks in place of those between clusters");
    app.add_flag("--progress", options->progress,
                 "say on standard error how far it is, also where that is no terminal");
    add_file_option(app, options->result, "COMPARISON.json");
    add_json_option(app, options->result);
    return [options](const Passed&) {
        require_writable(options->result);
        if (!options->problem.refine.empty())
            throw InputError("--refine", "", "a comparison plans anew; plan adapts a schedule");
        const frontend::ProblemOptions asked = options_of(options->problem);
        const auto problem = frontend::make_problem(asked);
        Turns turns(options->progress);
        const Comparison comparison =
            frontend::compare(*problem, limits_of(asked).time,
                              [&](const std::string& algorithm, std::size_t begun,
                                  std::size_t all) { turns.show(algorithm, begun, all); });
        for (const std::string& line : problem->assumptions()) warn(line);
        deliver(options->result, to_json(comparison), [&] { return comparison_text(comparison); });
    };
}

}  // namespace espalier::cli
