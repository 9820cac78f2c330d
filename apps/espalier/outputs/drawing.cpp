#include "outputs/drawing.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/table.hpp"
#include "outputs/result.hpp"
#include "report/density_svg.hpp"
#include "report/trace_json.hpp"
#include "report/viewer_html.hpp"

#include <fmt/format.h>

namespace espalier::cli {

namespace {

std::string view_names(const char* separator) {
    std::string names;
    for (const report::View view : report::all_views) {
        if (!names.empty()) names += separator;
        names += name_of(view);
    }
    return names;
}

report::View view_of(const DrawingOptions& options, const schedule::Plan& plan) {
    return report::find_view(options.view)
        .value_or(report::usual_view(plan.schedule.collective.kind));
}

/// A trace holds them all, for viewers that cope.
bool is_drawn_as_density(const DrawingOptions& options, const schedule::Plan& plan) {
    return !options.file.ends_with(".json") && report::is_crowd(plan);
}

}  // namespace

void add_view_option(CLI::App& app, DrawingOptions& options) {
    app.add_option("--view", options.view,
                   "how it is drawn, or what a page opens with (columns for alltoall, else lanes)")
        ->type_name(view_names("|"));
}

void check_drawing(const DrawingOptions& options, const std::string& option) {
    if (!options.view.empty() && !report::find_view(options.view))
        throw InputError("--view", "",
                         fmt::format("'{}' is none of {}", options.view, view_names(", ")));
    if (options.file.empty()) {
        if (options.view.empty()) return;
        throw InputError("--view", "", fmt::format("nothing is drawn without {}", option));
    }
    const bool trace = options.file.ends_with(".json");
    if (!trace && !options.file.ends_with(".svg") && !options.file.ends_with(".html"))
        throw InputError(option, "",
                         fmt::format("{}: a timeline is drawn as .svg or .html, or written as a "
                                     "trace, .json",
                                     options.file));
    if (trace && !options.view.empty())
        throw InputError(
            "--view", "",
            fmt::format("{}: a trace holds no view; its viewer has its own", options.file));
}

std::string describe_drawing(const DrawingOptions& options, const schedule::Plan& plan) {
    std::string form = "as a trace";
    if (is_drawn_as_density(options, plan))
        form = "as how many nodes send and receive, since they are too many to draw each";
    else if (!options.file.ends_with(".json"))
        form = fmt::format("{} {}",
                           options.file.ends_with(".svg") ? "drawn as" : "a page that opens with",
                           name_of(view_of(options, plan)));
    return fmt::format("{}: {} between {}, {}\n", options.file,
                       counted(plan.schedule.transfers.size(), "transfer"),
                       counted(plan.schedule.nodes.size(), "node"), form);
}

void warn_of_what_is_left_out(const DrawingOptions& options, const schedule::Plan& plan) {
    if (!is_drawn_as_density(options, plan)) return;
    warn(
        fmt::format("{}: {} between {} are too many to draw each; it shows how many nodes send "
                    "and receive, and -o SCHEDULE.json writes them all",
                    options.file, counted(plan.schedule.transfers.size(), "message"),
                    counted(plan.schedule.nodes.size(), "node")));
}

void write_drawing(const DrawingOptions& options, const schedule::Plan& plan,
                   const report::TimelineOptions& look) {
    const report::View view = view_of(options, plan);
    if (is_drawn_as_density(options, plan)) {
        write_file(options.file, options.file.ends_with(".svg") ? density_svg(plan, look)
                                                                : density_html(plan, look));
        return;
    }
    if (options.file.ends_with(".svg")) {
        write_file(options.file, diagram_svg(plan, view, look));
        return;
    }
    const report::Analysis analysis = report::analyse(plan);
    write_file(options.file, options.file.ends_with(".html")
                                 ? diagram_html(plan, analysis, view, look)
                                 : trace_json(plan, analysis, look.time_unit));
}

}  // namespace espalier::cli
