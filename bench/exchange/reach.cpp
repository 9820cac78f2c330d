#include "reach.hpp"

#include "instance.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <array>

namespace espalier::bench {

namespace {

void print_line(const std::string& what, const std::string& wanted, const std::string& reached,
                bool holds) {
    fmt::print("{:<46}  {:>12}  {:>24}  {}\n", what, wanted, reached, holds ? "yes" : "NO");
}

void open_shop_near_the_bound(const ReachSettings& settings) {
    for (const Pattern& pattern : patterns()) {
        Samples ratios;
        for (std::size_t run = 0; run < settings.runs; ++run) {
            const auto instance = Instance::random(50, pattern, settings.seed, run);
            ratios.add(instance->plan_with("open-shop", Seconds(0)).makespan / instance->bound());
        }
        print_line(fmt::format("open-shop, P = 50, {}: greatest", pattern.name), "1.1",
                   fmt::format("{:.4f}", ratios.greatest()), ratios.greatest() <= 1.1);
    }
}

void search_in(const ReachSettings& settings, Seconds limit, const std::array<double, 4>& goals) {
    for (std::size_t p = 0; p < goals.size(); ++p) {
        Samples ratios;
        Samples wall;
        for (std::size_t run = 0; run < settings.runs; ++run) {
            const auto instance = Instance::random(50, patterns()[p], settings.seed, run);
            const Outcome outcome = instance->plan_with("list-search", limit);
            ratios.add(outcome.makespan / instance->bound());
            wall.add(outcome.wall);
        }
        // 1.0 to the digits of the others.
        print_line(fmt::format("list-search, P = 50, {} ms, {}: mean", limit.value * 1000,
                               patterns()[p].name),
                   fmt::format("{}", goals.at(p)),
                   fmt::format("{:.5f} in {:.1f} ms", ratios.mean(), 1000 * wall.mean()),
                   ratios.mean() <= goals.at(p) + 5e-5);
    }
}

void proofs_of_few_nodes(const ReachSettings& settings) {
    for (const std::size_t nodes : {2U, 3U, 4U, 5U}) {
        Samples wall;
        std::size_t proven = 0;
        for (const Pattern& pattern : patterns())
            for (std::size_t run = 0; run < settings.runs; ++run) {
                const auto instance = Instance::random(nodes, pattern, settings.seed, run);
                const Outcome outcome = instance->plan_with("optimal", Seconds(10));
                wall.add(outcome.wall);
                proven += outcome.optimal ? 1 : 0;
            }
        print_line(fmt::format("optimal, P = {}: proven, greatest time", nodes), "all, 50 ms",
                   fmt::format("{} of {}, {:.1f} ms", proven, wall.size(), 1000 * wall.greatest()),
                   proven == wall.size() && wall.greatest() <= 0.05);
    }
}

void open_shop_of_many_nodes(const ReachSettings& settings) {
    for (const Pattern& pattern : patterns()) {
        const auto instance = Instance::random(500, pattern, settings.seed, 0);
        const double taken =
            instance->preparation() + instance->plan_with("open-shop", Seconds(0)).cpu;
        print_line(fmt::format("open-shop, P = 500, {}: CPU time", pattern.name), "0.5 s",
                   fmt::format("{:.3f} s", taken), taken <= 0.5);
    }
}

void real_network(const ReachSettings& settings) {
    const network::Network network = network::read_network(settings.network);
    const std::size_t nodes = size(network);
    for (const std::size_t p : {std::size_t{1}, std::size_t{2}}) {
        Samples ratios;
        // Equal sizes are one instance.
        for (std::size_t run = 0; run < (p == 1 ? 1 : settings.runs); ++run) {
            Random random(settings.seed * 1'000'003 + run);
            const Instance instance(
                network,
                network::random_sizes({.nodes = nodes, .pattern = patterns()[p].sizes}, random));
            ratios.add(instance.plan_with("list-search", Seconds(1)).makespan / instance.bound());
        }
        print_line(
            fmt::format("list-search, {}, 1 s, {}: greatest", settings.network, patterns()[p].name),
            "1.01", fmt::format("{:.5f}", ratios.greatest()), ratios.greatest() <= 1.01);
    }
}

}  // namespace

void print_reach(const ReachSettings& settings) {
    fmt::print("{:<46}  {:>12}  {:>24}  {}\n", "what, over the lower bound", "wanted", "reached",
               "holds");
    open_shop_near_the_bound(settings);
    search_in(settings, Seconds(0.01), {1.01, 1.003, 1.0005, 1.0});
    search_in(settings, Seconds(0.1), {1.006, 1.001, 1.0002, 1.0});
    proofs_of_few_nodes(settings);
    open_shop_of_many_nodes(settings);
    if (!settings.network.empty()) real_network(settings);
}

}  // namespace espalier::bench
