#include "network/generate.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace espalier::network {

namespace {

void check_range(const SecondsRange& range, const std::string& name) {
    if (!(range.low.value >= 0 && range.low <= range.high && std::isfinite(range.high.value)))
        throw InputError(name, "",
                         fmt::format("the range {} s to {} s is not 0 <= least <= most",
                                     range.low.value, range.high.value));
}

/// `count` of the `range` whole numbers from `first` on, each set alike (Floyd).
std::vector<double> distinct_whole_numbers(double first, double range, std::size_t count,
                                           Random& random) {
    std::set<double> chosen;
    for (double last = range - static_cast<double>(count); last < range; ++last) {
        const double drawn = std::floor(random.uniform() * (last + 1));
        if (!chosen.insert(first + drawn).second) chosen.insert(first + last);
    }
    return {chosen.begin(), chosen.end()};
}

CostTable draw(const SecondsRange& range, Random& random) {
    return CostTable(Seconds(random.uniform(range.low.value, range.high.value)));
}

}  // namespace

GridNetwork random_grid(const RandomGridOptions& options, Random& random) {
    if (options.clusters == 0) throw InputError("clusters", "", "a grid has at least one cluster");
    if (options.nodes_per_cluster == 0)
        throw InputError("nodes", "", "a cluster has at least one node");
    check_range(options.latency, "latency");
    check_range(options.gap, "gap");
    check_range(options.broadcast, "broadcast");

    const std::size_t n = options.clusters;
    GridNetwork grid{{}, Matrix<std::optional<PLogP>>(n, n), {}};
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to) {
            if (from == to) continue;
            if (options.symmetric && to < from) {
                grid.links(from, to) = grid.links(to, from);
                continue;
            }
            CostTable latency = draw(options.latency, random);
            CostTable gap = draw(options.gap, random);
            grid.links(from, to) = PLogP{std::move(latency), std::move(gap)};
        }
    for (std::size_t i = 0; i < n; ++i) {
        Cluster cluster;
        cluster.name = fmt::format("c{}", i);
        cluster.size = options.nodes_per_cluster;
        cluster.inside = Cluster::KnownBroadcast{
            Seconds(random.uniform(options.broadcast.low.value, options.broadcast.high.value))};
        grid.clusters.push_back(std::move(cluster));
    }
    return grid;
}

SenderNetwork random_senders(const RandomSenderOptions& options, Random& random) {
    const bool distinct = options.classes == 0;
    if (options.nodes == 0) throw InputError("nodes", "", "a network has at least one node");
    if (options.classes > options.nodes)
        throw InputError("classes", "",
                         fmt::format("{} classes of {} nodes", options.classes, options.nodes));
    if (!(options.least > 0 && options.least <= options.most && std::isfinite(options.most)))
        throw InputError("times", "",
                         fmt::format("the range {} to {} is not 0 < least <= most", options.least,
                                     options.most));
    const double first = std::ceil(options.least);
    const double whole_numbers = std::floor(options.most) - first + 1;
    const std::size_t groups = distinct ? options.nodes : options.classes;
    if (options.integer && whole_numbers < static_cast<double>(distinct ? 1 : groups))
        throw InputError(
            "times", "",
            fmt::format("{} to {} has too few whole numbers", options.least, options.most));
    const auto draw_time = [&] {
        return options.integer ? first + std::floor(random.uniform() * whole_numbers)
                               : random.uniform(options.least, options.most);
    };
    std::vector<double> times;
    if (distinct || !options.integer) {
        while (times.size() < groups) times.push_back(draw_time());
    } else {
        times = distinct_whole_numbers(first, whole_numbers, groups, random);
    }
    std::ranges::sort(times);
    SenderNetwork network;
    for (std::size_t g = 0; g < groups; ++g)
        network.classes.push_back(
            {fmt::format("{}{}", distinct ? 'n' : 'c', g), times[g], 1, distinct});
    for (std::size_t node = groups; node < options.nodes; ++node)
        ++network.classes[random.below(groups)].count;
    return network;
}

PairTable expand_latencies(const PairTable& clusters, const std::vector<std::size_t>& sizes,
                           double noise, std::uint64_t seed) {
    if (sizes.size() != clusters.size())
        throw InputError("sizes", "",
                         fmt::format("{} sizes for {} clusters", sizes.size(), clusters.size()));
    if (!(noise >= 0 && noise < 1))
        throw InputError("noise", "", fmt::format("{} is not a number >= 0 and below 1", noise));

    PairTable machines;
    std::vector<std::size_t> cluster_of;
    for (std::size_t cluster = 0; cluster < sizes.size(); ++cluster) {
        if (sizes[cluster] == 0)
            throw InputError("sizes", "",
                             fmt::format("cluster {} is empty", clusters.names[cluster]));
        for (std::size_t machine = 0; machine < sizes[cluster]; ++machine) {
            machines.names.push_back(fmt::format("{}-{}", clusters.names[cluster], machine));
            cluster_of.push_back(cluster);
        }
    }
    machines.cells = Matrix<std::optional<double>>(machines.size(), machines.size());

    Random random(seed);
    const auto scaled = [&](std::size_t from, std::size_t to, double factor) {
        const auto& cell = clusters.cells(cluster_of[from], cluster_of[to]);
        return cell ? std::optional(*cell * factor) : std::nullopt;
    };
    for (std::size_t a = 0; a < machines.size(); ++a)
        for (std::size_t b = a + 1; b < machines.size(); ++b) {
            const double factor = random.uniform(1 - noise, 1 + noise);
            machines.cells(a, b) = scaled(a, b, factor);
            machines.cells(b, a) = scaled(b, a, factor);
        }
    return machines;
}

}  // namespace espalier::network
