#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/prose.hpp"
#include "core/text.hpp"
#include "frontend/ring_search.hpp"
#include "inputs/network_source.hpp"
#include "outputs/result.hpp"
#include "outputs/ring_text.hpp"
#include "report/ring_svg.hpp"
#include "report/ring_text.hpp"
#include "schedule/json.hpp"
#include "schedule/ring_json.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>

namespace espalier::cli {

namespace {

using network::Network;

struct RingWords {
    std::string network;
    SourceOptions source;
    frontend::RingSearchOptions search;
    std::string picture;
    std::string schedule;
    ResultOptions result;
};

void check_files(const RingWords& options) {
    if (!options.picture.empty() && options.picture != "-" && !options.picture.ends_with(".svg"))
        throw InputError("--picture", "", fmt::format("'{}' is no .svg", options.picture));
    require_writable({options.result.file, options.picture, options.schedule});
}

void run_ring(const RingWords& options) {
    const ring::Request request = frontend::request_of(options.search);
    check_files(options);
    const Network network = read_network(options.network, options.source);
    const auto begin = std::chrono::steady_clock::now();
    const auto planned = frontend::search_ring(network, options.network, request);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const network::LinksNetwork& platform = planned.platform;
    const schedule::Ring& ring = planned.ring;
    std::optional<schedule::Plan> exchange;
    try {
        if (!options.schedule.empty()) exchange = frontend::exchange_of(planned, network);
    } catch (const InputError& error) {
        throw InputError(options.network, "", error.what());
    }
    if (!options.picture.empty()) {
        write_file(options.picture, report::ring_svg(ring, platform));
        say_written(options.picture);
    }
    if (exchange) {
        write_file(options.schedule, to_json_text(*exchange));
        say_written(options.schedule);
    }
    deliver(options.result, to_json(ring, platform), [&] {
        const std::string head =
            fmt::format("{}\n{}\nplanned in {}\n\n", report::title_of(ring, platform),
                        report::subtitle_of(ring), format_seconds(Seconds(took.count())));
        return wrapped(head, columns_of_output(STDOUT_FILENO), 2) + ring_tables(ring, platform);
    });
}

}  // namespace

Action add_ring(CLI::App& app) {
    auto options = std::make_shared<RingWords>();
    app.add_option("NETWORK", options->network, "a network (JSON), or a directory")
        ->type_name("")
        ->required();
    app.add_option("--work", options->search.work,
                   "of one step, over all hosts: a host takes its cycle time for each unit")
        ->type_name("W")
        ->required();
    app.add_option("--exchange", options->search.exchange,
                   "the size of the message that each host sends to each of its two neighbours: a "
                   "number in the network's own unit, or bytes such as 64KiB")
        ->type_name("H")
        ->required();
    app.add_option("--algorithm", options->search.algorithm,
                   "a name of the family ring from espalier algorithms")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--refine", options->search.refine,
                   "computes all bandwidths anew, each time that a ring has grown")
        ->type_name("none|max-min|nonlinear")
        ->capture_default_str();
    app.add_option("--paths", options->search.paths,
                   "which paths are looked at, where the network lists no routes (widest; with "
                   "fair sharing shortest)")
        ->type_name("widest|shortest|all");
    app.add_option("--sharing", options->search.sharing,
                   "each path has its own bandwidth, or messages share links as they meet")
        ->type_name("reserved|fair")
        ->capture_default_str();
    app.add_option("--time-limit", options->search.time_limit, "of planning")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--seed", options->search.seed, "of what is drawn at random")
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
