#include "all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "planning.hpp"
#include "report/plan_text.hpp"
#include "report/timeline_svg.hpp"
#include "result.hpp"
#include "schedule/json.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace espalier::cli {

namespace {

constexpr std::size_t readable_rows = 100;

struct Options {
    ProblemOptions problem;
    std::string algorithm = "auto";
    std::string time_limit;
    bool ranks = false;
    std::string timeline;
    ResultOptions result;
};

std::string more_rows(std::size_t rows) {
    if (rows <= readable_rows) return {};
    return fmt::format("  … and {} more; -o SCHEDULE.json writes them all\n", rows - readable_rows);
}

std::string transfer_table(const schedule::Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    using enum Table::Align;
    Table table({{"from"},
                 {"to"},
                 {"bytes", right},
                 {"segments", right},
                 {"start", right},
                 {"end", right}});
    const std::size_t rows = std::min(schedule.transfers.size(), readable_rows);
    for (std::size_t t = 0; t < rows; ++t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        const auto& times = plan.timeline.transfers[t];
        table.add({schedule.nodes[transfer.from], schedule.nodes[transfer.to],
                   format_bytes(schedule.bytes_of(transfer)),
                   fmt::format("{}", schedule.segments_of(transfer)), format_seconds(times.start),
                   format_seconds(times.end)});
    }
    return table.text() + more_rows(schedule.transfers.size());
}

std::string local_table(const schedule::Plan& plan) {
    using enum Table::Align;
    Table table({{"inside"}, {"strategy"}, {"start", right}, {"end", right}});
    const auto& parts = plan.schedule.local;
    for (std::size_t p = 0; p < std::min(parts.size(), readable_rows); ++p)
        table.add({plan.schedule.nodes[parts[p].node],
                   parts[p].strategy.empty() ? "-" : parts[p].strategy,
                   format_seconds(plan.timeline.local[p].start),
                   format_seconds(plan.timeline.local[p].end)});
    return table.text() + more_rows(parts.size());
}

std::string describe(const schedule::Plan& plan, Seconds took) {
    std::string text = fmt::format("{}\n{}\nplanned in {}\n", report::title_of(plan),
                                   report::subtitle_of(plan), format_seconds(took));
    if (!plan.schedule.transfers.empty()) text += "\n" + transfer_table(plan);
    if (!plan.schedule.local.empty()) text += "\n" + local_table(plan);
    return text;
}

/// The ranks of each top-level cluster, as the picture sets them apart.
std::vector<report::LaneGroup> lane_groups(const network::GridView& view) {
    std::vector<report::LaneGroup> groups;
    for (const network::Cluster& cluster : view.grid().clusters)
        groups.push_back({cluster.name, cluster.size});
    return groups;
}

const schedule::Plan& chosen_level(const Options& options, const plan::JobPlan& plan) {
    if (!options.ranks) return plan.clusters;
    if (!plan.ranks)
        throw InputError(options.problem.network, "broadcast_s",
                         "--ranks needs to know the inside of every cluster, not only its time");
    return *plan.ranks;
}

void check_options(const Options& options) {
    if (!options.time_limit.empty()) (void)parse_seconds(options.time_limit, "--time-limit");
    if (!options.timeline.empty() && !options.timeline.ends_with(".svg"))
        throw InputError("--timeline", "",
                         fmt::format("{}: a timeline is drawn as .svg", options.timeline));
    require_writable(options.result);
    if (!options.timeline.empty()) espalier::require_writable(options.timeline);
}

void run(const Options& options) {
    check_options(options);
    const BroadcastProblem problem(options.problem);
    problem.require_algorithm(options.algorithm);
    const auto begin = std::chrono::steady_clock::now();
    const plan::JobPlan both = problem.plan(options.algorithm);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const schedule::Plan& plan = chosen_level(options, both);
    problem.warn_of_assumptions();
    if (!options.timeline.empty()) {
        report::TimelineOptions look;
        if (options.ranks) look.groups = lane_groups(problem.view());
        write_file(options.timeline, timeline_svg(plan, look));
    }
    deliver(options.result, to_json(plan), [&] { return describe(plan, Seconds(took.count())); });
}

}  // namespace

Action add_plan(CLI::App& app) {
    auto options = std::make_shared<Options>();
    add_problem_options(app, options->problem);
    app.add_option("--algorithm", options->algorithm,
                   "a name from espalier algorithms, or auto: the best prediction")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--time-limit", options->time_limit,
                   "for algorithms that search: 10ms, 2s (the others need none)")
        ->type_name("TIME");
    app.add_flag("--ranks", options->ranks,
                 "the plan between ranks in place of that between "
                 "clusters");
    app.add_option("--timeline", options->timeline, "draw the plan")->type_name("OUT.svg");
    add_file_option(app, options->result, "SCHEDULE.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run(*options); };
}

}  // namespace espalier::cli
