#include "measure/method/sampling.hpp"

#include "core/infinity.hpp"
#include "core/statistics.hpp"
#include "network/partition.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace espalier::measure {

namespace {

/// The percentile of latencies on a noisy clock that stands for all.
constexpr double undisturbed = 25;

bool all_known(const std::vector<std::size_t>& hosts, const LatencyMatrix& latencies) {
    return std::all_of(hosts.begin(), hosts.end(), [&](std::size_t a) {
        return std::all_of(hosts.begin(), hosts.end(),
                           [&](std::size_t b) { return a == b || latencies(a, b); });
    });
}

/// Whether a member of the cluster is as near to a host outside as its members are to each other.
bool is_contested(const std::vector<std::size_t>& cluster, const LatencyMatrix& latencies,
                  double tolerance) {
    double inside = infinity;
    double outside = inside;
    std::vector<bool> is_member(latencies.rows(), false);
    for (const std::size_t member : cluster) is_member[member] = true;
    for (const std::size_t member : cluster)
        for (std::size_t other = 0; other < latencies.rows(); ++other) {
            if (other == member || !latencies(member, other)) continue;
            double& nearest = is_member[other] ? inside : outside;
            nearest = std::min(nearest, *latencies(member, other));
        }
    return cluster.size() > 1 && network::within_tolerance(outside, inside, tolerance);
}

std::vector<std::size_t> choose_representatives(const LatencyMatrix& latencies, double tolerance) {
    std::vector<std::size_t> representatives;
    for (const auto& cluster : partition_hosts(latencies, tolerance)) {
        const bool all = is_contested(cluster, latencies, tolerance);
        representatives.insert(representatives.end(), cluster.begin(),
                               all ? cluster.end() : cluster.begin() + 1);
    }
    std::sort(representatives.begin(), representatives.end());
    return representatives;
}

}  // namespace

std::optional<double> usual_latency(const LatencyMatrix& latencies,
                                    const std::vector<std::size_t>& from,
                                    const std::vector<std::size_t>& to, bool noisy) {
    std::vector<double> known;
    for (const std::size_t a : from)
        for (const std::size_t b : to)
            if (const auto& latency = latencies(a, b); a != b && latency) known.push_back(*latency);
    if (known.empty()) return std::nullopt;
    return noisy ? percentile(known, undisturbed) : median(known);
}

std::vector<std::vector<std::size_t>> partition_hosts(const LatencyMatrix& latencies,
                                                      double tolerance) {
    network::Metric metric;
    metric.distance = latencies;
    for (std::size_t host = 0; host < latencies.rows(); ++host)
        metric.names.push_back(std::to_string(host));
    return network::partition(metric, tolerance).clusters;
}

std::vector<std::vector<std::size_t>> groups_to_measure(const LatencyMatrix& latencies,
                                                        double tolerance, std::size_t rounds,
                                                        std::size_t level) {
    std::vector<std::size_t> representatives(latencies.rows());
    std::iota(representatives.begin(), representatives.end(), std::size_t{0});
    if (level > 0) representatives = choose_representatives(latencies, tolerance);
    const std::size_t count = representatives.size();
    if (rounds < 1 || all_known(representatives, latencies)) return {};
    if (count <= rounds + 1) return {representatives};

    const std::size_t wanted = std::max<std::size_t>(rounds / 2 + 1, 2);
    const std::size_t number = (count + wanted - 1) / wanted;
    std::vector<std::vector<std::size_t>> groups(number);
    // Neighbours in rank order are often near, so the first level keeps them together; the levels
    // above deal hosts out in turn, so that those which did not meet before do now.
    for (std::size_t i = 0; i < count; ++i)
        groups[level == 0 ? i * number / count : i % number].push_back(representatives[i]);
    return groups;
}

std::size_t unknown_pairs(const LatencyMatrix& latencies) {
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < latencies.rows(); ++i)
        for (std::size_t j = i + 1; j < latencies.columns(); ++j)
            if (!latencies(i, j)) ++unknown;
    return unknown;
}

}  // namespace espalier::measure
