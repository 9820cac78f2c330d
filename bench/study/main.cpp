#include "core/error.hpp"
#include "core/files.hpp"
#include "study.hpp"
#include "tables.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace espalier;

struct Figure {
    std::string name;
    std::vector<std::size_t> clusters;
};

/// The sizes of steffenel-2006, Figures 7 and 8.
const std::vector<Figure> figures{
    {.name = "few-clusters", .clusters = {2, 3, 4, 5, 6, 7, 8, 9, 10}},
    {.name = "many-clusters", .clusters = {5, 10, 15, 20, 25, 30, 35, 40, 45, 50}},
};

void run(study::Settings settings, const std::string& folder) {
    if (!folder.empty()) {
        std::error_code failure;
        std::filesystem::create_directories(folder, failure);
        if (failure) throw InputError("--output", folder, failure.message());
    }
    const auto start = std::chrono::steady_clock::now();
    for (const Figure& figure : figures) {
        settings.clusters = figure.clusters;
        const std::vector<study::Row> rows = study::simulate_grids(settings);
        fmt::print("{}\n", study::to_text(rows));
        if (folder.empty()) continue;
        write_file(fmt::format("{}/{}.csv", folder, figure.name), study::means_as_csv(rows));
        write_file(fmt::format("{}/{}-all.csv", folder, figure.name), study::all_as_csv(rows));
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "{} runs of each size, seed {}, {} threads: {:.1f} s\n", settings.runs,
               settings.seed, settings.threads, taken.count());
}

}  // namespace

int main(int argc, char** argv) {
    study::Settings settings;
    settings.threads = std::max(1U, std::thread::hardware_concurrency());
    std::string folder;
    CLI::App app("The heuristics between clusters on random grids");
    app.add_option("--runs", settings.runs, "Grids of each size")
        ->check(CLI::Range(1, 100'000'000))
        ->capture_default_str();
    app.add_option("--seed", settings.seed, "Seed of the random grids")->capture_default_str();
    app.add_option("--threads", settings.threads, "Threads to use")->check(CLI::Range(1, 1024));
    app.add_option("-o,--output", folder, "Folder for the tables, which plot.gp draws");
    try {
        app.parse(argc, argv);
        run(settings, folder);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    } catch (const Error& error) {
        fmt::print(stderr, "bench_study: {}\n", error.what());
        return static_cast<int>(error.status());
    }
    return 0;
}
