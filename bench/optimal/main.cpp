// How many classes and nodes the optimal planner of model `sender` proves, and how fast.

#include "core/random.hpp"
#include "sender/optimal.hpp"
#include "sender/paper_search.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace {

using espalier::Random;
using espalier::Seconds;
using espalier::schedule::Kind;
using espalier::sender::Problem;

enum class Task { any_root, given_root, reduction };
constexpr auto tasks = {Task::any_root, Task::given_root, Task::reduction};

std::string_view name_of(Task task) {
    if (task == Task::any_root) return "broadcast, any root";
    return task == Task::given_root ? "broadcast, given root" : "reduction";
}

struct Speeds {
    std::string_view name;
    std::optional<std::uint64_t> whole_up_to;  // none: real in [1, 10)
};
const std::vector<Speeds> all_speeds{{"1..20", 20}, {"1..100", 100}, {"real", {}}};

/// Draws a problem. Each class has at least one node; the others are drawn, every class with a
/// weight of its own.
Problem draw(Task task, const Speeds& speeds, std::size_t classes, std::uint64_t nodes,
             std::uint64_t seed) {
    Random random(seed);
    std::set<double> times;
    while (times.size() < classes)
        times.insert(speeds.whole_up_to ? 1 + static_cast<double>(random.below(*speeds.whole_up_to))
                                        : random.uniform(1, 10));
    Problem problem{.kind = task == Task::reduction ? Kind::reduce : Kind::broadcast,
                    .classes = {},
                    .root = {}};
    std::vector<double> weight;
    double sum = 0;
    for (const double time : times) {
        problem.classes.push_back({time, 1});
        weight.push_back(random.uniform(0.05, 1));
        sum += weight.back();
    }
    for (std::uint64_t i = classes; i < nodes; ++i) {
        double at = random.uniform(0, sum);
        std::size_t c = 0;
        while (c + 1 < classes && at > weight[c]) at -= weight[c++];
        ++problem.classes[c].count;
    }
    if (task == Task::given_root) problem.root = random.below(classes);
    if (task == Task::reduction) problem.root = classes - 1;
    return problem;
}

double processor_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// The least of the sorted values that so great a share of them do not exceed.
double quantile(const std::vector<double>& values, double share) {
    const double rank = std::ceil(share * static_cast<double>(values.size()) - 1e-9);
    return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

struct Cell {
    std::size_t proven = 0;
    std::vector<double> ms;  // of the processor
    double slowest_wall_ms = 0;
    double worst_gap = 0;  // (makespan - bound) / bound of those that are not proven
};

struct Options {
    std::size_t seeds = 20;
    double limit = 10;
    std::vector<std::size_t> classes{2, 3, 4, 6};
    std::vector<std::uint64_t> nodes{10, 100, 1000, 10'000, 100'000, 1'000'000};
    bool against_papers = false;
};

Cell run_cell(const Options& options, Task task, const Speeds& speeds, std::size_t classes,
              std::uint64_t nodes) {
    Cell cell;
    for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
        const Problem problem = draw(task, speeds, classes, nodes, seed);
        const auto wall = std::chrono::steady_clock::now();
        const double before = processor_ms();
        const auto result = optimal(problem, {.time = Seconds(options.limit)});
        cell.ms.push_back(processor_ms() - before);
        const std::chrono::duration<double, std::milli> passed =
            std::chrono::steady_clock::now() - wall;
        cell.slowest_wall_ms = std::max(cell.slowest_wall_ms, passed.count());
        if (result.optimal)
            ++cell.proven;
        else
            cell.worst_gap = std::max(cell.worst_gap, result.makespan / result.lower_bound - 1);
    }
    std::ranges::sort(cell.ms);
    return cell;
}

void print_reach(const Options& options) {
    fmt::print("{:22} {:7} {:>3} {:>8} {:>7} {:>10} {:>10} {:>10} {:>12} {:>8}\n", "", "speeds",
               "k", "n", "proven", "median ms", "p95 ms", "max ms", "max wall ms", "gap");
    std::size_t cells = 0;
    std::size_t proven = 0;
    for (const Task task : tasks)
        for (const Speeds& speeds : all_speeds)
            for (const std::size_t classes : options.classes)
                for (const std::uint64_t nodes : options.nodes) {
                    const Cell cell = run_cell(options, task, speeds, classes, nodes);
                    fmt::print(
                        "{:22} {:7} {:3} {:8} {:>7} {:10.3f} {:10.3f} {:10.3f} {:12.3f} {:7.3f}%\n",
                        name_of(task), speeds.name, classes, nodes,
                        fmt::format("{}/{}", cell.proven, options.seeds), quantile(cell.ms, 0.5),
                        quantile(cell.ms, 0.95), cell.ms.back(), cell.slowest_wall_ms,
                        100 * cell.worst_gap);
                    std::fflush(stdout);
                    proven += cell.proven;
                    ++cells;
                }
    fmt::print("proven: {} of {}\n", proven, cells * options.seeds);
}

/// Prints how many times as long the papers' search takes on the same instances.
void print_against_papers(const Options& options) {
    fmt::print("{:22} {:7} {:>3} {:>12} {:>12} {:>10} {:>10} {:>18}\n", "k = 3", "speeds", "n",
               "ours ms", "papers' ms", "least", "median", "least above 10 ms");
    for (const Task task : tasks)
        for (const Speeds& speeds : all_speeds)
            for (std::uint64_t nodes = 10; nodes <= 21; ++nodes) {
                std::vector<double> ours;
                std::vector<double> papers;
                std::vector<double> ratios;
                std::optional<double> least_slow;
                for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
                    const Problem problem = draw(task, speeds, 3, nodes, seed);
                    const double begin = processor_ms();
                    const auto mine = optimal(problem, {.time = Seconds(options.limit)});
                    const double middle = processor_ms();
                    const auto other = paper_search(problem, {.time = Seconds(options.limit)});
                    const double end = processor_ms();
                    if (mine.makespan > other.makespan * (1 + 1e-12))
                        fmt::print("seed {}: {} against {}\n", seed, mine.makespan, other.makespan);
                    ours.push_back(middle - begin);
                    papers.push_back(end - middle);
                    ratios.push_back(papers.back() / ours.back());
                    if (papers.back() > 10)
                        least_slow = std::min(least_slow.value_or(ratios.back()), ratios.back());
                }
                for (auto* values : {&ours, &papers, &ratios}) std::ranges::sort(*values);
                fmt::print("{:22} {:7} {:3} {:12.4f} {:12.4f} {:10.2f} {:10.2f} {:>18}\n",
                           name_of(task), speeds.name, nodes, quantile(ours, 0.5),
                           quantile(papers, 0.5), ratios.front(), quantile(ratios, 0.5),
                           least_slow ? fmt::format("{:.1f}", *least_slow) : "-");
                std::fflush(stdout);
            }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Reach and speed of the optimal planner of model `sender`");
    app.add_option("--seeds", options.seeds, "instances of a cell")->check(CLI::PositiveNumber);
    app.add_option("--limit", options.limit, "seconds for an instance");
    app.add_option("--classes", options.classes, "numbers of classes");
    app.add_option("--nodes", options.nodes, "numbers of nodes");
    app.add_flag("--against-papers", options.against_papers,
                 "instead: beside the papers' branch and bound, n = 10..21, k = 3");
    CLI11_PARSE(app, argc, argv);
    if (options.against_papers)
        print_against_papers(options);
    else
        print_reach(options);
    return 0;
}
