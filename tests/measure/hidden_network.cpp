#include "measure/hidden_network.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::measure::test {

namespace {

constexpr double unlimited = infinity;

}  // namespace

HiddenNetwork::HiddenNetwork(const std::vector<std::vector<std::size_t>>& sizes) {
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        sites.emplace_back();
        for (const std::size_t size : sizes[s]) {
            sites.back().push_back(hosts.size());
            site_of.push_back(s);
            hosts.emplace_back();
            for (std::size_t k = 0; k < size; ++k) {
                hosts.back().push_back(cluster_of.size());
                cluster_of.push_back(hosts.size() - 1);
            }
        }
    }
    const std::size_t clusters = hosts.size();
    round_trips = Matrix<double>(clusters, clusters, 20e-3);
    stream_limit = Matrix<double>(clusters, clusters, unlimited);
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j)
            if (site_of[i] == site_of[j]) round_trips(i, j) = 0.4e-3;
}

HiddenNetwork HiddenNetwork::without_limits() const {
    std::vector<std::vector<std::size_t>> sizes;
    for (const auto& site : sites) {
        auto& own = sizes.emplace_back();
        for (const std::size_t c : site) own.push_back(hosts[c].size());
    }
    return HiddenNetwork(sizes);
}

void HiddenNetwork::add_path_out(std::size_t site, double limit) {
    capacities.push_back(
        {"out", limit, [site, sites_of = site_of](std::size_t from, std::size_t to) {
             return sites_of[from] == site && sites_of[to] != site;
         }});
}

void HiddenNetwork::add_path_in(std::size_t site, double limit) {
    capacities.push_back(
        {"in", limit, [site, sites_of = site_of](std::size_t from, std::size_t to) {
             return sites_of[from] != site && sites_of[to] == site;
         }});
}

void HiddenNetwork::add_half_duplex(std::size_t site, double limit) {
    capacities.push_back(
        {"both", limit, [site, sites_of = site_of](std::size_t from, std::size_t to) {
             return (sites_of[from] == site) != (sites_of[to] == site);
         }});
}

void HiddenNetwork::add_pair(std::size_t from_site, std::size_t to_site, double limit) {
    capacities.push_back({"pair", limit, [=, sites_of = site_of](std::size_t from, std::size_t to) {
                              return sites_of[from] == from_site && sites_of[to] == to_site;
                          }});
}

std::vector<double> HiddenNetwork::rates(const std::vector<Flow>& flows) const {
    struct Limit {
        double left = 0;
        std::vector<std::size_t> flows;
    };
    std::vector<Limit> limits(2 * cluster_of.size(), {port, {}});
    for (const Capacity& capacity : capacities) limits.push_back({capacity.limit, {}});
    for (std::size_t f = 0; f < flows.size(); ++f) {
        const std::size_t from = cluster_of[flows[f].from];
        const std::size_t to = cluster_of[flows[f].to];
        limits[flows[f].from].flows.push_back(f);
        limits[cluster_of.size() + flows[f].to].flows.push_back(f);
        for (std::size_t c = 0; c < capacities.size(); ++c)
            if (capacities[c].covers(from, to))
                limits[2 * cluster_of.size() + c].flows.push_back(f);
        if (stream_limit(from, to) < unlimited) limits.push_back({stream_limit(from, to), {f}});
    }
    std::vector<double> found(flows.size(), -1);
    for (;;) {
        double level = unlimited;
        const Limit* tightest = nullptr;
        for (const Limit& limit : limits) {
            double weight = 0;
            for (const std::size_t f : limit.flows)
                if (found[f] < 0) weight += flows[f].weight;
            if (weight == 0 || limit.left / weight >= level) continue;
            level = limit.left / weight;
            tightest = &limit;
        }
        if (tightest == nullptr) return found;
        std::vector<bool> settled(flows.size(), false);
        for (const std::size_t f : tightest->flows)
            if (found[f] < 0) {
                found[f] = level * flows[f].weight;
                settled[f] = true;
            }
        for (Limit& limit : limits)
            for (const std::size_t f : limit.flows)
                if (settled[f]) limit.left = std::max(limit.left - found[f], 0.0);
    }
}

Surroundings HiddenNetwork::surroundings() const {
    Surroundings known;
    known.hosts = hosts;
    known.sites = sites;
    known.alone = Matrix<double>(hosts.size(), hosts.size(), 0);
    for (std::size_t i = 0; i < hosts.size(); ++i)
        for (std::size_t j = 0; j < hosts.size(); ++j) {
            if (i == j && hosts[i].size() < 2) continue;
            known.alone(i, j) = rates({{hosts[i].front(), hosts[j].back()}}).front();
        }
    return known;
}

double HiddenNetwork::most(const Bottleneck& bottleneck) const {
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < cluster_of.size(); ++i)
        for (std::size_t j = 0; j < cluster_of.size(); ++j)
            if (bottleneck.covers(cluster_of[i], cluster_of[j])) flows.push_back({i, j, 1});
    double sum = 0;
    for (const double rate : rates(flows)) sum += rate;
    return sum;
}

double measure_hidden(const HiddenNetwork& network, SharingPlan& plan, Random& random,
                      double noise) {
    double elapsed = 0;
    for (auto rounds = plan.next(elapsed); !rounds.empty(); rounds = plan.next(elapsed)) {
        std::vector<RoundWindows> found;
        for (const StreamRound& round : rounds) {
            std::vector<HiddenNetwork::Flow> flows;
            std::vector<double> parts;
            for (const Stream& stream : round.streams) {
                flows.push_back({stream.ends.from, stream.ends.to});
                parts.push_back(0.6 + random.uniform());
            }
            RoundWindows& windows = found.emplace_back(flows.size());
            for (std::size_t w = 0; w < round.windows; ++w) {
                for (std::size_t k = 0; k < flows.size(); ++k) {
                    // Who had much of a full link may have little of it later.
                    if (w > 0) parts[k] = std::clamp(parts[k] * random.uniform(0.6, 1.6), 0.3, 3.0);
                    const StreamEnds& ends = round.streams[k].ends;
                    flows[k].weight =
                        parts[k] / network.round_trips(ends.from_cluster, ends.to_cluster);
                }
                const std::vector<double> rates = network.rates(flows);
                for (std::size_t k = 0; k < rates.size(); ++k)
                    windows[k].push_back(rates[k] * (1 + noise * (2 * random.uniform() - 1)));
            }
        }
        elapsed += rounds.back().begins + duration(rounds.back()) + time_to_order(rounds.back());
        plan.record(found, elapsed);
    }
    return elapsed;
}

}  // namespace espalier::measure::test
