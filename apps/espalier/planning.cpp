#include "planning.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "exchange_problem.hpp"
#include "gather_problem.hpp"
#include "grid_problem.hpp"
#include "network/json.hpp"
#include "sender_problem.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace espalier::cli {

namespace {

schedule::Kind read_kind(const std::string& collective) {
    const auto kind = schedule::find_kind(collective);
    if (!kind) throw InputError(collective, "", "is not a collective operation");
    const bool planned = std::ranges::any_of(plan::algorithms(), [&](const auto& algorithm) {
        return std::ranges::count(algorithm.collectives, *kind) > 0;
    });
    if (!planned) throw InputError(collective, "", "no algorithm here plans this collective");
    return *kind;
}

/// Those that work between clusters or nodes; on a network of one cluster, those that work inside
/// it.
std::vector<const plan::Algorithm*> applicable(const network::Network& network, schedule::Kind kind,
                                               const std::string& source) {
    std::vector<const plan::Algorithm*> inside;
    std::vector<const plan::Algorithm*> others;
    std::set<std::string> models;
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        if (std::ranges::count(algorithm.collectives, kind) == 0) continue;
        models.insert(algorithm.models.begin(), algorithm.models.end());
        if (std::ranges::count(algorithm.models, network.model_name()) == 0) continue;
        (algorithm.family == plan::Family::local ? inside : others).push_back(&algorithm);
    }
    if (size(network) == 1 && !inside.empty()) return inside;
    if (others.empty())
        throw InputError(source, "model",
                         fmt::format("no algorithm plans a {} on a {} network; on {} there are",
                                     name_of(kind), network.model_name(),
                                     listed({models.begin(), models.end()}, models.size())));
    return others;
}

void refuse_demands(const ProblemOptions& options) {
    const auto refuse = [](bool given, const char* option) {
        if (given) throw InputError(option, "", "only for alltoall");
    };
    refuse(!options.critical.empty(), "--critical");
    refuse(!options.deadlines.empty(), "--deadlines");
    refuse(!options.priorities.empty(), "--priorities");
    refuse(options.relays, "--relays");
    refuse(!options.reception.empty(), "--reception");
    refuse(!options.refine.empty(), "--refine");
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options) {
    app.add_option("COLLECTIVE", options.collective, "broadcast, reduce, alltoall or allgather")
        ->type_name("")
        ->required();
    app.add_option("NETWORK", options.network, "a network file (JSON), or a directory")
        ->type_name("")
        ->required();
    add_source_options(app, options.source);
    app.add_option("--root", options.root,
                   "a cluster's or a node's name; a node stands for its cluster (the first one; "
                   "on sender networks any for a broadcast, the slowest for a reduction)")
        ->type_name("NAME");
    app.add_option("--bytes", options.bytes,
                   "message size (of allgather, each node's own): 512, 64KiB, 4MB")
        ->type_name("SIZE");
    app.add_option("--sizes", options.sizes,
                   "what each node (row) has for each other (column), in bytes, for alltoall")
        ->type_name("MATRIX.csv");
    app.add_option("--critical", options.critical,
                   "the node whose own messages are to be over as early as possible, for alltoall")
        ->type_name("NAME");
    app.add_option("--deadlines", options.deadlines,
                   "by when each message (row to column) is due: 0.5, 10ms; empty: never; for "
                   "alltoall")
        ->type_name("MATRIX.csv");
    app.add_option("--priorities", options.priorities,
                   "what missing each deadline counts (1), for alltoall")
        ->type_name("MATRIX.csv");
    app.add_flag("--relays", options.relays,
                 "messages may go through other nodes also where no deadline asks for it, for "
                 "alltoall");
    app.add_option("--reception", options.reception,
                   "how a node takes in messages that arrive together: one after the other "
                   "(serial), interleaved:OVERHEAD, or buffered:SIZE, for alltoall (serial)")
        ->type_name("MODE");
    app.add_option("--refine", options.refine,
                   "adapt this earlier schedule to the network as it is now, in place of planning "
                   "anew, for alltoall")
        ->type_name("OLD.json");
    app.add_option("--segment", options.segment,
                   "none, auto, or the size of a segment (auto for auto, else none)")
        ->type_name("none|auto|SIZE");
    app.add_option("--local", options.local, "algorithm inside clusters, or auto (the default)")
        ->type_name("NAME");
    app.add_option("--ports", options.ports,
                   "how many messages a node sends, or receives, at once (1)")
        ->type_name("COUNT");
    app.add_option("--time-limit", options.time_limit,
                   "for each algorithm that searches: 10ms, 2s (10s)")
        ->type_name("TIME");
    app.add_option("--without", options.without,
                   "a technique that paper-search does without; may be repeated")
        ->type_name("TECHNIQUE");
}

