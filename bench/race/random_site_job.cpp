#include "random_site_job.hpp"

#include "network/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace espalier::bench {

namespace {

using network::Cluster;
using network::CostTable;
using network::GridNetwork;
using network::PLogP;
using schedule::Kind;

constexpr std::array kinds{Kind::broadcast, Kind::reduce,  Kind::allreduce, Kind::scatter,
                           Kind::gather,    Kind::barrier, Kind::allgather, Kind::reduce_scatter,
                           Kind::alltoall,  Kind::scan};

double log_uniform(Random& random, double least, double most) {
    return std::exp(random.uniform(std::log(least), std::log(most)));
}

/// Half a round trip and a rate; a message costs `overhead` as well.
PLogP link(Seconds latency, BytesPerSecond rate, Seconds overhead) {
    std::vector<CostTable::Entry> gap;
    for (std::uint64_t size = 1; size <= (1U << 24U); size *= 4)
        gap.push_back({Bytes(size), overhead + Seconds(static_cast<double>(size) / rate.value)});
    return {CostTable(latency), CostTable(gap)};
}

Cluster random_site(Random& random, std::size_t number, std::size_t hosts) {
    constexpr std::array lans{1.25e8, 1.25e9, 3.1e9};  // bytes per second
    Cluster site;
    site.name = "site" + std::to_string(number);
    site.size = hosts;
    site.inside = Cluster::Local{link(Seconds(log_uniform(random, 10e-6, 200e-6)),
                                      BytesPerSecond(lans[random.below(lans.size())]),
                                      Seconds(random.uniform(2e-6, 20e-6)))};
    return site;
}

void share_ways_out(Random& random, GridNetwork& grid) {
    const std::size_t sites = grid.clusters.size();
    for (std::size_t s = 0; s < sites; ++s) {
        network::SharedCapacity up;
        network::SharedCapacity down;
        up.name = grid.clusters[s].name + " up";
        down.name = grid.clusters[s].name + " down";
        up.capacity = down.capacity = BytesPerSecond(log_uniform(random, 6e6, 1.25e9));
        for (std::size_t other = 0; other < sites; ++other) {
            if (other == s) continue;
            up.pairs.emplace_back(s, other);
            down.pairs.emplace_back(other, s);
        }
        grid.shared.push_back(std::move(up));
        grid.shared.push_back(std::move(down));
    }
}

}  // namespace

Instance random_instance(Random& random) {
    auto grid = std::make_shared<GridNetwork>();
    const std::size_t sites = 2 + random.below(7);
    const auto most = static_cast<double>(std::min<std::size_t>(16, 100 / sites));
    std::size_t hosts = 0;
    for (std::size_t s = 0; s < sites; ++s) {
        const auto size = static_cast<std::size_t>(log_uniform(random, 1, most + 1));
        hosts += size;
        // At least four in all.
        const std::size_t missing = s + 1 == sites && hosts < 4 ? 4 - hosts : 0;
        grid->clusters.push_back(random_site(random, s, size + missing));
    }
    grid->links = {sites, sites};
    for (std::size_t a = 0; a < sites; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const Seconds latency(log_uniform(random, 0.5e-3, 40e-3));
            const BytesPerSecond rate(log_uniform(random, 6e6, 1.25e9));
            grid->links(a, b) = link(latency, rate, Seconds(20e-6));
            grid->links(b, a) = link(latency, rate, Seconds(20e-6));
        }
    if (random.below(2) == 0) share_ways_out(random, *grid);

    Instance instance;
    instance.view = std::make_shared<const network::GridView>(*grid);
    instance.grid = std::move(grid);
    instance.job = plan::Job::everywhere(*instance.view);
    plan::Request& request = instance.request;
    request.kind = kinds[random.below(kinds.size())];
    const std::size_t ranks = instance.job.places.size();
    if (schedule::has_root(request.kind)) request.root = random.below(ranks);
    if (request.kind != Kind::barrier)
        request.bytes = Bytes(static_cast<std::uint64_t>(log_uniform(random, 8, 4 << 20)));
    request.ports = std::nullopt;
    request.bounded = false;
    return instance;
}

}  // namespace espalier::bench
