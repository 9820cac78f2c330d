// Broadcasts on a network that changes, planned on what is known before each: by measured round
// trips, replayed.

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "plan/scenarios.hpp"
#include "replay.hpp"
#include "round_trips.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>

namespace espalier::bench {

namespace {

struct Settings {
    std::string data;
    std::vector<std::string> bytes{"16KiB"};
    std::vector<std::size_t> calls_per_slice{1};
    std::vector<std::size_t> among;  ///< first and last of the nodes drawn from, from 1; empty: all
    std::size_t draws = 30;
    std::size_t nodes = 16;
    std::size_t slices = 0;  ///< 0: all
    std::uint64_t seed = 1;
    std::size_t threads = 2;
    ReplaySettings replay;
};

/// The latencies among nodes drawn at random, the first of which is the root.
std::vector<Matrix<Seconds>> draw(const RoundTrips& trips, const Settings& settings,
                                  std::size_t number) {
    std::size_t begin = 0;
    std::size_t end = trips.nodes.size();
    if (!settings.among.empty()) {
        begin = settings.among.front() - 1;
        end = std::min(end, settings.among.back());
    }
    if (begin >= end || end - begin < settings.nodes)
        throw InputError("--among", "", "fewer nodes than are drawn");
    std::vector<std::size_t> chosen(end - begin);
    std::iota(chosen.begin(), chosen.end(), begin);
    Random random(settings.seed * 1'000'003 + number);
    for (std::size_t i = 0; i < settings.nodes; ++i)
        std::swap(chosen[i], chosen[i + random.below(chosen.size() - i)]);
    std::size_t slices = trips.slices.size();
    if (settings.slices > 0) slices = std::min(slices, settings.slices);
    if (slices < 2) throw InputError("--slices", "", "a replay needs two");
    std::vector<Matrix<Seconds>> drawn(slices, Matrix<Seconds>(settings.nodes, settings.nodes));
    for (std::size_t s = 0; s < slices; ++s)
        for (std::size_t i = 0; i < settings.nodes; ++i)
            for (std::size_t j = 0; j < settings.nodes; ++j)
                drawn[s](i, j) = trips.slices[s](chosen[i], chosen[j]);
    return drawn;
}

/// Of all draws together.
ReplayOutcome replay_all(const RoundTrips& trips, const Settings& settings) {
    std::vector<ReplayOutcome> found(settings.draws);
    std::vector<std::exception_ptr> failures(settings.draws);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < settings.draws; i = next++) try {
                found[i] = replay(draw(trips, settings, i), settings.replay);
            } catch (...) {
                failures[i] = std::current_exception();
            }
    };
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < settings.threads; ++t) threads.emplace_back(work);
    threads.clear();
    ReplayOutcome all;
    for (std::size_t i = 0; i < settings.draws; ++i) {
        if (failures[i]) std::rethrow_exception(failures[i]);
        for (std::size_t p = 0; p < policies; ++p) {
            all[p].moved += found[i][p].moved;
            all[p].asked += found[i][p].asked;
            all[p].ratios.insert(all[p].ratios.end(), found[i][p].ratios.begin(),
                                 found[i][p].ratios.end());
        }
    }
    return all;
}

double geometric_mean(const std::vector<double>& values) {
    double logarithms = 0;
    for (const double value : values) logarithms += std::log(value);
    return std::exp(logarithms / static_cast<double>(values.size()));
}

/// `robust`: the percentile that is printed, too.
void print_rows(const ReplayOutcome& outcome, const std::string& bytes, std::size_t calls,
                std::optional<unsigned> robust) {
    for (std::size_t p = 0; p < policies; ++p) {
        const PolicyOutcome& of = outcome[p];
        if (of.ratios.empty()) continue;
        const double part = 100 * static_cast<double>(of.asked) / static_cast<double>(of.moved);
        fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |{}\n", bytes, calls,
                   name_of(static_cast<Policy>(p)), geometric_mean(of.ratios), median(of.ratios),
                   percentile(of.ratios, 95), part,
                   robust ? fmt::format(" {:.3f} |", percentile(of.ratios, *robust)) : "");
    }
    std::fflush(stdout);
}

void run(Settings settings) {
    if (!std::filesystem::exists(settings.data)) {
        fmt::print("no round trips at {}: nothing to replay (--data FILE)\n", settings.data);
        return;
    }
    const RoundTrips trips = read_round_trips(settings.data);
    fmt::print(
        "| bytes | calls a slice | planned on | geometric mean | median | 95th percentile | "
        "% asked |{}\n| --- | --- | --- | --- | --- | --- | --- |{}\n",
        settings.replay.robust ? fmt::format(" p{} |", *settings.replay.robust) : "",
        settings.replay.robust ? " --- |" : "");
    for (const std::string& bytes : settings.bytes)
        for (const std::size_t calls : settings.calls_per_slice) {
            settings.replay.call.bytes = parse_bytes(bytes, "--bytes");
            settings.replay.calls_per_slice = calls;
            print_rows(replay_all(trips, settings), bytes, calls, settings.replay.robust);
        }
}

}  // namespace

}  // namespace espalier::bench

int main(int argc, char** argv) {
    using namespace espalier;
    bench::Settings settings;
    settings.data = ESPALIER_ROUND_TRIPS;
    std::string bandwidth = "1Gbit/s";
    bool busy = false;
    std::string robust;
    CLI::App app("Broadcasts on a network that changes: ratios to the plan for each slice's truth");
    app.add_option("--data", settings.data, "CSV of slice,from,to,rtt_s, or that as .gz");
    app.add_option("--bytes", settings.bytes, "message sizes")->capture_default_str();
    app.add_option("--calls-per-slice", settings.calls_per_slice)
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--among", settings.among,
                   "the first and the last of the nodes to draw from, by number, from 1")
        ->check(CLI::Range(1, 1'000'000))
        ->expected(2);
    app.add_option("--draws", settings.draws)->check(CLI::Range(1, 10'000))->capture_default_str();
    app.add_option("--nodes", settings.nodes, "of a draw")
        ->check(CLI::Range(2, 1000))
        ->capture_default_str();
    app.add_option("--slices", settings.slices, "at most so many; 0: all")->capture_default_str();
    app.add_option("--seed", settings.seed)->capture_default_str();
    app.add_option("--threads", settings.threads)->check(CLI::Range(1, 256))->capture_default_str();
    app.add_option("--bandwidth", bandwidth, "of each pair")->capture_default_str();
    app.add_option("--algorithm", settings.replay.call.algorithm, "that plans")
        ->capture_default_str();
    app.add_option("--steps", settings.replay.call.steps, "of planning a call")
        ->capture_default_str();
    app.add_flag("--busy", busy,
                 "latencies keep both ends busy, as start-ups of pairwise networks");
    app.add_option("--robust", robust,
                   "plan for this percentile of the makespan, too: p50, …, p99");
    try {
        app.parse(argc, argv);
        if (!robust.empty()) settings.replay.robust = plan::parse_robust(robust, "--robust");
        settings.replay.call.bandwidth = parse_rate(bandwidth, "--bandwidth");
        if (busy) settings.replay.call.start_up = bench::StartUp::busy;
        bench::run(settings);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    } catch (const Error& error) {
        fmt::print(stderr, "bench_changing: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_changing: {}\n", error.what());
        return static_cast<int>(ExitStatus::internal_fault);
    }
    return 0;
}
