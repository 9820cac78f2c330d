#include "core/random.hpp"
#include "core/text.hpp"
#include "sender/optimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <vector>

namespace {

using namespace espalier;
using sender::Problem;

struct Row {
    schedule::Kind kind;
    std::size_t nodes;
    bool real;        ///< times are uniform in [1, 10); else different whole numbers
    bool given_root;  ///< a node that is drawn; else any (broadcast) or the slowest (reduction)
};

Problem draw(const Row& row, std::uint64_t seed) {
    Random random(seed);
    std::set<double> times;
    const std::uint64_t most = std::max<std::uint64_t>(100, 10 * row.nodes);
    while (times.size() < row.nodes)
        times.insert(row.real ? random.uniform(1, 10)
                              : static_cast<double>(1 + random.below(most)));
    Problem problem{.kind = row.kind};
    for (const double time : times) problem.classes.push_back({time, 1});
    if (row.given_root)
        problem.root = random.below(row.nodes);
    else if (!problem.is_broadcast())
        problem.root = row.nodes - 1;
    return problem;
}

void print(const Row& row, std::uint64_t seeds, Seconds limit) {
    std::vector<double> seconds;
    std::vector<double> gaps;
    std::size_t proven = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Problem problem = draw(row, seed);
        const auto start = std::chrono::steady_clock::now();
        const auto result = sender::optimal(problem, {.time = limit});
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        gaps.push_back(100 * (result.makespan / result.lower_bound - 1));
        proven += result.optimal ? 1 : 0;
    }
    std::ranges::sort(seconds);
    std::ranges::sort(gaps);
    fmt::print("| {} | {} | {} | {} | {}/{} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n",
               schedule::name_of(row.kind), row.nodes, row.real ? "real" : "whole",
               row.given_root ? "given" : "any", proven, seeds, seconds[seconds.size() / 2],
               seconds.back(), gaps[gaps.size() / 2], gaps.back());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t seeds = argc > 1 ? parse_count(argv[1], "SEEDS", 1) : 20;
    const Seconds limit = argc > 2 ? parse_seconds(argv[2], "LIMIT") : Seconds(10);
    const std::size_t most_nodes =
        argc > 3 ? parse_count(argv[3], "NODES", 1) : std::size_t{1'000'000};
    fmt::print(
        "| collective | nodes | times | root | proven | median s | most s | median gap % | most "
        "gap "
        "% |\n|---|---|---|---|---|---|---|---|---|\n");
    using enum schedule::Kind;
    for (const std::size_t nodes : {std::size_t{20}, std::size_t{30}, std::size_t{40},
                                    std::size_t{1000}, std::size_t{1'000'000}})
        for (const bool real : {false, true})
            for (const bool given : {false, true})
                if (nodes <= most_nodes) print({broadcast, nodes, real, given}, seeds, limit);
    for (const std::size_t nodes : {std::size_t{10}, std::size_t{13}, std::size_t{18},
                                    std::size_t{1000}, std::size_t{1'000'000}})
        for (const bool real : {false, true})
            for (const bool given : {false, true})
                if (nodes <= most_nodes) print({reduce, nodes, real, given}, seeds, limit);
}
