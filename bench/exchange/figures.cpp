#include "figures.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "instance.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <map>

namespace espalier::bench {

namespace {

/// The results of one algorithm on all runs of one size and pattern.
struct Cell {
    Samples makespan;
    Samples ratio;  ///< to the lower bound
    Samples cpu;
};

struct Row {
    std::size_t nodes = 0;
    Samples bound;
    std::vector<Cell> cells;  ///< one for each contestant
};

Row measure(const FigureSettings& settings, const Pattern& pattern, std::size_t nodes) {
    const auto algorithms = contestants();
    Row row{.nodes = nodes, .bound = {}, .cells = std::vector<Cell>(algorithms.size())};
    for (std::size_t run = 0; run < settings.runs; ++run) {
        const auto instance = Instance::random(nodes, pattern, settings.seed, run);
        row.bound.add(instance->bound());
        for (std::size_t a = 0; a < algorithms.size(); ++a) {
            if (nodes > settings.matching_most && algorithms[a]->name.starts_with("matching"))
                continue;
            const Outcome outcome = instance->plan_with(algorithms[a]->name, settings.limit);
            row.cells[a].makespan.add(outcome.makespan);
            row.cells[a].ratio.add(outcome.makespan / instance->bound());
            row.cells[a].cpu.add(outcome.cpu);
        }
    }
    return row;
}

void print_table(const std::string& title, const std::vector<Row>& rows,
                 const std::function<std::string(const Cell&)>& text) {
    fmt::print("{}\nnodes", title);
    for (const auto* algorithm : contestants()) fmt::print("  {:>15}", algorithm->name);
    fmt::print("\n");
    for (const Row& row : rows) {
        fmt::print("{:>5}", row.nodes);
        for (const Cell& cell : row.cells)
            fmt::print("  {:>15}", cell.ratio.empty() ? "" : text(cell));
        fmt::print("\n");
    }
    fmt::print("\n");
}

/// A column for each algorithm, empty where it did not run.
std::string to_csv(const std::vector<Row>& rows, bool ratios) {
    std::string text = ratios ? "nodes" : "nodes,lower bound";
    const auto out = std::back_inserter(text);
    for (const auto* algorithm : contestants()) fmt::format_to(out, ",{}", algorithm->name);
    text += '\n';
    for (const Row& row : rows) {
        fmt::format_to(out, "{}", row.nodes);
        if (!ratios) fmt::format_to(out, ",{:.6f}", row.bound.mean());
        for (const Cell& cell : row.cells) {
            text += ',';
            if (!cell.ratio.empty())
                fmt::format_to(out, "{:.6f}", (ratios ? cell.ratio : cell.makespan).mean());
        }
        text += '\n';
    }
    return text;
}

/// The paper's words on how far each is over the bound, for up to 50 nodes.
const std::map<std::string_view, double>& claims() {
    static const std::map<std::string_view, double> table{{"caterpillar-barrier", 6},
                                                          {"greedy", 1.25},
                                                          {"matching-max", 1.15},
                                                          {"matching-min", 1.15},
                                                          {"open-shop", 1.10}};
    return table;
}

void print_claims(const std::vector<std::vector<Row>>& figures) {
    fmt::print("The paper's claims, as multiples of the lower bound\n");
    fmt::print("nodes  {:>20}  claim  {}\n", "algorithm",
               "greatest of: small, large, mixed, servers; runs within the claim");
    const auto algorithms = contestants();
    for (std::size_t r = 0; r < figures.front().size(); ++r)
        for (std::size_t a = 0; a < algorithms.size(); ++a) {
            const auto claim = claims().find(algorithms[a]->name);
            if (claim == claims().end() || figures.front()[r].cells[a].ratio.empty()) continue;
            double within = 0;
            std::string greatest;
            for (const auto& rows : figures) {
                const Samples& ratios = rows[r].cells[a].ratio;
                greatest += fmt::format("  {:.3f}", ratios.greatest());
                within += ratios.share_up_to(claim->second) / static_cast<double>(figures.size());
            }
            fmt::print("{:>5}  {:>20}  {:>5}{}  {:.1f}%\n", figures.front()[r].nodes,
                       algorithms[a]->name, claim->second, greatest, 100 * within);
        }
    fmt::print("\n");
}

}  // namespace

void draw_figures(const FigureSettings& settings) {
    if (!settings.folder.empty()) {
        std::error_code failure;
        std::filesystem::create_directories(settings.folder, failure);
        if (failure) throw InputError("--output", settings.folder, failure.message());
    }
    std::vector<std::vector<Row>> figures;
    for (const Pattern& pattern : patterns()) {
        std::vector<Row> rows;
        for (const std::size_t nodes : settings.nodes)
            rows.push_back(measure(settings, pattern, nodes));
        const std::string title = fmt::format("Figure {} ({})", pattern.figure, pattern.name);
        print_table(title + ": mean completion time, s", rows,
                    [](const Cell& cell) { return fmt::format("{:.4g}", cell.makespan.mean()); });
        print_table(
            title + ": mean / greatest ratio to the lower bound", rows, [](const Cell& cell) {
                return fmt::format("{:.4f} / {:.2f}", cell.ratio.mean(), cell.ratio.greatest());
            });
        print_table(title + ": mean CPU time of planning, ms", rows,
                    [](const Cell& cell) { return fmt::format("{:.3g}", 1000 * cell.cpu.mean()); });
        if (!settings.folder.empty()) {
            write_file(fmt::format("{}/{}.csv", settings.folder, pattern.name),
                       to_csv(rows, false));
            write_file(fmt::format("{}/{}-ratios.csv", settings.folder, pattern.name),
                       to_csv(rows, true));
        }
        figures.push_back(std::move(rows));
    }
    print_claims(figures);
}

}  // namespace espalier::bench
