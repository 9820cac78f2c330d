// What interleaved and buffered receives are worth in a total exchange (bhat-1998, 6.1).

#include "core/random.hpp"
#include "demands/exchange_plan.hpp"
#include "network/generate_gusto.hpp"
#include "network/generate_sizes.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace espalier;
using demands::ExchangeRequest;
using network::SizePattern;
using schedule::Reception;
using Mode = Reception::Mode;

struct Settings {
    std::vector<std::size_t> nodes{5, 20, 50};
    std::size_t runs = 50;
    std::uint64_t seed = 1;
};

struct Pattern {
    const char* name;
    SizePattern pattern;
    Bytes largest;
};
constexpr Pattern patterns[] = {{"1 kB", SizePattern::small, Bytes(1'000)},
                                {"1 MB", SizePattern::large, Bytes(1'000'000)},
                                {"mixed", SizePattern::mixed, Bytes(1'000'000)}};

struct Case {
    std::string name;
    Reception reception;
};

std::vector<Case> cases(Bytes largest) {
    const auto buffered = [](Bytes bytes) { return Reception{Mode::buffered, 0, bytes}; };
    std::vector<Case> all{{"serial", {}}};
    for (const double overhead : {0.0, 0.05, 0.2})
        all.push_back({fmt::format("interleaved:{}", overhead), {Mode::interleaved, overhead, {}}});
    for (const std::uint64_t messages : {0U, 1U, 4U})
        all.push_back({fmt::format("buffered, {} of the largest", messages),
                       buffered(Bytes(messages * largest.value))});
    all.push_back(
        {"buffered, no limit", buffered(Bytes(std::numeric_limits<std::uint64_t>::max()))});
    return all;
}

struct Ratios {
    double sum = 0;
    double worst = 0;
    void add(double ratio) {
        sum += ratio;
        worst = std::max(worst, ratio);
    }
};

/// Makespans over the bound, of the order for the base model and of that for the mode.
struct Row {
    Ratios base;
    Ratios own;
};

void run_once(const simulate::Fabric& fabric, ExchangeRequest request, const std::vector<Case>& all,
              std::vector<Row>& rows) {
    const std::vector<std::string> names(fabric.nodes());
    request.algorithm = "open-shop";
    const auto base = demands::plan_exchange(fabric, names, request);
    for (std::size_t c = 0; c < all.size(); ++c) {
        schedule::Schedule order = base.schedule;
        order.reception = request.reception = all[c].reception;
        const auto own = demands::plan_exchange(fabric, names, request);
        rows[c].base.add(simulate::simulate(order, fabric).makespan / own.lower_bound);
        rows[c].own.add(own.timeline.makespan / own.lower_bound);
    }
}

void print_table(std::size_t nodes, const Pattern& pattern, const Settings& settings) {
    const auto all = cases(pattern.largest);
    std::vector<Row> rows(all.size());
    for (std::size_t run = 0; run < settings.runs; ++run) {
        Random random(settings.seed + run);
        const network::Network network(network::random_gusto({.nodes = nodes}, random));
        ExchangeRequest request;
        request.collective = schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(
            network::random_sizes({.nodes = nodes, .pattern = pattern.pattern}, random)));
        run_once(*simulate::make_fabric(network), request, all, rows);
    }
    fmt::print("\n{} nodes, {}, {} runs\n{:<24}{:>20}{:>22}\n{:<24}{:>10}{:>10}{:>12}{:>10}\n",
               nodes, pattern.name, settings.runs, "", "order of the base", "open-shop", "receives",
               "mean", "worst", "mean", "worst");
    const auto runs = static_cast<double>(settings.runs);
    for (std::size_t c = 0; c < all.size(); ++c)
        fmt::print("{:<24}{:>10.4f}{:>10.4f}{:>12.4f}{:>10.4f}\n", all[c].name,
                   rows[c].base.sum / runs, rows[c].base.worst, rows[c].own.sum / runs,
                   rows[c].own.worst);
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    CLI::App app("What interleaved and buffered receives are worth in a total exchange.");
    app.add_option("--nodes", settings.nodes, "numbers of nodes");
    app.add_option("--runs", settings.runs, "networks for each");
    app.add_option("--seed", settings.seed);
    CLI11_PARSE(app, argc, argv);
    fmt::print("makespan over the lower bound of the base model\n");
    for (const std::size_t nodes : settings.nodes)
        for (const Pattern& pattern : patterns) print_table(nodes, pattern, settings);
    return 0;
}
