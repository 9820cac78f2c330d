#include "doctor/report.hpp"
#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/table.hpp"
#include "directory/open_source.hpp"
#include "frontend/checking.hpp"
#include "frontend/comparison.hpp"
#include "frontend/input.hpp"
#include "frontend/schedule_answer.hpp"
#include "frontend/study.hpp"
#include "inputs/network_source.hpp"
#include "inputs/ring_options.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "outputs/command_words.hpp"
#include "outputs/comparison_page.hpp"
#include "outputs/doctor_page.hpp"
#include "outputs/drawing.hpp"
#include "outputs/network_drawing.hpp"
#include "outputs/result.hpp"
#include "outputs/run_page.hpp"
#include "outputs/study_text.hpp"
#include "outputs/waiting.hpp"
#include "overview/overview.hpp"
#include "plan/check_plan.hpp"
#include "report/ring_svg.hpp"
#include "report/ring_text.hpp"
#include "runs/text.hpp"
#include "schedule/json.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::cli {

namespace {

using schedule::StatedPlan;
using schedule::Timeline;

struct ReportOptions {
    std::string file;
    std::string network;
    SourceOptions source;
    frontend::RingOptions ring;
    DrawingOptions drawing;
    std::string made;  ///< a line about the page, by what it was made
};

/// Throws InputError for an option that says something of schedules alone, and for a file that is
/// no page.
void require_page(const ReportOptions& options, const std::string& what) {
    if (!options.drawing.view.empty())
        throw InputError("--view", "", fmt::format("{} is {}", options.file, what));
    refuse_ring_options(options.file, options.ring);
    if (!options.drawing.file.ends_with(".html"))
        throw InputError("-o", "",
                         fmt::format("{}: {} is written as .html", options.drawing.file, what));
    espalier::require_writable(options.drawing.file);
}

/// The network of a run: the one that was given, or its own.
std::optional<network::Network> network_of(const runs::Run& run, const JsonValue& document,
                                           const ReportOptions& options) {
    const bool has_own = document.has("network_described");
    if (options.network.empty())
        return has_own ? std::optional(network::read_network(document)) : std::nullopt;
    network::Network network = read_network(options.network, options.source);
    if (has_own && network::fingerprint(network) != run.network_fingerprint)
        warn(fmt::format("{}: not the network that the program ran on", options.network));
    return network;
}

void report_run(const ReportOptions& options) {
    Json storage;
    const auto document = JsonValue::parse(options.file, read_file(options.file), storage);
    const runs::Run run = runs::read_run(document);
    if (options.drawing.file.empty()) {
        std::cout << runs::text(run);
        return;
    }
    require_page(options, "a run");
    const auto network = network_of(run, document, options);
    const std::string& name = options.network.empty() ? options.file : options.network;
    std::optional<Waiting> waiting(std::in_place, "planning its calls anew");
    const std::string page =
        run_page(run, network, options.file, network ? name : std::string(), options.made);
    waiting.reset();
    write_file(options.drawing.file, page);
    std::cout << fmt::format("{}: {} of a run{}\n", options.drawing.file,
                             counted(run.calls.size(), "row"),
                             network ? "" : ", without its network");
}

/// The file, of which there are pages alone, and which says itself what of the network it needs.
JsonValue read_for_page(const ReportOptions& options, const std::string& what, Json& storage) {
    if (!options.network.empty())
        throw InputError("--network", "", fmt::format("{} is {}", options.file, what));
    require_page(options, what);
    return JsonValue::parse(options.file, read_file(options.file), storage);
}

void report_comparison(const ReportOptions& options) {
    Json storage;
    const auto comparison =
        frontend::read_comparison(read_for_page(options, "a comparison", storage));
    write_file(options.drawing.file, comparison_page(comparison, options.file, options.made));
    std::cout << fmt::format("{}: {} compared\n", options.drawing.file,
                             counted(comparison.rows.size(), "algorithm"));
}

void report_doctor(const ReportOptions& options) {
    Json storage;
    const doctor::Facts facts =
        doctor::read_document(read_for_page(options, "what doctor saw", storage));
    write_file(options.drawing.file, doctor_page(facts, options.file, options.made));
    std::cout << fmt::format("{}: {}\n", options.drawing.file,
                             doctor::verdict_of(facts, doctor::diagnose(facts)));
}

void report_study(const ReportOptions& options) {
    Json storage;
    const auto study = frontend::read_study(read_for_page(options, "a study", storage));
    write_file(options.drawing.file, study_page(study, options.file, options.made));
    std::cout << fmt::format("{}: {}\n", options.drawing.file, title_of(study));
}

/// The times that the same order has on a network, in place of those that the file states.
void simulate_on(StatedPlan& stated, const network::Network& network,
                 const ReportOptions& options) {
    StatedPlan order = stated;
    order.has_times = false;
    order.has_makespan = false;
    order.plan.timeline.transfers.clear();
    order.plan.lower_bound = Seconds(0);
    order.plan.any_bound = Seconds(0);
    order.plan.optimal = false;
    const simulate::Check check = plan::check_plan(order, network, options.file);
    if (check.violation) throw InvalidError(fmt::format("{}: {}", options.file, *check.violation));
    const schedule::Schedule& schedule = stated.plan.schedule;
    Timeline timeline = check.timeline;
    // Checking looks between ranks where it can; what is drawn is between the schedule's nodes.
    if (!schedule.local.empty()) {
        const auto fabric = simulate::make_fabric(network);
        for (std::size_t node = 0; node < schedule.nodes.size(); ++node)
            if (schedule.nodes[node] != node_name(network, node))
                throw InputError(options.file, "nodes",
                                 fmt::format("they are not in the order of {}", options.network));
        timeline = simulate::simulate(schedule, *fabric);
    }
    if (schedule.network != network::fingerprint(network)) {
        // Its bounds are about another network.
        stated.plan.lower_bound = Seconds(0);
        stated.plan.any_bound = Seconds(0);
        stated.plan.critical_bound = Seconds(0);
        stated.plan.missed_bound = 0;
        stated.plan.optimal = false;
    }
    stated.plan.timeline = std::move(timeline);
}

/// The clusters whose nodes the schedule is between; none where these are not all of them.
std::vector<report::LaneGroup> bands_of(const schedule::Schedule& schedule,
                                        const network::Network& network) {
    const network::GridNetwork* grid = network.grid();
    if (grid == nullptr) return {};
    const network::GridView view(*grid);
    if (view.nodes() != schedule.nodes.size()) return {};
    return frontend::lane_groups(view);
}

void draw_ring(const ReportOptions& options) {
    const DrawingOptions& drawing = options.drawing;
    if (options.network.empty())
        throw InputError("--network", "",
                         fmt::format("needed: {} says where its paths go, and nothing of what "
                                     "lies around them",
                                     options.file));
    if (!drawing.view.empty())
        throw InputError("--view", "",
                         fmt::format("{}: there is one view of a ring", drawing.file));
    const bool page = drawing.file.ends_with(".html");
    if (!page && !drawing.file.ends_with(".svg"))
        throw InputError("-o", "",
                         fmt::format("{}: a ring is drawn as .svg or .html", drawing.file));
    espalier::require_writable(drawing.file);
    const frontend::CheckedRing found = frontend::examine_ring(
        schedule::read_ring(options.file), options.file, options.ring,
        read_network(options.network, options.source), options.network, warn);
    if (found.check.violation)
        throw InvalidError(fmt::format("{}: {}", options.file, *found.check.violation));
    write_file(drawing.file, page ? report::ring_html(found.check.ring, found.platform,
                                                      options.file, options.network, options.made)
                                  : report::ring_svg(found.check.ring, found.platform));
    std::cout << fmt::format("{}: {}\n", drawing.file,
                             report::title_of(found.check.ring, found.platform));
}

/// Throws InputError for an option that says something of plans alone.
void draw_network_of(const ReportOptions& options) {
    const auto refuse = [&](const std::string& value, const char* option) {
        if (!value.empty())
            throw InputError(option, "", fmt::format("{} is a network", options.file));
    };
    refuse(options.network, "--network");
    refuse(options.drawing.view, "--view");
    refuse_ring_options(options.file, options.ring);
    check_network_drawing(options.drawing.file);
    const auto overview = overview::overview_of(read_network(options.file, options.source));
    draw_network(options.drawing.file, overview, options.file, options.made);
    std::cout << describe_network_drawing(options.drawing.file, overview);
}

void draw_schedule(const ReportOptions& options) {
    refuse_ring_options(options.file, options.ring);
    check_drawing(options.drawing, "-o");
    espalier::require_writable(options.drawing.file);
    std::optional<Waiting> waiting(std::in_place, "drawing " + options.drawing.file);
    StatedPlan stated = schedule::parse_schedule(read_file(options.file), options.file);
    report::TimelineOptions look;
    if (!options.network.empty()) {
        const network::Network network = read_network(options.network, options.source);
        if (network.sender() != nullptr) look.time_unit = network.sender()->time_unit;
        look.groups = bands_of(stated.plan.schedule, network);
        simulate_on(stated, network, options);
    } else if (!stated.has_times) {
        throw InputError(options.file, "transfers",
                         "they have no times; with --network NET.json they are simulated");
    } else {
        frontend::complete_times(stated);
        look.groups = frontend::lane_groups(stated.plan.schedule.nodes);
    }
    look.origin = {
        fmt::format("{}, written by espalier plan{}.", options.file,
                    options.network.empty() ? "" : "; its times are those on " + options.network),
        fmt::format("To check it: espalier check {} --network {}.", options.file,
                    options.network.empty() ? "NET.json" : options.network)};
    if (options.network.empty())
        look.origin.emplace_back(
            "For how long a message keeps its sender and its receiver busy is not in the file: it "
            "is drawn as long as the next one leaves room. With `--network NET.json` it is "
            "simulated.");
    look.origin.push_back(options.made);
    write_drawing(options.drawing, stated.plan, look);
    waiting.reset();
    std::cout << describe_drawing(options.drawing, stated.plan);
}

/// What may be reported, and how.
struct Reportable {
    std::string_view format;
    void (*report)(const ReportOptions& options);
};
constexpr std::string_view run_format = "espalier-run";
constexpr std::array reportables{
    Reportable{"espalier-schedule", draw_schedule},
    Reportable{"espalier-ring", draw_ring},
    Reportable{"espalier-network", draw_network_of},
    Reportable{run_format, report_run},
    Reportable{"espalier-comparison", report_comparison},
    Reportable{"espalier-study", report_study},
    Reportable{"espalier-doctor", report_doctor},
};

/// Throws InputError for a file that is nothing of the kind.
[[noreturn]] void refuse(const std::string& file) {
    Json storage;
    const JsonValue document = JsonValue::parse(file, read_file(file), storage);
    if (!document.is_object()) document.fail("not an object");
    const JsonValue stated = document.at("format");
    std::vector<std::string_view> formats;
    for (const Reportable& known : reportables) formats.push_back(known.format);
    stated.fail(fmt::format("'{}' is none of {}", stated.string(), fmt::join(formats, ", ")));
}

void run_report(const ReportOptions& options) {
    const auto* const found = std::ranges::find_if(reportables, [&](const Reportable& known) {
        return directory::is_source(options.file)
                   ? known.report == draw_network_of
                   : frontend::has_format(options.file, std::string(known.format));
    });
    if (found == reportables.end()) refuse(options.file);
    if (options.drawing.file.empty() && found->format != run_format)
        throw InputError("-o", "", "needed: where to draw it");
    found->report(options);
}

}  // namespace

Action add_report(CLI::App& app) {
    auto options = std::make_shared<ReportOptions>();
    app.add_option(
           "FILE", options->file,
           "a schedule, a ring, a network, a comparison, a study, a run or what doctor saw (JSON), "
           "or a directory")
        ->type_name("")
        ->required();
    app.add_option("--network", options->network,
                   "simulate it on this network (JSON, or a directory), whatever times it states; "
                   "what a ring is drawn on; that of a run")
        ->type_name("NET.json");
    add_ring_options(app, options->ring);
    add_source_options(app, options->source);
    add_view_option(app, options->drawing);
    app.add_option("-o,--output", options->drawing.file,
                   "a picture, a page to zoom in, or a trace for Perfetto")
        ->type_name("OUT.svg|OUT.html|OUT.json");
    return [options, &app](const Passed&) {
        options->made = made_by(app);
        run_report(*options);
    };
}

}  // namespace espalier::cli
