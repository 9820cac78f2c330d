#include "all.hpp"
#include "core/text.hpp"
#include "planning.hpp"
#include "result.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace espalier::cli {

namespace {

using schedule::BoundScope;

struct Options {
    ProblemOptions problem;
    ResultOptions result;
};

struct Row {
    std::string algorithm;
    Seconds makespan;
    Seconds lower_bound;
    BoundScope scope = BoundScope::whole_message;
    bool optimal = false;
    std::size_t segments = 1;
    Seconds took;
};

struct Bound {
    Seconds time;
    BoundScope scope = BoundScope::whole_message;
};

std::size_t segments_of(const schedule::Schedule& schedule) {
    std::size_t most = 1;
    for (const auto& chunk : schedule.chunks) most = std::max(most, chunk.segments);
    return most;
}

Row make_row(const BroadcastProblem& problem, const std::string& algorithm) {
    const auto begin = std::chrono::steady_clock::now();
    const schedule::Plan plan = problem.plan(algorithm).clusters;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return {algorithm,    plan.timeline.makespan,     plan.lower_bound,     plan.scope,
            plan.optimal, segments_of(plan.schedule), Seconds(took.count())};
}

std::vector<Row> make_rows(const BroadcastProblem& problem) {
    std::vector<Row> rows{make_row(problem, "auto")};
    for (const plan::Algorithm* algorithm : problem.algorithms())
        rows.push_back(make_row(problem, std::string(algorithm->name)));
    std::ranges::stable_sort(rows, {}, &Row::makespan);
    return rows;
}

/// The greatest bound that holds for all rows: one for whole messages says nothing of those that
/// are cut.
Bound common_bound(const std::vector<Row>& rows) {
    const bool cut =
        std::ranges::any_of(rows, [](const Row& row) { return row.scope == BoundScope::any; });
    Bound bound{Seconds(0), cut ? BoundScope::any : BoundScope::whole_message};
    for (const Row& row : rows)
        if (row.scope == bound.scope) bound.time = std::max(bound.time, row.lower_bound);
    return bound;
}

Json document_of(const std::vector<Row>& rows) {
    const Bound bound = common_bound(rows);
    Json results = Json::array();
    for (const Row& row : rows)
        results.push_back({{"algorithm", row.algorithm},
                           {"makespan", row.makespan.value},
                           {"optimal", row.optimal},
                           {"plan_s", row.took.value},
                           {"segments", row.segments},
                           {"lower_bound", row.lower_bound.value},
                           {"bound_scope", name_of(row.scope)}});
    return {{"format", "espalier-comparison"},
            {"version", 1},
            {"lower_bound", bound.time.value},
            {"bound_scope", name_of(bound.scope)},
            {"results", std::move(results)}};
}

std::string describe(const std::vector<Row>& rows) {
    using enum Table::Align;
    const Bound bound = common_bound(rows);
    Table table({{"algorithm"},
                 {"makespan", right},
                 {"over the best", right},
                 {"over the bound", right},
                 {"segments", right},
                 {"planned in", right}});
    const auto over = [](Seconds time, Seconds least) {
        return least.value > 0 ? fmt::format("{:.1f}%", 100 * (time / least - 1)) : "-";
    };
    for (const Row& row : rows)
        table.add({row.algorithm + (row.optimal ? " (optimal)" : ""), format_seconds(row.makespan),
                   over(row.makespan, rows.front().makespan), over(row.makespan, bound.time),
                   fmt::format("{}", row.segments), format_seconds(row.took)});
    return table.text() + fmt::format("\nlower bound {}{}\n", format_seconds(bound.time),
                                      bound.scope == BoundScope::any ? " for any schedule"
                                                                     : " for whole messages");
}

}  // namespace

Action add_compare(CLI::App& app) {
    auto options = std::make_shared<Options>();
    add_problem_options(app, options->problem);
    add_file_option(app, options->result, "COMPARISON.json");
    add_json_option(app, options->result);
    return [options](const Passed&) {
        require_writable(options->result);
        const BroadcastProblem problem(options->problem);
        const auto rows = make_rows(problem);
        problem.warn_of_assumptions();
        deliver(options->result, document_of(rows), [&] { return describe(rows); });
    };
}

}  // namespace espalier::cli
