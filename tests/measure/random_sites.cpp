#include "measure/random_sites.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace espalier::measure::test {

namespace {

double log_uniform(Random& random, double least, double most) {
    return least * std::pow(most / least, random.uniform());
}

double usual_limit(Random& random) { return log_uniform(random, 1.5e6, 25e6); }

/// Of each site the one before it on the way to the first: a line, or a tree.
std::vector<std::size_t> random_tree(Random& random, std::size_t sites, bool line) {
    std::vector<std::size_t> before(sites, 0);
    for (std::size_t s = 1; s < sites; ++s) before[s] = line ? s - 1 : random.below(s);
    return before;
}

/// The sites beyond one, seen from the first.
std::vector<bool> beyond(const std::vector<std::size_t>& before, std::size_t site) {
    std::vector<bool> found(before.size(), false);
    found[site] = true;
    for (std::size_t s = site + 1; s < before.size(); ++s) found[s] = found[before[s]];
    return found;
}

/// `least` comes to what is between sites.
void set_round_trips(HiddenNetwork& network, const Matrix<double>& between_sites,
                     double least = 1e-3) {
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < network.hosts.size(); ++j)
            if (network.site_of[i] != network.site_of[j])
                network.round_trips(i, j) =
                    least + between_sites(network.site_of[i], network.site_of[j]);
}

/// Trunks between neighbours, each direction with its own capacity or the same.
void add_trunks(HiddenNetwork& network, Random& random, bool line, double scale) {
    const std::size_t sites = network.sites.size();
    const std::vector<std::size_t> before = random_tree(random, sites, line);
    Matrix<double> between(sites, sites, 0);
    for (std::size_t s = 1; s < sites; ++s) {
        const std::vector<bool> side = beyond(before, s);
        const double there = usual_limit(random);
        const double back = random.uniform() < 0.5 ? there : usual_limit(random);
        const auto crosses = [side, sites_of = network.site_of](bool out) {
            return [side, sites_of, out](std::size_t from, std::size_t to) {
                return side[sites_of[from]] == out && side[sites_of[to]] != out;
            };
        };
        network.capacities.push_back({"trunk", there, crosses(true)});
        network.capacities.push_back({"trunk", back, crosses(false)});
        const double longer = log_uniform(random, 0.05, 1) * scale;
        for (std::size_t a = 0; a < sites; ++a)
            for (std::size_t b = 0; b < sites; ++b)
                if (side[a] != side[b]) between(a, b) += longer;
    }
    set_round_trips(network, between);
}

/// Sites around a middle, each at its own distance.
void place_around(HiddenNetwork& network, Random& random, double scale) {
    const std::size_t sites = network.sites.size();
    std::vector<double> distance(sites);
    for (double& each : distance) each = log_uniform(random, 0.1, 0.5) * scale;
    Matrix<double> between(sites, sites, 0);
    for (std::size_t a = 0; a < sites; ++a)
        for (std::size_t b = 0; b < a; ++b)
            between(a, b) = between(b, a) = (distance[a] + distance[b]) * random.uniform(0.8, 1.2);
    set_round_trips(network, between);
}

void add_paths(HiddenNetwork& network, Random& random, double chance) {
    for (std::size_t s = 0; s < network.sites.size(); ++s) {
        const double out = usual_limit(random);
        if (random.uniform() < chance) network.add_path_out(s, out);
        if (random.uniform() < chance)
            network.add_path_in(s, random.uniform() < 0.5 ? out : usual_limit(random));
    }
}

/// Lines are ordered in a few sizes, so that some are alike.
void add_circuits(HiddenNetwork& network, Random& random) {
    const std::array sizes{usual_limit(random), usual_limit(random), usual_limit(random)};
    for (std::size_t from = 0; from < network.sites.size(); ++from)
        for (std::size_t to = 0; to < from; ++to) {
            const double limit = sizes[random.below(sizes.size())];
            network.add_pair(from, to, limit);
            network.add_pair(to, from, limit);
        }
}

/// A middle of all that carries a part of what the paths out do.
void add_middle(HiddenNetwork& network, Random& random) {
    double out = 0;
    for (const HiddenNetwork::Capacity& capacity : network.capacities)
        if (capacity.name == "out") out += capacity.limit;
    network.capacities.push_back({"middle", random.uniform(0.25, 0.7) * std::max(out, 5e6),
                                  [sites_of = network.site_of](std::size_t from, std::size_t to) {
                                      return sites_of[from] != sites_of[to];
                                  }});
}

