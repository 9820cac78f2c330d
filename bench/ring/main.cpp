// Shared rings: the figures of legrand-2003, section 5, and what is to be reached.

#include "core/error.hpp"
#include "figures.hpp"
#include "reach.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace espalier;

struct Options {
    bool reach = false;
    std::vector<std::string> parts;
    std::vector<std::size_t> hosts{37, 70};
    std::size_t seeds = 3;
    std::size_t few_seeds = 10;
    std::size_t rings = 60;
    bench::CompareSettings compare;
    double effort = 1;
    std::vector<std::string> networks;
    std::string folder;
};

bool wanted(const Options& options, const std::string& part) {
    return options.parts.empty() || std::ranges::count(options.parts, part) > 0;
}

void require_sense(const Options& options) {
    const std::vector<std::string> parts =
        options.reach ? std::vector<std::string>{"few", "speed", "many"}
                      : std::vector<std::string>{"many", "growth", "research", "rates"};
    for (const std::string& part : options.parts)
        if (std::ranges::count(parts, part) == 0)
            throw InputError("--parts", part,
                             options.reach ? "not with --reach" : "only with --reach");
    if (std::ranges::count(options.parts, "research") > 0 && options.networks.empty())
        throw InputError("--parts", "research", "it takes a --network");
}

void make_folder(const std::string& folder) {
    if (folder.empty()) return;
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) throw InputError("--output", folder, failure.message());
}

void many_hosts(const Options& options) {
    for (const std::size_t hosts : options.hosts) {
        const auto cells = bench::compare(hosts, options.seeds, options.compare);
        if (options.reach) bench::reach_many_hosts(hosts, cells);
        if (!options.reach || !options.folder.empty())
            bench::draw_comparison(fmt::format("{} hosts, {} platforms", hosts, options.seeds),
                                   fmt::format("tiers-{}", hosts), cells, options.folder);
    }
}

void research(const Options& options) {
    for (const std::string& file : options.networks) {
        const auto instance = bench::Instance::research(file);
        bench::draw_comparison(fmt::format("{}, {} hosts", instance->name(), instance->hosts()),
                               instance->name(), bench::compare(*instance, options.compare),
                               options.folder);
    }
}

void run(Options options) {
    require_sense(options);
    options.compare.search_seconds *= options.effort;
    make_folder(options.folder);
    if (options.reach) {
        bench::print_reach_head();
        if (wanted(options, "few")) bench::reach_few_hosts({options.few_seeds, options.effort});
        if (wanted(options, "speed")) bench::reach_speed(options.seeds, options.compare.ratios);
        if (wanted(options, "many")) many_hosts(options);
        return;
    }
    if (wanted(options, "many")) many_hosts(options);
    if (wanted(options, "growth"))
        for (const std::size_t hosts : options.hosts)
            bench::draw_growth(hosts, options.seeds, {0.1, 1, 10}, options.folder);
    if (wanted(options, "research")) research(options);
    if (wanted(options, "rates")) bench::time_rates({7, 37, 70}, options.rings);
}

void add_options(CLI::App& app, Options& options) {
    app.add_flag("--reach", options.reach, "print what is to be reached, and what is, instead");
    app.add_option("--parts", options.parts,
                   "only these: many, growth, research, rates; with --reach few, speed, many")
        ->check(CLI::IsMember({"few", "speed", "many", "growth", "research", "rates"}));
    app.add_option("--hosts", options.hosts, "sizes of platforms")
        ->check(CLI::Range(2, 10'000))
        ->capture_default_str();
    app.add_option("--seeds", options.seeds, "platforms of each size")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_option("--few-seeds", options.few_seeds, "platforms of 5, 6 and 7 hosts, each")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_option("--rings", options.rings, "random rings to time bandwidths on")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--ratios", options.compare.ratios, "H/W")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--seed", options.compare.seed, "of auto")->capture_default_str();
    app.add_option("--effort", options.effort, "the part of its time that auto has")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--network", options.networks, "GraphML of real networks")
        ->check(CLI::ExistingFile);
    app.add_option("-o,--output", options.folder, "folder for plots and tables");
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("The planners of shared rings on platforms of three levels and on real networks");
    add_options(app, options);
    try {
        app.parse(argc, argv);
        run(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    } catch (const Error& error) {
        fmt::print(stderr, "bench_ring: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_ring: {}\n", error.what());
        return static_cast<int>(ExitStatus::internal_fault);
    }
    return 0;
}
