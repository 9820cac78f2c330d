#include "core/error.hpp"
#include "core/text.hpp"
#include "network/generate.hpp"
#include "network/latency_csv.hpp"
#include "network/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace espalier;
using namespace espalier::network;

constexpr std::array methods{PartitionMethod::lowekamp, PartitionMethod::closeness};

template <typename Work>
Seconds duration_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Machines in racks of 16 on sites scattered over 40 ms by 40 ms, each pair with 5% noise.
Metric scattered(std::size_t machines) {
    struct Place {
        double x;
        double y;
        std::size_t rack;
    };
    Random random(machines);
    std::vector<Place> places;
    while (places.size() < machines) {
        const Place site{random.uniform(0, 0.04), random.uniform(0, 0.04), places.size()};
        for (std::size_t k = 0; k < 16 && places.size() < machines; ++k) places.push_back(site);
    }
    Metric metric{std::vector<std::string>(machines, "m"),
                  Matrix<std::optional<double>>(machines, machines)};
    for (std::size_t a = 0; a < machines; ++a)
        for (std::size_t b = a + 1; b < machines; ++b) {
            const bool near = places[a].rack == places[b].rack;
            const double distance =
                std::hypot(places[a].x - places[b].x, places[a].y - places[b].y);
            metric.distance(a, b) = metric.distance(b, a) =
                (near ? 50e-6 : 200e-6 + distance) * random.uniform(0.95, 1.05);
        }
    return metric;
}

void print_times(const std::string& name, const Metric& metric) {
    std::string row = fmt::format("{:<24}{:>8}", name, metric.size());
    for (const auto method : methods) {
        std::vector<Seconds> times;
        std::size_t clusters = 0;
        for (int repetition = 0; repetition < 5; ++repetition)
            times.push_back(
                duration_of([&] { clusters = partition(metric, 0.2, method).clusters.size(); }));
        std::sort(times.begin(), times.end());
        row += fmt::format("{:>12}{:>10}", format_seconds(times[2]), clusters);
    }
    fmt::print("{}\n", row);
}

void print_recovery(std::uint64_t seeds) {
    const PairTable table =
        read_pair_table(std::string(ESPALIER_SOURCE_DIR) + "/examples/table4/latency_us.csv");
    const std::vector<std::size_t> sizes{31, 29, 6, 1, 1, 20};
    const auto expanded = [&](double noise, std::uint64_t seed) {
        return to_metric(expand_latencies(table, sizes, noise, seed), MetricKind::latency);
    };
    const auto truth = partition(expanded(0, 0), 0.3).clusters;

    fmt::print("\n{:<8}{:<12}{:<16}{:<24}{}\n", "noise", "tolerance", "lowekamp right",
               "its clusters", "clusters by closeness, on average");
    for (const double noise : {0.0, 0.05, 0.1})
        for (const double tolerance : {0.2, 0.25, 0.3, 0.35}) {
            std::uint64_t right = 0;
            double lowekamp_clusters = 0;
            double closeness_clusters = 0;
            for (std::uint64_t seed = 0; seed < seeds; ++seed) {
                const Metric metric = expanded(noise, seed);
                const auto found = partition(metric, tolerance).clusters;
                right += found == truth;
                lowekamp_clusters += static_cast<double>(found.size());
                closeness_clusters += static_cast<double>(
                    partition(metric, tolerance, PartitionMethod::closeness).clusters.size());
            }
            const auto mean = [&](double sum) { return sum / static_cast<double>(seeds); };
            fmt::print("{:<8}{:<12}{:<16}{:<24.4g}{:.3g}\n", noise, tolerance,
                       fmt::format("{}/{}", right, seeds), mean(lowekamp_clusters),
                       mean(closeness_clusters));
        }
}

void run(const std::vector<std::string>& arguments) {
    std::uint64_t seeds = 1000;
    std::vector<std::string> files;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] != "--noise-seeds")
            files.push_back(arguments[i]);
        else if (++i < arguments.size())
            seeds = parse_count(arguments[i], "--noise-seeds", 1);
        else
            throw InputError("--noise-seeds", "", "a number was expected");
    }

    fmt::print("{:<24}{:>8}{:>12}{:>10}{:>12}{:>10}\n", "matrix", "nodes", "lowekamp", "clusters",
               "closeness", "clusters");
    for (const std::size_t machines : {88U, 490U, 1000U, 2000U, 4000U})
        print_times("scattered", scattered(machines));
    for (const std::string& file : files)
        print_times(file.substr(file.find_last_of('/') + 1),
                    to_metric(read_pair_table(file), MetricKind::latency));
    print_recovery(seeds);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run({argv + 1, argv + argc});
    } catch (const Error& error) {
        std::cerr << "bench_partition: " << error.what() << '\n';
        return static_cast<int>(error.status());
    }
}
