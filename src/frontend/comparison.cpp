#include "frontend/comparison.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/subprocess.hpp"
#include "core/text.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace espalier::frontend {

namespace {

using schedule::BoundScope;
using Row = Comparison::Row;

Json row_json(const Row& row) {
    Json object{{"algorithm", row.algorithm},       {"makespan", row.makespan.value},
                {"optimal", row.optimal},           {"plan_s", row.took.value},
                {"segments", row.segments},         {"lower_bound", row.lower_bound.value},
                {"bound_scope", name_of(row.scope)}};
    if (!row.chosen.empty()) object["chosen"] = row.chosen;
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
                          headline.algorithm == algorithm ? "" : headline.algorithm,
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
            .chosen = row.value("chosen", ""),
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

/// The seconds that an algorithm may take: those that keep the limit themselves need a little more.
Seconds patience(Seconds limit) { return limit + std::max(Seconds(2), limit / 5); }

/// Adds the algorithm's plan, or why there is none.
void plan_apart(const PlanningProblem& problem, const std::string& name, Seconds limit,
                const std::function<void()>& meanwhile, Comparison& comparison) {
    const Apart outcome =
        run_apart([&] { return plan_row(problem, name); }, patience(limit), meanwhile);
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

}  // namespace

Comparison compare(const PlanningProblem& problem, Seconds limit, const Turn& turn,
                   const std::vector<std::string>& only) {
    for (const std::string& name : only) problem.require_algorithm(name);
    std::vector<std::string> names = only;
    if (only.empty()) {
        names.emplace_back("auto");
        for (const AlgorithmEntry* algorithm : problem.algorithms())
            if (problem.shows(*algorithm)) names.emplace_back(algorithm->name);
    }
    Comparison comparison;
    std::optional<InputError> refused;
    std::size_t begun = 0;
    for (const std::string& name : names) {
        ++begun;
        const auto tell = [&] { turn(name, begun, names.size()); };
        tell();
        try {
            plan_apart(problem, name, limit, tell, comparison);
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

Seconds Comparison::any_bound() const {
    Seconds bound(0);
    for (const Row& row : rows)
        bound = std::max(bound, row.scope == BoundScope::any ? row.lower_bound : row.any_bound);
    return bound;
}

Comparison::Bound Comparison::common_bound() const {
    if (std::ranges::any_of(rows, [](const Row& row) { return row.scope == BoundScope::any; }))
        return {any_bound(), BoundScope::any};
    Bound bound{Seconds(0), BoundScope::whole_message};
    for (const Row& row : rows) bound.time = std::max(bound.time, row.lower_bound);
    return bound;
}

Comparison::Bound Comparison::robust_bound(BoundScope scope) const {
    Bound bound{Seconds(0), scope};
    for (const Row& row : rows)
        if (row.robust && row.scope == scope)
            bound.time = std::max(bound.time, row.robust->lower_bound);
    return bound;
}

Comparison read_comparison(const JsonValue& document) {
    require_format(document, "espalier-comparison");
    const auto seconds = [](const JsonValue& of, const char* name) {
        const auto value = of.find(name);
        return Seconds(value ? value->number() : 0);
    };
    Comparison comparison;
    for (const JsonValue& result : document.at("results").array()) {
        Row row{.algorithm = result.at("algorithm").string(),
                .makespan = Seconds(result.at("makespan").number()),
                .lower_bound = seconds(result, "lower_bound"),
                .any_bound = seconds(result, "any_lower_bound"),
                .optimal = result.at("optimal").boolean(),
                .segments = result.at("segments").count(),
                .took = seconds(result, "plan_s")};
        if (const auto chosen = result.find("chosen")) row.chosen = chosen->string();
        if (const auto scope = result.find("bound_scope");
            scope && scope->string() == name_of(BoundScope::any))
            row.scope = BoundScope::any;
        if (const auto robust = result.find("robust"))
            row.robust = {static_cast<unsigned>(robust->at("percentile").count()),
                          Seconds(robust->at("makespan").number()),
                          seconds(*robust, "lower_bound")};
        comparison.rows.push_back(std::move(row));
    }
    if (const auto collective = document.find("collective")) {
        comparison.subject = {collective->string(), document.at("network").string(), {}, ""};
        if (const auto bytes = document.find("bytes"))
            comparison.subject->bytes = Bytes(bytes->count());
        if (const auto root = document.find("root")) comparison.subject->root = root->string();
        if (const auto command = document.find("command")) {
            comparison.subject->command = command->string();
            comparison.subject->problem = document.at("problem").string();
        }
    }
    if (const auto skipped = document.find("skipped"))
        for (const JsonValue& one : skipped->array())
            comparison.skipped.push_back({one.at("algorithm").string(), one.at("reason").string()});
    return comparison;
}

Json to_json(const Comparison& comparison) {
    const Comparison::Bound bound = comparison.common_bound();
    Json results = Json::array();
    for (const Row& row : comparison.rows) results.push_back(row_json(row));
    Json document{{"format", "espalier-comparison"},
                  {"version", 1},
                  {"lower_bound", bound.time.value},
                  {"bound_scope", name_of(bound.scope)},
                  {"results", std::move(results)}};
    if (comparison.subject) {
        document["collective"] = comparison.subject->collective;
        document["network"] = comparison.subject->network;
        if (comparison.subject->bytes) document["bytes"] = comparison.subject->bytes->value;
        if (!comparison.subject->root.empty()) document["root"] = comparison.subject->root;
        if (!comparison.subject->command.empty()) {
            document["command"] = comparison.subject->command;
            document["problem"] = comparison.subject->problem;
        }
    }
    if (const Seconds any = comparison.any_bound();
        bound.scope == BoundScope::whole_message && any > Seconds(0))
        document["any_lower_bound"] = any.value;
    if (!comparison.rows.empty() && comparison.rows.front().robust)
        document["robust_lower_bound"] = comparison.robust_bound(bound.scope).time.value;
    if (comparison.skipped.empty()) return document;
    document["skipped"] = Json::array();
    for (const Comparison::Skipped& skipped : comparison.skipped)
        document["skipped"].push_back(
            {{"algorithm", skipped.algorithm}, {"reason", skipped.reason}});
    return document;
}

}  // namespace espalier::frontend