plan::Limits limits_of(const ProblemOptions& options) {
    plan::Limits limits;
    constexpr Seconds longest(1e9);  // what a clock can add
    if (!options.time_limit.empty())
        limits.time = std::min(parse_seconds(options.time_limit, "--time-limit"), longest);
    return limits;
}

std::string Answer::certificate() const {
    throw InputError(
        "--certificate", "",
        fmt::format("{} proves nothing that a certificate could hold", headline().algorithm));
}

PlanningProblem::PlanningProblem(Setting setting)
    : options_(std::move(setting.options)),
      kind_(setting.kind),
      network_(std::move(setting.network)),
      algorithms_(std::move(setting.algorithms)),
      limits_(limits_of(options_)) {
    if (!options_.ports.empty()) ports_ = parse_count(options_.ports, "--ports", 1);
}

void PlanningProblem::require_algorithm(const std::string& name) const {
    if (name != "auto" && std::ranges::count(algorithms_, name, &plan::Algorithm::name) == 0)
        throw InputError("--algorithm", "",
                         fmt::format("'{}' is none of {}", name, names_of(algorithms_)));
}

std::unique_ptr<PlanningProblem> make_problem(const ProblemOptions& options) {
    const schedule::Kind kind = read_kind(options.collective);
    network::Network network = read_network(options.network, options.source);
    auto algorithms = applicable(network, kind, options.network);
    const plan::Family family = algorithms.front()->family;
    if (!options.sizes.empty() && family != plan::Family::exchange)
        throw InputError("--sizes", "", "only the messages of alltoall differ in size");
    if (family != plan::Family::exchange) refuse_demands(options);
    PlanningProblem::Setting setting{options, kind, std::move(network), std::move(algorithms)};
    if (family == plan::Family::sender) return std::make_unique<SenderProblem>(std::move(setting));
    if (family == plan::Family::exchange)
        return std::make_unique<ExchangeProblem>(std::move(setting));
    if (family == plan::Family::allgather)
        return std::make_unique<GatherProblem>(std::move(setting));
    return std::make_unique<GridProblem>(std::move(setting));
}

std::string names_of(const std::vector<const plan::Algorithm*>& algorithms) {
    std::vector<std::string> names{"auto"};
    for (const auto* algorithm : algorithms) names.emplace_back(algorithm->name);
    return listed(names, names.size());
}

std::string more_rows(std::size_t rows) {
    if (rows <= readable_rows) return {};
    return fmt::format("  … and {} more; -o SCHEDULE.json writes them all\n", rows - readable_rows);
}

std::string transfer_table(const schedule::Plan& plan, const std::string& time_unit) {
    const schedule::Schedule& schedule = plan.schedule;
    const bool sizes = time_unit.empty();
    using enum Table::Align;
    std::vector<Table::Column> columns{{"from"}, {"to"}};
    if (sizes) columns.insert(columns.end(), {{"bytes", right}, {"segments", right}});
    columns.insert(columns.end(), {{"start", right}, {"end", right}});
    Table table(std::move(columns));
    const std::size_t rows = std::min(schedule.transfers.size(), readable_rows);
    for (std::size_t t = 0; t < rows; ++t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        const auto& times = plan.timeline.transfers[t];
        std::vector<std::string> cells{schedule.nodes[transfer.from], schedule.nodes[transfer.to]};
        if (sizes) {
            cells.push_back(format_bytes(schedule.bytes_of(transfer)));
            cells.push_back(fmt::format("{}", schedule.segments_of(transfer)));
        }
        cells.push_back(report::format_time(times.start, time_unit));
        cells.push_back(report::format_time(times.end, time_unit));
        table.add(std::move(cells));
    }
    return table.text() + more_rows(schedule.transfers.size());
}

}  // namespace espalier::cli
