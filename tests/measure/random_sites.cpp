#include "measure/random_sites.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace espalier::measure::test {

namespace {

/// A set of ordered pairs of clusters.
using Pairs = Matrix<char>;

struct Limit {
    double capacity = 0;
    Pairs pairs;
};

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

void set_round_trips(HiddenNetwork& network, const Matrix<double>& between_sites) {
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < network.hosts.size(); ++j)
            if (network.site_of[i] != network.site_of[j])
                network.round_trips(i, j) =
                    1e-3 + between_sites(network.site_of[i], network.site_of[j]);
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

void add_middle(HiddenNetwork& network, Random& random) {
    network.capacities.push_back({"middle", log_uniform(random, 8e6, 30e6),
                                  [sites_of = network.site_of](std::size_t from, std::size_t to) {
                                      return sites_of[from] != sites_of[to];
                                  }});
}

Pairs pairs_of(const HiddenNetwork& network, const auto& covers) {
    const std::size_t clusters = network.hosts.size();
    Pairs pairs(clusters, clusters, 0);
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j)
            if (i != j && covers(i, j)) pairs(i, j) = 1;
    return pairs;
}

/// What pairs of clusters can carry: cards of hosts, what one stream gets, and what is shared.
class Filling {
public:
    Filling(const HiddenNetwork& network, const Matrix<double>& alone, std::vector<Limit> shared)
        : hosts_(network.hosts), port_(network.port), alone_(alone), shared_(std::move(shared)) {}

    [[nodiscard]] const std::vector<Limit>& shared() const { return shared_; }
    /// Bytes per second of all hosts of these pairs, whose rates grow evenly; all but one of the
    /// shared capacities count, or all.
    [[nodiscard]] double total(const Pairs& pairs, std::size_t without = no_one) const;
    static constexpr std::size_t no_one = std::numeric_limits<std::size_t>::max();

private:
    std::vector<std::vector<std::size_t>> hosts_;
    double port_;
    Matrix<double> alone_;
    std::vector<Limit> shared_;
};

double Filling::total(const Pairs& pairs, std::size_t without) const {
    const std::size_t clusters = hosts_.size();
    const auto size = [&](std::size_t c) { return static_cast<double>(hosts_[c].size()); };
    struct Open {
        double left = 0;
        std::vector<std::size_t> members;
    };
    std::vector<std::pair<std::size_t, std::size_t>> members;
    std::vector<Open> limits(2 * clusters);
    for (std::size_t c = 0; c < clusters; ++c)
        limits[c].left = limits[clusters + c].left = size(c) * port_;
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j) {
            if (pairs(i, j) == 0) continue;
            limits[i].members.push_back(members.size());
            limits[clusters + j].members.push_back(members.size());
            if (alone_(i, j) < infinity)
                limits.push_back({size(i) * size(j) * alone_(i, j), {members.size()}});
            members.emplace_back(i, j);
        }
    for (std::size_t k = 0; k < shared_.size(); ++k) {
        if (k == without) continue;
        Open& limit = limits.emplace_back(Open{shared_[k].capacity, {}});
        for (std::size_t m = 0; m < members.size(); ++m)
            if (shared_[k].pairs(members[m].first, members[m].second) != 0)
                limit.members.push_back(m);
    }
    std::vector<bool> done(members.size(), false);
    double sum = 0;
    for (std::size_t open = members.size(); open > 0;) {
        const auto weight = [&](const Open& limit) {
            double all = 0;
            for (const std::size_t m : limit.members)
                if (!done[m]) all += size(members[m].first) * size(members[m].second);
            return all;
        };
        const Open* tightest = nullptr;
        double level = infinity;
        for (const Open& limit : limits)
            if (const double all = weight(limit); all > 0 && limit.left / all < level) {
                level = limit.left / all;
                tightest = &limit;
            }
        const std::vector<std::size_t> full = tightest->members;
        for (const std::size_t m : full) {
            if (done[m]) continue;
            const double rate = level * size(members[m].first) * size(members[m].second);
            for (Open& limit : limits)
                if (std::ranges::find(limit.members, m) != limit.members.end())
                    limit.left = std::max(limit.left - rate, 0.0);
            sum += rate;
            done[m] = true;
            --open;
        }
    }
    return sum;
}

