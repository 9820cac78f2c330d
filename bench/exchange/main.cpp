// Total exchanges on networks guided by GUSTO: the figures of bhat-1998, section 5, and what is to
// be reached.

#include "core/error.hpp"
#include "figures.hpp"
#include "reach.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <exception>

int main(int argc, char** argv) {
    using namespace espalier;
    bench::FigureSettings settings;
    std::string network;
    bool reach = false;
    double limit_ms = settings.limit.value * 1000;
    CLI::App app("The planners of total exchanges on random networks");
    app.add_option("--nodes", settings.nodes, "numbers of nodes")
        ->check(CLI::Range(2, 10'000))
        ->capture_default_str();
    app.add_option("--runs", settings.runs, "networks of each size and pattern")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--seed", settings.seed)->capture_default_str();
    app.add_option("--time-ms", limit_ms, "of list-search")->capture_default_str();
    app.add_option("--matching-most", settings.matching_most,
                   "nodes up to which series of matchings run")
        ->capture_default_str();
    app.add_option("-o,--output", settings.folder, "folder for the tables, which plot.gp draws");
    app.add_flag("--reach", reach, "print what is to be reached, and what is, instead");
    app.add_option("--network", network,
                   "with --reach: a real pairwise network too, such as one of cloud regions");
    try {
        app.parse(argc, argv);
        settings.limit = Seconds(limit_ms / 1000);
        if (reach)
            bench::print_reach({settings.runs, settings.seed, network});
        else
            bench::draw_figures(settings);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    } catch (const Error& error) {
        fmt::print(stderr, "bench_exchange: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_exchange: {}\n", error.what());
        return static_cast<int>(ExitStatus::internal_fault);
    }
    return 0;
}
