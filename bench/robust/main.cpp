// Plans for a percentile of the makespan against plans for stated costs, both performed in
// scenarios that neither has seen.

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "measured.hpp"
#include "network/convert.hpp"
#include "network/spread.hpp"
#include "plan/race.hpp"
#include "plan/scenarios.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace espalier::bench {

namespace {

using schedule::Kind;

struct Settings {
    std::size_t networks = 20;
    std::size_t nodes = 12;
    std::size_t seeds = 5;  ///< of scenarios that are not those of planning
    std::vector<std::string> bytes{"1KiB", "1MiB"};
    std::string robust = "p90";
    std::size_t threads = 2;
    std::string data;  ///< empty: networks are drawn
};

/// How much is known of each pair's costs.
struct Knowledge {
    std::string_view name;
    std::function<double(Random&)> spread;
};

double log_uniform(Random& random, double low, double high) {
    return low * std::pow(high / low, random.uniform());
}

const std::array<Knowledge, 4>& knowledge() {
    static const std::array<Knowledge, 4> all{
        {{"alike", [](Random&) { return 0.25; }},
         {"any", [](Random& random) { return log_uniform(random, 0.02, 2); }},
         {"half unsteady", [](Random& random) { return random.uniform() < 0.5 ? 0.05 : 1.0; }},
         {"a tenth steady", [](Random& random) { return random.uniform() < 0.1 ? 0.05 : 1.0; }}}};
    return all;
}

/// Nodes far from each other, each pair with a latency, a bandwidth and a spread of its own.
network::GridNetwork draw_network(std::size_t nodes, const Knowledge& known, Random& random) {
    network::PairwiseNetwork network{.nodes = {},
                                     .startup = {nodes, nodes},
                                     .bandwidth = {nodes, nodes},
                                     .egress = {},
                                     .ingress = {},
                                     .cycle_times = {},
                                     .spread = {nodes, nodes}};
    for (std::size_t i = 0; i < nodes; ++i) {
        network.nodes.push_back(fmt::format("n{}", i));
        for (std::size_t j = 0; j < nodes; ++j) {
            if (i == j) continue;
            network.startup(i, j) = Seconds(log_uniform(random, 1e-3, 50e-3));
            network.bandwidth(i, j) = BytesPerSecond(log_uniform(random, 2e6, 100e6));
            network.spread(i, j) = known.spread(random);
        }
    }
    return to_grid_in_flight(network);
}

/// Makespans in scenarios of seeds that planning does not use.
std::vector<double> perform(const plan::Job& job, const schedule::Schedule& schedule,
                            std::size_t seeds) {
    std::vector<double> times;
    for (std::size_t seed = 2; seed < 2 + seeds; ++seed) {
        const auto scenarios = network::draw_scenarios(*job.view, seed);
        for (const auto& fabric : simulate::make_rank_fabrics(*job.view, job.places, scenarios))
            times.push_back(simulate::simulate(schedule, *fabric).makespan.value);
    }
    return times;
}

/// The robust plan's times over the plain plan's.
struct Ratios {
    double stated = 1;
    double median = 1;
    double percentile = 1;
    /// What the robust plan was said to take over what it takes in the unseen scenarios.
    double promised = 1;
};

Ratios compare(Kind kind, Bytes bytes, const Knowledge& known, std::size_t number,
               const Settings& settings) {
    Random random(1'000 + number);
    const network::GridNetwork grid = draw_network(settings.nodes, known, random);
    const network::GridView view(grid);
    const plan::Job job = plan::Job::everywhere(view);
    plan::Request request;
    request.kind = kind;
    request.bytes = bytes;
    request.segmenting.mode = plan::Segmenting::Mode::automatic;
    request.bounded = false;
    const plan::Race plain = plan::race(job, request);
    request.robust = plan::parse_robust(settings.robust, "--robust");
    const plan::Race robust = plan::race(job, request);
    const auto before = perform(job, plain.best().plan.schedule, settings.seeds);
    const auto after = perform(job, robust.best().plan.schedule, settings.seeds);
    const double reached = percentile(after, *request.robust);
    return {robust.best().plan.timeline.makespan / plain.best().plan.timeline.makespan,
            median(after) / median(before), reached / percentile(before, *request.robust),
            robust.best().plan.robust->makespan.value / reached};
}

double geometric_mean(const std::vector<Ratios>& all, double Ratios::*ratio) {
    double logarithms = 0;
    for (const Ratios& one : all) logarithms += std::log(one.*ratio);
    return std::exp(logarithms / static_cast<double>(all.size()));
}

void print_row(const Knowledge& known, Kind kind, const std::string& bytes,
               const std::vector<Ratios>& all) {
    const auto percentiles = [&] {
        std::vector<double> found;
        for (const Ratios& one : all) found.push_back(one.percentile);
        return found;
    }();
    fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} to {:.3f} | {:.3f} |\n",
               known.name, name_of(kind), bytes, geometric_mean(all, &Ratios::stated),
               geometric_mean(all, &Ratios::median), geometric_mean(all, &Ratios::percentile),
               percentile(percentiles, 0), percentile(percentiles, 100),
               geometric_mean(all, &Ratios::promised));
    std::fflush(stdout);
}

