#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/progress_bar.hpp"
#include "core/subprocess.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "outputs/result.hpp"
#include "problems/problem.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace espalier::cli {

namespace {

using report::format_time;
using schedule::BoundScope;

struct CompareOptions {
    ProblemOptions problem;
    bool progress = false;
    ResultOptions result;
};

struct Row {
    std::string algorithm;
    Seconds makespan;
    Seconds lower_bound;
    BoundScope scope = BoundScope::whole_message;
    Seconds any_bound;  ///< beside one for whole messages; 0: not known
    bool optimal = false;
    std::size_t segments = 1;
    Seconds took;
    std::string time_unit;
    std::optional<schedule::Robust> robust;

    /// What plans are compared by.
    [[nodiscard]] Seconds time() const { return robust ? robust->makespan : makespan; }
};

/// An algorithm that gave no plan, and why.
struct Skipped {
    std::string algorithm;
    std::string reason;
};

struct Comparison {
    std::vector<Row> rows;
    std::vector<Skipped> skipped;
};

struct Bound {
    Seconds time;
    BoundScope scope = BoundScope::whole_message;
};

Json row_json(const Row& row) {
    Json object{{"algorithm", row.algorithm},       {"makespan", row.makespan.value},
                {"optimal", row.optimal},           {"plan_s", row.took.value},
                {"segments", row.segments},         {"lower_bound", row.lower_bound.value},
                {"bound_scope", name_of(row.scope)}};
    if (row.any_bound > Seconds(0)) object["any_lower_bound"] = row.any_bound.value;
    if (row.robust) object["robust"] = schedule::to_json(*row.robust);
    return object;
}

/// The row that the planning process prints.
std::string plan_row(const PlanningProblem& problem, const std::string& algorithm) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = problem.plan(algorithm);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const report::Headline headline = answer->headline();
    Json said = row_json({algorithm,
                          headline.makespan,
                          headline.lower_bound,
                          headline.scope,
                          headline.any_bound,
                          headline.optimal,
                          answer->segments(),
                          Seconds(took.count()),
                          {},
                          answer->plan().robust});
    said["time_unit"] = headline.time_unit;
    return said.dump();
}

Row read_row(const std::string& said) {
    const Json row = Json::parse(said);
    const bool whole = row.at("bound_scope") == name_of(BoundScope::whole_message);
    std::optional<schedule::Robust> robust;
    if (row.contains("robust")) {
        const Json& found = row.at("robust");
        robust = {found.at("percentile"), Seconds(found.at("makespan")),
                  Seconds(found.value("lower_bound", 0.0))};
    }
    return {.algorithm = row.at("algorithm"),
            .makespan = Seconds(row.at("makespan")),
            .lower_bound = Seconds(row.at("lower_bound")),
            .scope = whole ? BoundScope::whole_message : BoundScope::any,
            .any_bound = Seconds(row.value("any_lower_bound", 0.0)),
            .optimal = row.at("optimal"),
            .segments = row.at("segments"),
            .took = Seconds(row.at("plan_s")),
            .time_unit = row.at("time_unit"),
            .robust = robust};
}

/// Says which algorithm's turn it is, and for how long it has been.
class Turns {
public:
    Turns(std::size_t algorithms, bool forced) : algorithms_(algorithms), bar_(forced) {}

    void begin(const std::string& algorithm) {
        ++begun_;
        algorithm_ = algorithm;
        since_ = std::chrono::steady_clock::now();
        refresh();
    }
    void refresh() const {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since_;
        bar_.show(
            static_cast<double>(begun_ - 1) / static_cast<double>(algorithms_),
            fmt::format("{}/{} {}, {:.1f} s", begun_, algorithms_, algorithm_, passed.count()));
    }

private:
    std::size_t algorithms_;
    ProgressBar bar_;
    std::size_t begun_ = 0;
    std::string algorithm_;
    std::chrono::steady_clock::time_point since_;
};

/// The seconds that an algorithm may take: those that keep the limit themselves need a little more.
Seconds patience(Seconds limit) { return limit + std::max(Seconds(2), limit / 5); }

/// Adds the algorithm's plan, or why there is none.
void plan_apart(const PlanningProblem& problem, const std::string& name, Seconds limit,
                const Turns& turns, Comparison& comparison) {
    const Apart outcome = run_apart([&] { return plan_row(problem, name); }, patience(limit),
                                    [&] { turns.refresh(); });
    switch (outcome.end) {
        case Apart::End::done:
            comparison.rows.push_back(read_row(outcome.text));
            break;
        case Apart::End::late:
            comparison.skipped.push_back(
                {name, fmt::format("no plan within {}", format_seconds(patience(limit)))});
            break;
        case Apart::End::broken:
            comparison.skipped.push_back({name, outcome.text});
            break;
    }
}

Comparison compare(const PlanningProblem& problem, Seconds limit, bool show_progress) {
    std::vector<std::string> names{"auto"};
    for (const AlgorithmEntry* algorithm : problem.algorithms())
        if (problem.shows(*algorithm)) names.emplace_back(algorithm->name);
    Comparison comparison;
    std::optional<InputError> refused;
    Turns turns(names.size(), show_progress);
    for (const std::string& name : names) {
        turns.begin(name);
        try {
            plan_apart(problem, name, limit, turns, comparison);
        } catch (const InputError& error) {
            // What one algorithm can't take, another may.
            comparison.skipped.push_back({name, error.what()});
            if (!refused) refused = error;
        }
    }
    if (comparison.rows.empty() && refused) throw InputError(*refused);
    std::ranges::stable_sort(comparison.rows, {}, &Row::time);
    return comparison;
}

