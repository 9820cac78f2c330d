#include "studies.hpp"

#include "printed.hpp"
#include "sender/optimal.hpp"
#include "sender/paper_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace espalier::sender_papers {

namespace {

using schedule::Kind;
using sender::Problem;
using sender::Result;

/// The result of a planner for one cluster.
struct Run {
    Result result;
    double seconds = 0;
};

Run timed(const std::function<Result()>& plan) {
    const auto start = std::chrono::steady_clock::now();
    Run run{plan(), 0};
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return run;
}

/// Times a plan. A short time is measured again, since a first run is slow for reasons of its own.
Run timed_well(const std::function<Result()>& plan) {
    Run best = timed(plan);
    for (int again = 0; again < 2 && best.seconds < 0.1; ++again)
        best.seconds = std::min(best.seconds, timed(plan).seconds);
    return best;
}

struct Mean {
    double sum = 0;
    std::size_t count = 0;
    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return sum / static_cast<double>(count); }
};

double median(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The effort of one search over all clusters of a size.
struct Load {
    Mean nodes;
    Mean seconds;
    void add(const Run& run) {
        nodes.add(static_cast<double>(run.result.effort.nodes));
        seconds.add(run.seconds);
    }
};

constexpr sender::Techniques sharper_test{.equal = true};

/// Prints one row at once, so that nobody has to wait for all rows.
void print_row(const std::string& row) {
    fmt::print("{}\n", row);
    std::fflush(stdout);
}

}  // namespace

void print_broadcasts(const Settings& settings) {
    const Limits limits{.time = Seconds(settings.time_limit)};
    fmt::print("Broadcast, 3 classes, any root (liu-2002, Table 1), means of {} clusters\n",
               settings.runs);
    fmt::print("{:3}  {:>41}  {:>20}  {:>18}  {:>27}  {:>23}\n", "", "whole tree, nodes and leaves",
               "paper-search, nodes", "generic-search", "part of the tree, %",
               "generic/paper, time");
    print_row(
        fmt::format("{:>3}  {:>9} {:>9}  {:>9} {:>9}  {:>6} {:>6} {:>6}  {:>8} {:>9}  {:>6} "
                    "{:>6} {:>6} {:>6}  {:>7} {:>5} {:>8}",
                    "n", "printed", "here", "printed", "here", "print.", "here", ">=", "printed",
                    "here", "print.", "here", "print.", "here", "printed", "here", "us/paper"));
    for (const PrintedBroadcast& printed : printed_broadcasts) {
        if (printed.nodes > settings.broadcast) break;
        Mean tree;
        Mean leaves;
        Load paper;
        Load sharper;
        Load generic;
        for (std::size_t seed = 1; seed <= settings.runs; ++seed) {
            const Problem problem =
                draw_cluster(Kind::broadcast, printed.nodes, {3, settings.slowest}, seed);
            const WholeTree whole = whole_tree(problem);
            tree.add(whole.nodes);
            leaves.add(whole.leaves);
            paper.add(timed([&] { return paper_search(problem, limits); }));
            sharper.add(timed([&] { return paper_search(problem, limits, sharper_test); }));
            generic.add(timed([&] { return generic_search(problem, limits); }));
        }
        print_row(fmt::format(
            "{:3}  {:9.0f} {:9.0f}  {:9.0f} {:9.0f}  {:6.0f} {:6.0f} {:6.0f}  {:8.0f} {:9.0f}  "
            "{:6.3f} {:6.3f} {:6.2f} {:6.2f}  {:7.1f} {:5.0f} {:8.1f}",
            printed.nodes, printed.tree, tree.value(), printed.leaves, leaves.value(), printed.ours,
            paper.nodes.value(), sharper.nodes.value(), printed.generic, generic.nodes.value(),
            printed.ours_percent, 100 * paper.nodes.value() / tree.value(), printed.generic_percent,
            100 * generic.nodes.value() / tree.value(), printed.time_ratio,
            generic.seconds.value() / paper.seconds.value(), 1e6 * paper.seconds.value()));
    }
}