std::vector<Ratios> compare_all(Kind kind, Bytes bytes, const Knowledge& known,
                                const Settings& settings) {
    std::vector<Ratios> found(settings.networks);
    std::vector<std::exception_ptr> failures(settings.networks);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < settings.networks; i = next++) try {
                found[i] = compare(kind, bytes, known, i, settings);
            } catch (...) {
                failures[i] = std::current_exception();
            }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < settings.threads; ++t) threads.emplace_back(work);
    }
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return found;
}

void run_measured(const Settings& settings) {
    const unsigned percentile = plan::parse_robust(settings.robust, "--robust");
    fmt::print("| collective | bytes | median | {0} | mean |\n| --- | --- | --- | --- | --- |\n",
               settings.robust);
    for (const Kind kind : {Kind::broadcast, Kind::allreduce, Kind::alltoall})
        for (const std::string& bytes : settings.bytes) {
            const auto [plain, robust] =
                perform_measured(settings.data, kind, parse_bytes(bytes, "--bytes"), percentile,
                                 settings.nodes, settings.networks);
            const auto mean = [](const std::vector<double>& times) {
                return std::accumulate(times.begin(), times.end(), 0.0) /
                       static_cast<double>(times.size());
            };
            fmt::print(
                "| {} | {} | {:.3f} | {:.3f} | {:.3f} |\n", name_of(kind), bytes,
                median(robust) / median(plain),
                espalier::percentile(robust, percentile) / espalier::percentile(plain, percentile),
                mean(robust) / mean(plain));
            std::fflush(stdout);
        }
}

void run(const Settings& settings) {
    if (!settings.data.empty()) {
        run_measured(settings);
        return;
    }
    fmt::print(
        "| spreads | collective | bytes | stated costs | median | {0} | {0} of single networks | "
        "promised |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
        settings.robust);
    for (const Knowledge& known : knowledge())
        for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::allgather,
                                Kind::scatter, Kind::alltoall})
            for (const std::string& bytes : settings.bytes)
                print_row(known, kind, bytes,
                          compare_all(kind, parse_bytes(bytes, "--bytes"), known, settings));
}

}  // namespace

}  // namespace espalier::bench

int main(int argc, char** argv) {
    using namespace espalier;
    bench::Settings settings;
    CLI::App app("Plans for a percentile against plans for stated costs, in unseen scenarios");
    app.add_option("--networks", settings.networks, "of each kind")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--nodes", settings.nodes)->check(CLI::Range(2, 1000))->capture_default_str();
    app.add_option("--seeds", settings.seeds, "of 100 scenarios each")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--bytes", settings.bytes, "message sizes")->capture_default_str();
    app.add_option("--robust", settings.robust, "p50, …, p99")->capture_default_str();
    app.add_option("--data", settings.data,
                   "in place of drawn networks, measured ones: CSV of slice,from,to,rtt_s, or that "
                   "as .gz");
    app.add_option("--threads", settings.threads)->check(CLI::Range(1, 256))->capture_default_str();
    try {
        app.parse(argc, argv);
        bench::run(settings);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    } catch (const Error& error) {
        fmt::print(stderr, "bench_robust: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_robust: {}\n", error.what());
        return static_cast<int>(ExitStatus::internal_fault);
    }
    return 0;
}
