#pragma once

#include "report/diagram.hpp"

#include <CLI/App.hpp>

#include <string>

namespace espalier::cli {

/// A picture of a plan in a file: what the user asked for.
struct DrawingOptions {
    std::string file;
    std::string view;  ///< empty: the usual one of the collective
};

void add_view_option(CLI::App& app, DrawingOptions& options);

/// Throws InputError naming `option` (that of the file) or `--view` for a file that is none of
/// .svg, .html and .json, and for a view that does not exist or does not apply.
void check_drawing(const DrawingOptions& options, const std::string& option);

/// Writes the file: a diagram as .svg, all of them in a page as .html, a trace as .json. What has
/// too many messages to draw each is drawn as how many nodes send and receive.
void write_drawing(const DrawingOptions& options, const schedule::Plan& plan,
                   const report::TimelineOptions& look);
/// Warns where that was so.
void warn_of_what_is_left_out(const DrawingOptions& options, const schedule::Plan& plan);
/// One line about that file: `out.svg: 20 transfers between 5 nodes, drawn as columns`.
[[nodiscard]] std::string describe_drawing(const DrawingOptions& options,
                                           const schedule::Plan& plan);

}  // namespace espalier::cli