bool near(double found, double truth) { return std::abs(found / truth - 1) <= rate_tolerance; }

std::size_t count(const Pairs& pairs, const Pairs* among = nullptr) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < pairs.rows(); ++i)
        for (std::size_t j = 0; j < pairs.columns(); ++j)
            sum += pairs(i, j) != 0 && (among == nullptr || (*among)(i, j) != 0) ? 1U : 0U;
    return sum;
}

}  // namespace

HiddenNetwork random_sites(Random& random) {
    std::vector<std::vector<std::size_t>> sizes(3 + random.below(5));
    for (auto& site : sizes) site.push_back(2 + random.below(4));
    HiddenNetwork network(sizes);
    network.port = random.uniform(20e6, 50e6);
    const double scale = log_uniform(random, 5e-3, 250e-3);
    switch (random.below(4)) {
        case 0:
            place_around(network, random, scale);
            add_paths(network, random, 0.9);
            break;
        case 1:
            place_around(network, random, scale);
            add_middle(network, random);
            add_paths(network, random, 0.9);
            break;
        case 2:
            add_trunks(network, random, true, scale);
            break;
        default:
            add_trunks(network, random, false, scale);
            add_paths(network, random, 0.2);
    }
    if (random.uniform() < 0.2)
        network.add_pair(0, 1 + random.below(sizes.size() - 1), random.uniform(0.5e6, 3e6));
    return network;
}

void score_sites(std::uint64_t seed, double seconds, double round_trips, SitesScore& score) {
    Random random(seed);
    const HiddenNetwork network = random_sites(random);
    const std::size_t clusters = network.hosts.size();
    double longest = 0;
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j) {
            longest = std::max(longest, network.round_trips(i, j));
            if (i != j) known.alone(i, j) = 0;
        }
    const double budget = seconds + round_trips * longest;
    SharingPlan plan(known, network.round_trips, budget, {true, 16384});
    const double noise = random.uniform(0.03, 0.08);
    if (measure_hidden(network, plan, random, noise) > budget) ++score.late;

    std::vector<Limit> truth;
    for (const auto& capacity : network.capacities)
        truth.push_back({capacity.limit, pairs_of(network, capacity.covers)});
    std::vector<Limit> stated;
    for (const Bottleneck& found : plan.bottlenecks())
        stated.push_back({found.capacity, pairs_of(network, [&](std::size_t i, std::size_t j) {
                              return found.covers(i, j);
                          })});
    const Filling there(network, network.stream_limit, truth);
    const Filling measured(network, plan.paces(), stated);
    for (std::size_t k = 0; k < truth.size(); ++k) {
        const Pairs& pairs = truth[k].pairs;
        const double total = there.total(pairs);
        if (near(there.total(pairs, k), total)) continue;
        ++score.capacities;
        const bool is_stated = std::ranges::any_of(stated, [&](const Limit& limit) {
            return 2 * count(pairs, &limit.pairs) >= count(pairs);
        });
        score.found += is_stated && near(measured.total(pairs), total) ? 1U : 0U;
    }
    for (const Limit& limit : stated) {
        ++score.stated;
        score.invented +=
            limit.capacity < (1 - rate_tolerance) * there.total(limit.pairs) ? 1U : 0U;
    }
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j) {
            if (i == j) continue;
            Pairs pair(clusters, clusters, 0);
            pair(i, j) = 1;
            ++score.pairs;
            score.right += near(measured.total(pair), there.total(pair)) ? 1U : 0U;
        }
}

}  // namespace espalier::measure::test
