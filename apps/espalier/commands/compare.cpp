#include "frontend/comparison.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/progress_bar.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "frontend/drawn_network.hpp"
#include "frontend/study.hpp"
#include "frontend/sweep.hpp"
#include "inputs/problem_words.hpp"
#include "outputs/command_words.hpp"
#include "outputs/result.hpp"
#include "outputs/study_text.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

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
using frontend::Study;
using Row = Comparison::Row;

struct CompareOptions {
    ProblemWords problem;
    std::string roots;
    std::string seeds;
    std::string only;
    std::string csv;
    std::string averages;
    std::string plot;
    bool progress = false;
    ResultOptions result;
    std::string command;  ///< as it was given
    std::string given;    ///< of `problem`, in words of the command line
};

/// Says which algorithm's turn it is, and for how long it has been.
class Turns {
public:
    explicit Turns(bool forced) : bar_(forced) {}

    /// `done`: the part of all of it.
    void show(const std::string& algorithm, const std::string& count, double done) {
        if (done != done_) since_ = std::chrono::steady_clock::now();
        done_ = done;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since_;
        bar_.show(done, fmt::format("{} {}, {:.1f} s", count, algorithm, passed.count()));
    }

private:
    ProgressBar bar_;
    double done_ = -1;
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
    const TimeColumn planning = TimeColumn::of_computing();
    std::vector<Table::Column> columns{{"algorithm"},        {column.title("makespan"), right},
                                       {"over best", right}, {"over bound", right},
                                       {"segments", right},  {planning.title("planned in"), right}};
    if (robust) columns.insert(columns.begin() + 1, {column.title(percentile), right});
    Table table(columns);
    const auto over = [](Seconds time, Seconds least) {
        return least.value > 0 ? report::percent_of(time / least - 1) : "-";
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
                                       planning.cell(row.took)};
        if (robust) cells.insert(cells.begin() + 1, column.cell(row.time()));
        table.add(cells);
    }
    std::string text = table.text(columns_of_tables(STDOUT_FILENO));
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

/// The bar is gone when it returns.
Study made_in_sight(const frontend::StudyOptions& asked, bool progress) {
    Turns turns(progress);
    return frontend::make_study(
        asked, [&](const std::string& algorithm, std::size_t cell, std::size_t cells, double done) {
            turns.show(algorithm, fmt::format("{}/{}", cell, cells), done);
        });
}

void run_study(const CompareOptions& options, const frontend::StudyOptions& asked) {
    Study study = made_in_sight(asked, options.progress);
    study.command = options.command;
    for (const std::string& line : study.assumptions) warn(line);
    const auto write = [](const std::string& file, const std::string& text) {
        if (file.empty()) return;
        write_file(file, text);
        if (file != "-") say_written(file);
    };
    if (!options.plot.empty()) write(options.plot, study_plot(study, "--plot"));
    write(options.csv, study_csv(study));
    write(options.averages, averages_csv(study));
    if (options.csv == "-" || options.averages == "-") return;
    // One comparison is what it always was.
    if (!asked.is_several()) {
        const Study::Cell& cell = study.cells.front();
        Comparison comparison = cell.comparison;
        comparison.subject = {study.collective, study.network,   cell.bytes,
                              cell.root,        options.command, options.given};
        deliver(options.result, to_json(comparison), [&] { return comparison_text(comparison); });
        return;
    }
    deliver(options.result, to_json(study), [&] { return study_text(study); });
}

void run_compare(const CompareOptions& options) {
    require_writable(std::vector{options.result.file, options.csv, options.averages, options.plot});
    if (!options.problem.refine.empty())
        throw InputError("--refine", "", "a comparison plans anew; plan adapts a schedule");
    if (!options.plot.empty() && !options.plot.ends_with(".svg"))
        throw InputError("--plot", "", fmt::format("{}: it is written as .svg", options.plot));
    if (!options.plot.empty() && options.problem.options.bytes.empty())
        throw InputError("--plot", "", "time over size needs sizes: --bytes 1KiB..1MiB");
    if (options.result.json && (options.csv == "-" || options.averages == "-"))
        throw InputError("--json", "", "the CSV is printed already");
    frontend::StudyOptions asked{options_of(options.problem),
                                 options.roots,
                                 options.seeds,
                                 frontend::split_list(options.only, "--algorithm"),
                                 {}};
    asked.network_of_seed = [words = options.problem](std::uint64_t seed) {
        return frontend::is_drawn(words.network)
                   ? frontend::draw_network(words.network, seed)
                   : read_network(frontend::name_of_seed(words.network, seed), words.source);
    };
    run_study(options, asked);
}

}  // namespace

Action add_compare(CLI::App& app) {
    auto options = std::make_shared<CompareOptions>();
    add_problem_options(app, options->problem);
    const CLI::App& declared = app;
    std::vector<const CLI::Option*> shared = declared.get_options();
    app.get_option("NETWORK")->description(
        "a network file (JSON), or a directory; for --seeds a name with {seed} in it, or "
        "generate:grid,OPTION=VALUE,... with the options of generate");
    app.get_option("--bytes")
        ->description(
            "message sizes, of one rank's operand: 512,64KiB, and ranges 1KiB..4MiB, which double, "
            "or :4 quadruple")
        ->type_name("SIZE,FIRST..LAST,...");
    app.add_option("--roots", options->roots, "a comparison for each of these roots")
        ->type_name("all|NAME,...");
    app.add_option("--seeds", options->seeds, "a comparison for the network of each seed: 1..20,42")
        ->type_name("N,FIRST..LAST,...");
    app.add_option("--algorithm", options->only, "only these (all that apply, and auto)")
        ->type_name("NAME,...");
    app.add_option("--csv", options->csv, "write a line for each plan; - prints it")
        ->type_name("OUT.csv");
    app.add_option("--averages", options->averages,
                   "write the means over roots and seeds with their 95% confidence intervals; - "
                   "prints it")
        ->type_name("OUT.csv");
    app.add_option("--plot", options->plot, "draw time over size, with the bound")
        ->type_name("OUT.svg");
    shared.push_back(app.add_flag("--ranks", options->problem.options.ranks,
                                  "plans between ranks in place of those between clusters"));
    app.add_flag("--progress", options->progress,
                 "say on standard error how far it is, also where that is no terminal");
    add_file_option(app, options->result, "COMPARISON.json");
    add_json_option(app, options->result);
    return [options, shared, &app](const Passed&) {
        options->command = command_given(app);
        options->given = words_given(shared);
        run_compare(*options);
    };
}

}  // namespace espalier::cli
