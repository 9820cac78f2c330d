#include "figures.hpp"

#include "core/files.hpp"
#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>

namespace espalier::bench {

namespace {

using report::Plot;
using report::Series;
using Quantity = std::function<double(const Cell&)>;

struct Column {
    std::string name;
    Quantity of;
};

std::vector<double> ratios_of(const std::vector<Cell>& cells) {
    std::vector<double> ratios;
    for (const Cell& cell : cells)
        if (std::ranges::find(ratios, cell.ratio) == ratios.end()) ratios.push_back(cell.ratio);
    return ratios;
}

Samples samples_of(const std::vector<Cell>& cells, double ratio, const Quantity& of) {
    Samples samples;
    for (const Cell& cell : cells)
        if (cell.ratio == ratio) samples.add(of(cell));
    return samples;
}

std::vector<Column> size_columns() {
    std::vector<Column> columns;
    for (std::size_t r = 0; r < ring::refinements.size(); ++r)
        columns.push_back(
            {r == 0 ? "greedy" : fmt::format("greedy, {}", ring::refinements[r].name),
             [r](const Cell& cell) { return static_cast<double>(cell.greedy[r].hosts); }});
    columns.push_back(
        {"auto", [](const Cell& cell) { return static_cast<double>(cell.automatic.hosts); }});
    return columns;
}

/// Per cent.
std::vector<Column> gain_columns() {
    std::vector<Column> columns;
    for (std::size_t r = 1; r < ring::refinements.size(); ++r)
        columns.push_back({std::string(ring::refinements[r].name), [r](const Cell& cell) {
                               return 100 * cell.gain(cell.greedy[r].step_time);
                           }});
    columns.push_back({"best division of the plain ring",
                       [](const Cell& cell) { return 100 * cell.gain(cell.divided); }});
    columns.push_back(
        {"auto", [](const Cell& cell) { return 100 * cell.gain(cell.automatic.step_time); }});
    return columns;
}

std::vector<Column> step_columns() {
    return {
        {"greedy", [](const Cell& cell) { return cell.plain(); }},
        {"auto", [](const Cell& cell) { return cell.automatic.step_time; }},
        {"lower bound", [](const Cell& cell) { return cell.bound; }},
        {"greedy / bound", [](const Cell& cell) { return cell.plain() / cell.bound; }},
        {"auto / bound", [](const Cell& cell) { return cell.automatic.step_time / cell.bound; }},
        {"auto / bound without exchange",
         [](const Cell& cell) { return cell.automatic.step_time / cell.bound_without_exchange; }}};
}

/// The value, or 0 if it is a rounding error.
double without_noise(double value) { return std::abs(value) < 1e-6 ? 0 : value; }

void print_table(const std::string& title, const std::vector<Cell>& cells,
                 const std::vector<Column>& columns) {
    fmt::print("{}: mean (least to greatest)\n\n| H/W |", title);
    for (const Column& column : columns) fmt::print(" {} |", column.name);
    fmt::print("\n| --- |");
    for (std::size_t c = 0; c < columns.size(); ++c) fmt::print(" --- |");
    fmt::print("\n");
    for (const double ratio : ratios_of(cells)) {
        fmt::print("| {} |", ratio);
        for (const Column& column : columns) {
            const Samples samples = samples_of(cells, ratio, column.of);
            fmt::print(" {:.4g}", without_noise(samples.mean()));
            if (samples.size() > 1)
                fmt::print(" ({:.4g} to {:.4g})", without_noise(samples.least()),
                           without_noise(samples.greatest()));
            fmt::print(" |");
        }
        fmt::print("\n");
    }
    fmt::print("\n");
    (void)std::fflush(stdout);
}

void draw(const std::string& path, Plot plot, const std::vector<Cell>& cells,
          const std::vector<Column>& columns) {
    plot.x = {.title = "H / W", .scale = report::Scale::log};
    for (const Column& column : columns) {
        Series series{.name = column.name};
        for (const double ratio : ratios_of(cells))
            series.points.push_back({ratio, samples_of(cells, ratio, column.of).mean()});
        plot.series.push_back(std::move(series));
    }
    write_file(path, report::plot_svg(plot));
}

std::string to_csv(const std::vector<Cell>& cells) {
    std::string text = "instance,ratio";
    const auto out = std::back_inserter(text);
    for (const ring::NamedRefinement& refinement : ring::refinements)
        fmt::format_to(out, ",T {0},hosts {0},cpu {0}", refinement.name);
    text += ",T divided,T auto,hosts auto,cpu auto,bound,bound without exchange\n";
    for (const Cell& cell : cells) {
        fmt::format_to(out, "{},{}", cell.instance, cell.ratio);
        for (const Outcome& outcome : cell.greedy)
            fmt::format_to(out, ",{:.9g},{},{:.3f}", outcome.step_time, outcome.hosts, outcome.cpu);
        fmt::format_to(out, ",{:.9g},{:.9g},{},{:.3f},{:.9g},{:.9g}\n", cell.divided,
                       cell.automatic.step_time, cell.automatic.hosts, cell.automatic.cpu,
                       cell.bound, cell.bound_without_exchange);
    }
    return text;
}

}  // namespace

void draw_comparison(const std::string& title, const std::string& file,
                     const std::vector<Cell>& cells, const std::string& folder) {
    print_table(title + ": hosts in the ring", cells, size_columns());
    print_table(title + ": gain over plain greedy, %", cells, gain_columns());
    print_table(title + ": T / W", cells, step_columns());
    if (folder.empty()) return;
    draw(fmt::format("{}/{}-size.svg", folder, file),
         {.title = "Size of the best ring",
          .subtitle = title,
          .x = {},
          .y = {.title = "hosts in the ring", .from = 0.0},
          .series = {}},
         cells, size_columns());
    draw(fmt::format("{}/{}-gain.svg", folder, file),
         {.title = "What refinements and search gain over plain greedy",
          .subtitle = title,
          .x = {},
          .y = {.title = "shorter step, %"},
          .series = {}},
         cells, gain_columns());
    write_file(fmt::format("{}/{}.csv", folder, file), to_csv(cells));
}

}  // namespace espalier::bench
