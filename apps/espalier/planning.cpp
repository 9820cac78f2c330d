#include "planning.hpp"

#include "collective_problem.hpp"
#include "core/error.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "exchange_problem.hpp"
#include "network/json.hpp"
#include "sender_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

namespace espalier::cli {

namespace {

bool is_planned(schedule::Kind kind) {
    return std::ranges::any_of(known_algorithms(), [&](const AlgorithmEntry* algorithm) {
        return serves(*algorithm, kind);
    });
}

/// Those that are planned, for people.
std::string collectives() {
    std::set<schedule::Kind> kinds;
    for (const AlgorithmEntry* algorithm : known_algorithms())
        kinds.insert(algorithm->collectives.begin(), algorithm->collectives.end());
    std::vector<std::string> names;
    for (const schedule::Kind kind : kinds) names.emplace_back(name_of(kind));
    return listed(names, names.size());
}

schedule::Kind read_kind(const std::string& collective) {
    const auto kind = schedule::find_kind(collective);
    if (!kind) throw InputError(collective, "", "is not a collective operation");
    if (!is_planned(*kind))
        throw InputError(collective, "", "no algorithm here plans this collective");
    return *kind;
}

/// Those that work between clusters, nodes or ranks; on a network of one cluster, those that work
/// inside it in place of those between clusters.
std::vector<const AlgorithmEntry*> applicable(const network::Network& network, schedule::Kind kind,
                                              const std::string& source) {
    std::vector<const AlgorithmEntry*> found;
    std::set<std::string> models;
    for (const AlgorithmEntry* algorithm : known_algorithms()) {
        if (!serves(*algorithm, kind)) continue;
        models.insert(algorithm->models.begin(), algorithm->models.end());
        if (std::ranges::count(algorithm->models, network.model_name()) > 0)
            found.push_back(algorithm);
    }
    const auto count = [&](Family family) {
        return std::ranges::count(found, family, &AlgorithmEntry::family);
    };
    const bool inside = size(network) == 1 && count(Family::local) > 0;
    const auto other = inside ? Family::grid : Family::local;
    std::erase_if(found, [&](const AlgorithmEntry* one) { return one->family == other; });
    if (found.empty())
        throw InputError(source, "model",
                         fmt::format("no algorithm plans a {} on a {} network; on {} there are",
                                     name_of(kind), network.model_name(),
                                     listed({models.begin(), models.end()}, models.size())));
    return found;
}

/// The same for some of its families.
PlanningProblem::Setting only(PlanningProblem::Setting setting,
                              std::initializer_list<Family> families) {
    std::erase_if(setting.algorithms, [&](const AlgorithmEntry* algorithm) {
        return std::ranges::find(families, algorithm->family) == families.end();
    });
    return setting;
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

/// Whether more is asked of an exchange than to be over soon.
bool has_demands(const ProblemOptions& asked) {
    return asked.relays || !asked.critical.empty() || !asked.deadlines.empty() ||
           !asked.priorities.empty() || !asked.refine.empty() ||
           !(asked.reception.empty() || asked.reception == "serial");
}

PlanningProblem::Setting read_setting(const ProblemOptions& options) {
    const schedule::Kind kind = read_kind(options.collective);
    network::Network network = read_network(options.network, options.source);
    auto algorithms = applicable(network, kind, options.network);
    if (kind != schedule::Kind::alltoall) {
        refuse_demands(options);
        if (!options.sizes.empty() && !has_blocks(kind))
            throw InputError("--sizes", "",
                             "only for alltoall, scatter, gather, allgather and reduce-scatter");
    }
    return {options, kind, std::move(network), std::move(algorithms)};
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options) {
    app.add_option("COLLECTIVE", options.collective, collectives())->type_name("")->required();
    app.add_option("NETWORK", options.network, "a network file (JSON), or a directory")
        ->type_name("")
        ->required();
    add_source_options(app, options.source);
    app.add_option("--root", options.root,
                   "a cluster's or a node's name; a node stands for its cluster (the first one; "
                   "on sender networks any for a broadcast, the slowest for a reduction)")
        ->type_name("NAME");
    app.add_option("--bytes", options.bytes, "message size, of one rank's operand: 512, 64KiB, 4MB")
        ->type_name("SIZE");
    app.add_option("--sizes", options.sizes,
                   "what each node (row) has for each other (column), in bytes, for alltoall; a "
                   "row with each node's block for scatter, gather, allgather and reduce-scatter")
        ->type_name("SIZES.csv");
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
    app.add_option(
           "--ports", options.ports,
           "how many messages a node sends, or receives, at once (auto: one, or several where "
           "the network says what nodes send and receive in all)")
        ->type_name("COUNT|auto");
    app.add_option("--time-limit", options.time_limit,
                   "for each algorithm that searches: 10ms, 2s (10s)")
        ->type_name("TIME");
    app.add_option("--without", options.without,
                   "a technique that paper-search does without; may be repeated")
        ->type_name("TECHNIQUE");
}

Limits limits_of(const ProblemOptions& options) {
    Limits limits;
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
    if (!options_.ports.empty() && options_.ports != "auto")
        ports_ = parse_count(options_.ports, "--ports", 1);
}

void PlanningProblem::require_algorithm(const std::string& name) const {
    if (name != "auto" && std::ranges::count(algorithms_, name, &AlgorithmEntry::name) == 0)
        throw InputError("--algorithm", "",
                         fmt::format("'{}' is none of {}", name, names_of(algorithms_)));
}

std::unique_ptr<PlanningProblem> make_problem(const ProblemOptions& options) {
    PlanningProblem::Setting setting = read_setting(options);
    if (setting.network.sender() != nullptr)
        return std::make_unique<SenderProblem>(std::move(setting));
    std::unique_ptr<ExchangeProblem> exchange;
    if (setting.kind == schedule::Kind::alltoall)
        exchange =
            std::make_unique<ExchangeProblem>(only(setting, {Family::exchange, Family::demands}));
    if (has_demands(options)) return exchange;
    return std::make_unique<CollectiveProblem>(std::move(setting), std::move(exchange));
}

std::unique_ptr<ExchangeProblem> make_exchange(const ProblemOptions& options) {
    return std::make_unique<ExchangeProblem>(
        only(read_setting(options), {Family::exchange, Family::demands}));
}

std::string names_of(const std::vector<const AlgorithmEntry*>& algorithms) {
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
