#include "measure/method/sampling.hpp"

#include "core/infinity.hpp"
#include "core/statistics.hpp"
#include "network/partition.hpp"

#include <algorithm>
#include <numeric>

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

/// Which clusters have a member that is as near to a host outside as their members are to each
/// other.
std::vector<bool> contested(const std::vector<std::vector<std::size_t>>& clusters,
                            const LatencyMatrix& latencies, double tolerance) {
    std::vector<std::size_t> cluster_of(latencies.size());
    for (std::size_t c = 0; c < clusters.size(); ++c)
        for (const std::size_t host : clusters[c]) cluster_of[host] = c;
    std::vector<double> inside(clusters.size(), infinity);
    std::vector<double> outside = inside;
    for (std::size_t i = 0; i < latencies.size(); ++i)
        for (const auto& [j, latency] : latencies.from(i)) {
            auto& nearest = cluster_of[i] == cluster_of[j] ? inside : outside;
            for (const std::size_t c : {cluster_of[i], cluster_of[j]})
                nearest[c] = std::min(nearest[c], latency);
        }
    std::vector<bool> found;
    for (std::size_t c = 0; c < clusters.size(); ++c)
        found.push_back(clusters[c].size() > 1 &&
                        network::within_tolerance(outside[c], inside[c], tolerance));
    return found;
}

std::vector<std::size_t> choose_representatives(
    const std::vector<std::vector<std::size_t>>& clusters, const LatencyMatrix& latencies,
    double tolerance) {
    std::vector<std::size_t> representatives;
    const std::vector<bool> all = contested(clusters, latencies, tolerance);
    for (std::size_t c = 0; c < clusters.size(); ++c)
        representatives.insert(representatives.end(), clusters[c].begin(),
                               all[c] ? clusters[c].end() : clusters[c].begin() + 1);
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
            if (const auto latency = latencies(a, b); a != b && latency) known.push_back(*latency);
    if (known.empty()) return std::nullopt;
    return noisy ? percentile(known, undisturbed) : median(known);
}

std::vector<std::vector<std::size_t>> groups_to_measure(
    const std::vector<std::vector<std::size_t>>& clusters, const LatencyMatrix& latencies,
    double tolerance, std::size_t rounds, std::size_t level) {
    std::vector<std::size_t> representatives(latencies.size());
    std::iota(representatives.begin(), representatives.end(), std::size_t{0});
    if (level > 0) representatives = choose_representatives(clusters, latencies, tolerance);
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
    for (std::size_t i = 0; i < latencies.size(); ++i)
        unknown += latencies.size() - i - 1 - latencies.from(i).size();
    return unknown;
}

}  // namespace espalier::measure
