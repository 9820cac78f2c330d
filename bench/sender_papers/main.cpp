#include "core/error.hpp"
#include "studies.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

using namespace espalier;

int main(int argc, char** argv) {
    sender_papers::Settings settings;
    CLI::App app("The searches of liu-2002 and liu-2000 beside their printed tables");
    app.add_option("--runs", settings.runs, "Clusters of each size")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--broadcast", settings.broadcast, "Most nodes of a broadcast, 10 to 21")
        ->check(CLI::Range(10, 21))
        ->capture_default_str();
    app.add_option("--reduction", settings.reduction, "Most nodes of a reduction, 6 to 16")
        ->check(CLI::Range(6, 16))
        ->capture_default_str();
    app.add_option("--slowest", settings.slowest, "Times are whole, from 1 to this")
        ->check(CLI::Range(6, 1'000'000))
        ->capture_default_str();
    app.add_option("--time-limit", settings.time_limit, "Of each search, in seconds")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    try {
        app.parse(argc, argv);
        print_broadcasts(settings);
        print_reductions(settings);
        print_race(schedule::Kind::broadcast, settings);
        print_race(schedule::Kind::reduce, settings);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    } catch (const Error& error) {
        fmt::print(stderr, "bench_sender_papers: {}\n", error.what());
        return static_cast<int>(error.status());
    }
    return 0;
}
