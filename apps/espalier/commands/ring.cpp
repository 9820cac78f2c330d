#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "inputs/network_source.hpp"
#include "inputs/ring_file.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "outputs/result.hpp"
#include "outputs/ring_text.hpp"
#include "plan/exchange/bound.hpp"
#include "problems/known_algorithms.hpp"
#include "report/ring_svg.hpp"
#include "report/ring_text.hpp"
#include "ring/exchange.hpp"
#include "ring/plan.hpp"
#include "ring/planner.hpp"
#include "schedule/json.hpp"
#include "schedule/ring_json.hpp"
#include "simulate/check_ring.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

namespace espalier::cli {

namespace {

using network::LinksNetwork;
using network::Network;
using ring::PathChoice;
using schedule::Ring;
using schedule::RingSharing;

struct RingSearchOptions {
    std::string network;
    SourceOptions source;
    std::string work;
    std::string exchange;
    std::string algorithm = "auto";
    std::string refine = "none";
    std::string paths;
    std::string sharing = "reserved";
    std::string time_limit = "5s";
    std::string seed = "1";
    std::string picture;
    std::string schedule;
    ResultOptions result;
};

struct NamedPaths {
    std::string_view name;
    PathChoice paths;
};
constexpr std::array<NamedPaths, 3> path_choices{
    {{"widest", PathChoice::widest}, {"shortest", PathChoice::shortest}, {"all", PathChoice::all}}};

template <typename Entries>
const auto& find_named(const Entries& entries, const std::string& name, const std::string& option) {
    std::vector<std::string_view> names;
    for (const auto& entry : entries) {
        if (entry.name == name) return entry;
        names.push_back(entry.name);
    }
    throw InputError(option, "", fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
}

ring::Request request_of(const RingSearchOptions& options) {
    ring::Request request;
    request.work = parse_work(options.work);
    request.exchange = parse_exchange(options.exchange);
    request.algorithm = find_named(ring::algorithms(), options.algorithm, "--algorithm").name;
    request.refinement = find_named(ring::refinements, options.refine, "--refine").refinement;
    if (request.refinement != ring::Refinement::none && options.algorithm != "greedy" &&
        options.algorithm != "auto")
        throw InputError("--refine", "",
                         fmt::format("{} grows no ring; greedy and auto do", options.algorithm));
    const auto sharing = schedule::find_sharing(options.sharing);
    if (!sharing)
        throw InputError("--sharing", "",
                         fmt::format("'{}' is none of reserved, fair", options.sharing));
    request.sharing = *sharing;
    if (!options.paths.empty())
        request.paths = find_named(path_choices, options.paths, "--paths").paths;
    if (request.sharing == RingSharing::fair && request.paths == PathChoice::all)
        throw InputError("--paths", "",
                         "where links are shared fairly, messages take the network's own paths");
    request.limits.time = parse_seconds(options.time_limit, "--time-limit");
    request.seed = parse_count(options.seed, "--seed");
    return request;
}

void check_files(const RingSearchOptions& options) {
    if (!options.picture.empty() && options.picture != "-" && !options.picture.ends_with(".svg"))
        throw InputError("--picture", "", fmt::format("'{}' is no .svg", options.picture));
    require_writable({options.result.file, options.picture, options.schedule});
}

/// Checks the ring as any other: a planner's claims are not trusted.
void require_valid(const Ring& ring, const LinksNetwork& platform) {
    const std::string text = to_text(to_json(ring, platform));
    const auto check = simulate::check_ring(schedule::parse_ring(text, "ring"), platform);
    if (check.violation)
        throw Error(ExitStatus::internal_fault,
                    fmt::format("the ring that was planned is not valid: {}", *check.violation));
}

/// The exchange of a step on this fabric, with what no order of its messages beats.
schedule::Plan exchange_on(const simulate::Fabric& fabric, std::vector<std::string> names,
                           const Ring& ring, const LinksNetwork& platform) {
    schedule::Plan plan;
    plan.schedule = ring::exchange_schedule(ring, platform, fabric, std::move(names));
    plan.timeline = simulate::simulate(plan.schedule, fabric);
    const auto problem =
        plan::exchange::make_problem(fabric, plan.schedule.collective, plan.schedule.ports.count);
    plan.lower_bound = Seconds(plan::exchange::exchange_bound(problem));
    plan.scope = schedule::BoundScope::whole_message;
    return plan;
}

/// The exchange of a step between the network's nodes, its groups taken apart.
schedule::Plan exchange_of(const Ring& ring, const LinksNetwork& platform, const Network& network) {
    std::vector<std::string> names;
    if (const auto* grid = network.grid()) {
        const network::GridView view(*grid);
        std::vector<network::GridView::Place> places;
        for (std::size_t node = 0; node < view.nodes(); ++node) {
            places.push_back(view.place_of(node));
            names.push_back(view.name_of(places.back()));
        }
        return exchange_on(*simulate::make_rank_fabric(view, std::move(places)), std::move(names),
                           ring, platform);
    }
    for (std::size_t node = 0; node < size(network); ++node)
        names.push_back(node_name(network, node));
    return exchange_on(*simulate::make_fabric(network), std::move(names), ring, platform);
}

void run_ring(const RingSearchOptions& options) {
    const ring::Request request = request_of(options);
    check_files(options);
    const Network network = read_network(options.network, options.source);
    LinksNetwork platform;
    Ring ring;
    std::optional<schedule::Plan> exchange;
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> took{};
    try {
        platform = ring::physical_network(network, request.exchange);
        ring = plan_ring(platform, request);
        took = std::chrono::steady_clock::now() - begin;
        ring.network = network::fingerprint(network);
        if (!options.schedule.empty()) exchange = exchange_of(ring, platform, network);
    } catch (const InputError& error) {
        // Planning knows the network, but not the file it came from.
        throw InputError(options.network, "", error.what());
    }
    require_valid(ring, platform);
    if (!options.picture.empty()) write_file(options.picture, report::ring_svg(ring, platform));
    if (exchange) {
        exchange->schedule.network = ring.network;
        write_file(options.schedule, to_json_text(*exchange));
    }
    deliver(options.result, to_json(ring, platform), [&] {
        return fmt::format("{}\n{}\nplanned in {}\n\n{}", report::title_of(ring, platform),
                           report::subtitle_of(ring), format_seconds(Seconds(took.count())),
                           ring_tables(ring, platform));
    });
}

}  // namespace

Action add_ring(CLI::App& app) {
    auto options = std::make_shared<RingSearchOptions>();
    app.add_option("NETWORK", options->network, "a network (JSON), or a directory")
        ->type_name("")
        ->required();
    app.add_option("--work", options->work,
                   "of one step, over all hosts: a host takes its cycle time for each unit")
        ->type_name("W")
        ->required();
    app.add_option("--exchange", options->exchange,
                   "the size of the message that each host sends to each of its two neighbours: a "
                   "number in the network's own unit, or bytes such as 64KiB")
        ->type_name("H")
        ->required();
    app.add_option("--algorithm", options->algorithm,
                   "a name of the family ring from espalier algorithms")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--refine", options->refine,
                   "computes all bandwidths anew, each time that a ring has grown")
        ->type_name("none|max-min|nonlinear")
        ->capture_default_str();
    app.add_option("--paths", options->paths,
                   "which paths are looked at, where the network lists no routes (widest; with "
                   "fair sharing shortest)")
        ->type_name("widest|shortest|all");
    app.add_option("--sharing", options->sharing,
                   "each path has its own bandwidth, or messages share links as they meet")
        ->type_name("reserved|fair")
        ->capture_default_str();
    app.add_option("--time-limit", options->time_limit, "of planning")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--seed", options->seed, "of what is drawn at random")
        ->type_name("NUMBER")
        ->capture_default_str();
    app.add_option("--picture", options->picture,
                   "draw the platform, with the ring and how it uses the links")
        ->type_name("RING.svg");
    app.add_option("--schedule", options->schedule,
                   "write the messages of a step as a schedule of a total exchange")
        ->type_name("SCHEDULE.json");
    add_source_options(app, options->source);
    add_file_option(app, options->result, "RING.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run_ring(*options); };
}

}  // namespace espalier::cli