/// The first site's last host, of a slow card, is near it and seems to be a site of its own.
HiddenNetwork racks(Random& random) {
    std::vector<std::vector<std::size_t>> sizes(3 + random.below(3));
    for (auto& site : sizes) site.push_back(3 + random.below(3));
    sizes.push_back({1});
    HiddenNetwork network(sizes);
    network.port = random.uniform(20e6, 50e6);
    const std::size_t slow = sizes.size() - 1;
    Matrix<double> between(sizes.size(), sizes.size(), random.uniform(0.2e-3, 0.5e-3));
    between(0, slow) = between(slow, 0) = 0.1e-3;
    set_round_trips(network, between, 0);
    const double usual = log_uniform(random, 8e6, 25e6);
    const auto limit = [&] { return random.uniform() < 0.8 ? usual : usual_limit(random); };
    const auto rack_of = [slow](std::size_t cluster) { return cluster == slow ? 0 : cluster; };
    for (std::size_t rack = 0; rack < slow; ++rack) {
        network.capacities.push_back({"out", limit(), [=](std::size_t from, std::size_t to) {
                                          return rack_of(from) == rack && rack_of(to) != rack;
                                      }});
        network.capacities.push_back({"in", limit(), [=](std::size_t from, std::size_t to) {
                                          return rack_of(from) != rack && rack_of(to) == rack;
                                      }});
    }
    const double card = random.uniform(0.1, 0.5) * network.port;
    network.capacities.push_back(
        {"card", card, [slow](std::size_t from, std::size_t) { return from == slow; }});
    network.capacities.push_back(
        {"card", card, [slow](std::size_t, std::size_t to) { return to == slow; }});
    return network;
}

HiddenNetwork homes(Random& random, double scale) {
    std::vector<std::vector<std::size_t>> sizes{{6 + random.below(3)}};
    for (std::size_t home = 3 + random.below(4); home > 0; --home)
        sizes.push_back({1 + random.below(3)});
    HiddenNetwork network(sizes);
    network.port = random.uniform(20e6, 50e6);
    place_around(network, random, scale);
    network.add_path_out(0, random.uniform(20e6, 40e6));
    network.add_path_in(0, random.uniform(20e6, 40e6));
    for (std::size_t home = 1; home < sizes.size(); ++home) {
        const double up = log_uniform(random, 0.5e6, 5e6);
        network.add_path_out(home, up);
        network.add_path_in(home, random.uniform(1, 10) * up);
    }
    return network;
}

HiddenNetwork campus(Random& random, double scale) {
    std::vector<std::vector<std::size_t>> sizes(2 + random.below(3));
    for (auto& site : sizes) site.push_back(2 + random.below(3));
    for (std::size_t more = 2 + random.below(2); more > 0; --more)
        sizes.front().push_back(2 + random.below(3));
    HiddenNetwork network(sizes);
    network.port = random.uniform(20e6, 50e6);
    place_around(network, random, scale);
    add_paths(network, random, 0.9);
    for (const std::size_t building : network.sites.front()) {
        if (random.uniform() < 0.5) continue;
        network.capacities.push_back(
            {"out", usual_limit(random), [building](std::size_t from, std::size_t to) {
                 return from == building && to != building;
             }});
        network.capacities.push_back(
            {"in", usual_limit(random), [building](std::size_t from, std::size_t to) {
                 return from != building && to == building;
             }});
    }
    return network;
}

HiddenNetwork usual_sites(Random& random) {
    std::vector<std::vector<std::size_t>> sizes(3 + random.below(5));
    for (auto& site : sizes) site.push_back(random.uniform() < 0.1 ? 1 : 2 + random.below(4));
    HiddenNetwork network(sizes);
    network.port = random.uniform(20e6, 50e6);
    return network;
}

}  // namespace

HiddenNetwork random_sites(SiteKind kind, Random& random) {
    if (kind == SiteKind::racks) return racks(random);
    const double scale = log_uniform(random, 5e-3, 250e-3);
    if (kind == SiteKind::homes) return homes(random, scale);
    if (kind == SiteKind::campus) return campus(random, scale);
    HiddenNetwork network = usual_sites(random);
    if (kind == SiteKind::paths || kind == SiteKind::star) {
        place_around(network, random, scale);
        add_paths(network, random, 0.9);
    } else if (kind == SiteKind::circuits) {
        place_around(network, random, scale);
        add_circuits(network, random);
        return network;
    } else {
        add_trunks(network, random, kind == SiteKind::line, scale);
    }
    if (kind == SiteKind::star) add_middle(network, random);
    if (kind == SiteKind::tree) add_paths(network, random, 0.2);
    if (random.uniform() < 0.2)
        network.add_pair(0, 1 + random.below(network.sites.size() - 1), random.uniform(0.5e6, 3e6));
    return network;
}

}  // namespace espalier::measure::test
