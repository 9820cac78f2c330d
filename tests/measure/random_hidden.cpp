#include "measure/random_hidden.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::measure::test {

namespace {

/// What is found, as a network of its own; a cluster of one host has its port.
HiddenNetwork as_found(const HiddenNetwork& truth, const std::vector<Bottleneck>& found) {
    HiddenNetwork network = truth.without_limits();
    const Surroundings known = truth.surroundings();
    const std::size_t clusters = known.clusters();
    for (std::size_t i = 0; i < clusters; ++i) {
        double out = 0;
        double in = 0;
        for (std::size_t j = 0; j < clusters; ++j) {
            if (i == j) continue;
            network.stream_limit(i, j) = known.alone(i, j);
            out = std::max(out, known.alone(i, j));
            in = std::max(in, known.alone(j, i));
        }
        if (known.hosts[i].size() > 1) continue;
        network.capacities.push_back({"", out, [i](std::size_t a, std::size_t) { return a == i; }});
        network.capacities.push_back({"", in, [i](std::size_t, std::size_t b) { return b == i; }});
    }
    for (const Bottleneck& bottleneck : found)
        network.capacities.push_back(
            {"", bottleneck.capacity,
             [bottleneck](std::size_t a, std::size_t b) { return bottleneck.covers(a, b); }});
    return network;
}

/// Streams between sites that no round was made of.
std::vector<HiddenNetwork::Flow> random_traffic(const HiddenNetwork& network, Random& random) {
    const std::size_t wanted = 1 + random.below(12);
    const std::size_t mode = random.below(3);  // anywhere, out of one site, into one
    const std::size_t site = random.below(network.sites.size());
    const std::size_t hosts = network.cluster_of.size();
    std::vector<HiddenNetwork::Flow> flows;
    for (int tries = 0; tries < 300 && flows.size() < wanted; ++tries) {
        const std::size_t from = random.below(hosts);
        const std::size_t to = random.below(hosts);
        const std::size_t a = network.site_of[network.cluster_of[from]];
        const std::size_t b = network.site_of[network.cluster_of[to]];
        if (a == b || (mode == 1 && a != site) || (mode == 2 && b != site)) continue;
        flows.push_back({from, to, 1});
    }
    return flows;
}

double sum(const std::vector<double>& rates) {
    double total = 0;
    for (const double rate : rates) total += rate;
    return total;
}

}  // namespace

HiddenNetwork random_hidden(Random& random) {
    std::vector<std::vector<std::size_t>> sizes(2 + random.below(4));
    for (auto& site : sizes)
        for (std::size_t left = 1 + random.below(3); left > 0; --left)
            site.push_back(1 + random.below(6));
    HiddenNetwork network(sizes);
    const auto limit = [&] { return random.uniform(5e6, 20e6); };
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        if (random.uniform() < 0.15) {
            network.add_half_duplex(s, limit());
        } else {
            if (random.uniform() < 0.7) network.add_path_out(s, limit());
            if (random.uniform() < 0.7) network.add_path_in(s, limit());
        }
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            if (s == t) continue;
            if (random.uniform() < 0.12) network.add_pair(s, t, random.uniform(2e6, 5e6));
            if (random.uniform() > 0.15) continue;
            const double stream = random.uniform(3e6, 8e6);
            for (const std::size_t i : network.sites[s])
                for (const std::size_t j : network.sites[t]) network.stream_limit(i, j) = stream;
        }
    }
    return network;
}

Surroundings blurred(const HiddenNetwork& network, Random& random) {
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < known.clusters(); ++i)
        for (std::size_t j = 0; j < known.clusters(); ++j)
            if (i != j) known.alone(i, j) *= random.uniform(0.3, 2);
    return known;
}

void score_sharing(std::uint64_t seed, std::size_t patterns, SharingScore& score) {
    Random random(seed);
    const HiddenNetwork truth = random_hidden(random);
    SharingPlan plan(blurred(truth, random), truth.round_trips, unhurried);
    measure_hidden(truth, plan, random, some_noise);
    const std::vector<Bottleneck> found = plan.bottlenecks();
    for (const Bottleneck& bottleneck : found) {
        ++score.capacities;
        if (std::abs(bottleneck.capacity / truth.most(bottleneck) - 1) > capacity_tolerance)
            ++score.wrong_capacities;
    }
    const HiddenNetwork believed = as_found(truth, found);
    for (std::size_t k = 0; k < patterns; ++k) {
        const auto flows = random_traffic(truth, random);
        const double ratio = sum(believed.rates(flows)) / sum(truth.rates(flows));
        ++score.patterns;
        if (ratio < 1 - pattern_tolerance || ratio > 1 / (1 - pattern_tolerance))
            ++score.wrong_patterns;
    }
}

}  // namespace espalier::measure::test