void print_reductions(const Settings& settings) {
    const Limits limits{.time = Seconds(settings.time_limit)};
    fmt::print(
        "\nReduction to a slowest node (liu-2000, Table 1), means of {} clusters: efficiency\n"
        "1 - p/P in %, P all orders, as printed / here with p the nodes / here with p the whole "
        "orders\n",
        settings.runs);
    print_row(fmt::format("{:>3}  {:>18}  {:>18}  {:>18}  {:>18}", "n", "k = 3", "k = 4", "k = 5",
                          "k = 6"));
    for (const PrintedReduction& printed : printed_reductions) {
        if (printed.nodes > settings.reduction) break;
        std::string row = fmt::format("{:3}", printed.nodes);
        for (std::size_t k = 0; k < printed.efficiency.size(); ++k) {
            Mean orders;
            Mean nodes;
            Mean leaves;
            for (std::size_t seed = 1; seed <= settings.runs; ++seed) {
                const Problem problem =
                    draw_cluster(Kind::reduce, printed.nodes,
                                 {least_printed_classes + k, settings.slowest}, seed);
                const auto effort = paper_search(problem, limits).effort;
                orders.add(whole_tree(problem).leaves);
                nodes.add(static_cast<double>(effort.nodes));
                leaves.add(static_cast<double>(effort.leaves));
            }
            const auto efficiency = [&](const Mean& looked_at) {
                return 100 * (1 - looked_at.value() / orders.value());
            };
            row += fmt::format("  {:5.2f}/{:6.2f}/{:5.2f}", printed.efficiency[k],
                               efficiency(nodes), efficiency(leaves));
        }
        print_row(row);
    }
}

void print_race(Kind kind, const Settings& settings) {
    constexpr double worth_telling = 0.01;  // seconds
    const Limits limits{.time = Seconds(settings.time_limit)};
    fmt::print("\n{}, 3 classes: paper-search against optimal, {} clusters\n", name_of(kind),
               settings.runs);
    fmt::print("{:3}  {:>22}  {:>15}  {:>24}\n", "", "median, us", "median ratio",
               "where it takes over 10 ms");
    print_row(fmt::format("{:>3}  {:>12} {:>9}  {:>7} {:>7}  {:>11} {:>12}  {:>6}", "n",
                          "paper-search", "optimal", ">", ">=", "clusters", "worst ratio",
                          "optimal proves"));
    for (std::size_t nodes = 10; nodes <= settings.broadcast; ++nodes) {
        std::vector<double> paper;
        std::vector<double> ours;
        std::vector<double> ratios;
        std::vector<double> sharper_ratios;
        std::vector<double> slow;
        std::size_t proven = 0;
        for (std::size_t seed = 1; seed <= settings.runs; ++seed) {
            const Problem problem = draw_cluster(kind, nodes, {3, settings.slowest}, seed);
            const Run search = timed_well([&] { return paper_search(problem, limits); });
            const Run sharper =
                timed_well([&] { return paper_search(problem, limits, sharper_test); });
            const Run optimal = timed_well([&] { return sender::optimal(problem, limits); });
            paper.push_back(search.seconds);
            ours.push_back(optimal.seconds);
            ratios.push_back(search.seconds / optimal.seconds);
            sharper_ratios.push_back(sharper.seconds / optimal.seconds);
            if (search.seconds > worth_telling) slow.push_back(ratios.back());
            if (optimal.result.optimal) ++proven;
            if (search.result.optimal && optimal.result.optimal &&
                std::abs(search.result.makespan - optimal.result.makespan) > 1e-9)
                print_row(fmt::format("seed {}: {} and {} are both called optimal", seed,
                                      search.result.makespan, optimal.result.makespan));
        }
        const std::string worst =
            slow.empty() ? "-" : fmt::format("{:.2f}", std::ranges::min(slow));
        print_row(fmt::format("{:3}  {:12.1f} {:9.1f}  {:7.2f} {:7.2f}  {:11} {:>12}  {:>6}/{}",
                              nodes, 1e6 * median(paper), 1e6 * median(ours), median(ratios),
                              median(sharper_ratios), slow.size(), worst, proven, settings.runs));
    }
}

}  // namespace espalier::sender_papers