/// The bound that holds for schedules of any kind, whatever the rows' own bounds are about. 0: not
/// known.
Seconds any_bound(const std::vector<Row>& rows) {
    Seconds bound(0);
    for (const Row& row : rows)
        bound = std::max(bound, row.scope == BoundScope::any ? row.lower_bound : row.any_bound);
    return bound;
}

/// The greatest bound that holds for all rows: one for whole messages says nothing of those that
/// are cut.
Bound common_bound(const std::vector<Row>& rows) {
    if (std::ranges::any_of(rows, [](const Row& row) { return row.scope == BoundScope::any; }))
        return {any_bound(rows), BoundScope::any};
    Bound bound{Seconds(0), BoundScope::whole_message};
    for (const Row& row : rows) bound.time = std::max(bound.time, row.lower_bound);
    return bound;
}

/// The same of the percentile by which plans were compared.
Bound robust_bound(const std::vector<Row>& rows, BoundScope scope) {
    Bound bound{Seconds(0), scope};
    for (const Row& row : rows)
        if (row.robust && row.scope == scope)
            bound.time = std::max(bound.time, row.robust->lower_bound);
    return bound;
}

Json comparison_json(const Comparison& comparison) {
    const Bound bound = common_bound(comparison.rows);
    Json results = Json::array();
    for (const Row& row : comparison.rows) results.push_back(row_json(row));
    Json document{{"format", "espalier-comparison"},
                  {"version", 1},
                  {"lower_bound", bound.time.value},
                  {"bound_scope", name_of(bound.scope)},
                  {"results", std::move(results)}};
    if (const Seconds any = any_bound(comparison.rows);
        bound.scope == BoundScope::whole_message && any > Seconds(0))
        document["any_lower_bound"] = any.value;
    if (!comparison.rows.empty() && comparison.rows.front().robust)
        document["robust_lower_bound"] = robust_bound(comparison.rows, bound.scope).time.value;
    if (comparison.skipped.empty()) return document;
    document["skipped"] = Json::array();
    for (const Skipped& skipped : comparison.skipped)
        document["skipped"].push_back(
            {{"algorithm", skipped.algorithm}, {"reason", skipped.reason}});
    return document;
}

std::string comparison_text(const Comparison& comparison) {
    using enum Table::Align;
    const auto& rows = comparison.rows;
    const Bound bound = common_bound(rows);
    const bool robust = !rows.empty() && rows.front().robust;
    const std::string percentile =
        robust ? fmt::format("p{}", rows.front().robust->percentile) : "";
    const Bound compared = robust ? robust_bound(rows, bound.scope) : bound;
    std::vector<Table::Column> columns{{"algorithm"},
                                       {"makespan", right},
                                       {"over the best", right},
                                       {"over the bound", right},
                                       {"segments", right},
                                       {"planned in", right}};
    if (robust) columns.insert(columns.begin() + 1, {percentile, right});
    Table table(columns);
    const auto over = [](Seconds time, Seconds least) {
        if (least.value <= 0) return std::string("-");
        const double percent = 100 * (time / least - 1);
        // A bound that is met may be off by a rounding: no minus sign for that.
        return fmt::format("{:.1f}%", std::abs(percent) < 0.05 ? 0 : percent);
    };
    // A proof may be about whole messages only, and another plan be faster.
    const auto is_proven = [&](const Row& row) {
        return row.optimal && row.makespan <= std::ranges::min(rows, {}, &Row::makespan).makespan;
    };
    for (const Row& row : rows) {
        std::vector<std::string> cells{row.algorithm + (is_proven(row) ? " (proven)" : ""),
                                       format_time(row.makespan, row.time_unit),
                                       over(row.time(), rows.front().time()),
                                       over(row.time(), compared.time),
                                       fmt::format("{}", row.segments),
                                       format_seconds(row.took)};
        if (robust) cells.insert(cells.begin() + 1, format_time(row.time(), row.time_unit));
        table.add(cells);
    }
    std::string text = table.text();
    for (const Skipped& skipped : comparison.skipped)
        text += fmt::format("  {}  skipped: {}\n", skipped.algorithm, skipped.reason);
    if (rows.empty()) return text;
    const std::string& unit = rows.front().time_unit;
    const bool whole = bound.scope == BoundScope::whole_message;
    text += fmt::format("\nlower bound {} for {}\n", format_time(bound.time, unit),
                        whole ? "whole messages" : "any schedule");
    if (const Seconds any = any_bound(rows); whole && any > Seconds(0))
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
    app.add_flag("--ranks", options->problem.ranks,
                 "plans between ranks in place of those between clusters");
    app.add_flag("--progress", options->progress,
                 "say on standard error how far it is, also where that is no terminal");
    add_file_option(app, options->result, "COMPARISON.json");
    add_json_option(app, options->result);
    return [options](const Passed&) {
        require_writable(options->result);
        if (!options->problem.refine.empty())
            throw InputError("--refine", "", "a comparison plans anew; plan adapts a schedule");
        const auto problem = make_problem(options->problem);
        const Comparison comparison =
            compare(*problem, limits_of(options->problem).time, options->progress);
        problem->warn_of_assumptions();
        deliver(options->result, comparison_json(comparison),
                [&] { return comparison_text(comparison); });
    };
}

}  // namespace espalier::cli
