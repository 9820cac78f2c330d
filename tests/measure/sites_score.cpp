#include "core/infinity.hpp"
#include "measure/random_sites.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace espalier::measure::test {

namespace {

/// A set of ordered pairs of clusters.
using Pairs = Matrix<char>;

struct Limit {
    double capacity = 0;
    Pairs pairs;
};

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

/// Whether several hosts are on either side.
bool has_several_hosts(const HiddenNetwork& network, const Pairs& pairs) {
    std::set<std::size_t> from;
    std::set<std::size_t> to;
    for (std::size_t i = 0; i < pairs.rows(); ++i)
        for (std::size_t j = 0; j < pairs.columns(); ++j) {
            if (pairs(i, j) == 0) continue;
            from.insert(network.hosts[i].begin(), network.hosts[i].end());
            to.insert(network.hosts[j].begin(), network.hosts[j].end());
        }
    return from.size() > 1 && to.size() > 1;
}

std::vector<Limit> stated_by(const HiddenNetwork& network, const SharingPlan& plan) {
    std::vector<Limit> stated;
    for (const Bottleneck& found : plan.bottlenecks())
        stated.push_back({found.capacity, pairs_of(network, [&](std::size_t i, std::size_t j) {
                              return found.covers(i, j);
                          })});
    return stated;
}

/// The card of a host that is a cluster alone is what the fastest of its streams gets.
std::vector<Limit> lone_cards(const HiddenNetwork& network, const Matrix<double>& paces) {
    std::vector<Limit> cards;
    for (std::size_t c = 0; c < network.hosts.size(); ++c) {
        if (network.hosts[c].size() > 1) continue;
        double out = 0;
        double in = 0;
        for (std::size_t other = 0; other < network.hosts.size(); ++other) {
            out = std::max(out, paces(c, other));
            in = std::max(in, paces(other, c));
        }
        cards.push_back(
            {out, pairs_of(network, [c](std::size_t i, std::size_t) { return i == c; })});
        cards.push_back(
            {in, pairs_of(network, [c](std::size_t, std::size_t j) { return j == c; })});
    }
    return cards;
}

/// Two clusters of which nothing is stated, in one direction or both, are presumed to share what
/// one message gets.
std::vector<Limit> presumed(const HiddenNetwork& network, const std::vector<Limit>& stated,
                            const Matrix<double>& paces) {
    std::vector<Limit> shared;
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            Limit limit{0, Pairs(network.hosts.size(), network.hosts.size(), 0)};
            for (const auto& [from, to] : {ClusterPair(i, j), ClusterPair(j, i)}) {
                if (std::ranges::any_of(stated, [&, from = from, to = to](const Limit& known) {
                        return known.pairs(from, to) != 0;
                    }))
                    continue;
                limit.pairs(from, to) = 1;
                limit.capacity = std::max(limit.capacity, paces(from, to));
            }
            if (limit.capacity > 0) shared.push_back(std::move(limit));
        }
    return shared;
}

void score_capacities(const HiddenNetwork& network, const std::vector<Limit>& truth,
                      const std::vector<Limit>& stated, const Filling& there,
                      const Filling& measured, SitesScore& score) {
    for (std::size_t k = 0; k < truth.size(); ++k) {
        const Pairs& pairs = truth[k].pairs;
        const double total = there.total(pairs);
        if (!has_several_hosts(network, pairs) || near(there.total(pairs, k), total)) continue;
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
}

void score_traffic(const HiddenNetwork& network, const Filling& there, const Filling& measured,
                   Random& random, SitesScore& score) {
    constexpr double most_off = 3;  // where nothing is known
    const auto is_right = [&](const Pairs& pairs) {
        const double found = measured.total(pairs);
        const double true_total = there.total(pairs);
        score.factors += std::min(std::abs(std::log(found / true_total)), most_off);
        return near(found, true_total);
    };
    const std::size_t clusters = network.hosts.size();
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j) {
            if (i == j) continue;
            ++score.pairs;
            const Pairs pair = pairs_of(
                network, [=](std::size_t from, std::size_t to) { return from == i && to == j; });
            score.right += is_right(pair) ? 1U : 0U;
        }
    constexpr int patterns = 20;
    for (int k = 0; k < patterns; ++k) {
        const double chance = random.uniform();
        const Pairs some =
            pairs_of(network, [&](std::size_t, std::size_t) { return random.uniform() < chance; });
        if (count(some) == 0) continue;
        ++score.patterns;
        score.patterns_right += is_right(some) ? 1U : 0U;
    }
}

}  // namespace

void SitesScore::add(const SitesScore& other) {
    capacities += other.capacities;
    found += other.found;
    stated += other.stated;
    invented += other.invented;
    pairs += other.pairs;
    right += other.right;
    patterns += other.patterns;
    patterns_right += other.patterns_right;
    factors += other.factors;
    late += other.late;
}

double SitesScore::usual_factor() const {
    return std::exp(factors / static_cast<double>(pairs + patterns));
}

SitesScore score_sites(SiteKind kind, std::uint64_t seed, const SitesBudget& budget) {
    Random random(seed);
    const HiddenNetwork network = random_sites(kind, random);
    const std::size_t clusters = network.hosts.size();
    double longest = 0;
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j) {
            longest = std::max(longest, network.round_trips(i, j));
            if (i != j) known.alone(i, j) = 0;
        }
    const double until = budget.seconds + budget.round_trips * longest;
    SharingPlan plan(known, network.round_trips, until, {true, 16384});
    const double noise = random.uniform(0.03, 0.08);
    SitesScore score;
    if (measure_hidden(network, plan, random, noise) > until) ++score.late;

    std::vector<Limit> truth;
    for (const auto& capacity : network.capacities)
        truth.push_back({capacity.limit, pairs_of(network, capacity.covers)});
    const std::vector<Limit> stated = stated_by(network, plan);
    const Matrix<double> paces = plan.sure_paces();
    std::vector<Limit> limits = lone_cards(network, paces);
    limits.insert(limits.end(), stated.begin(), stated.end());
    if (!plan.warnings().empty()) {
        const std::vector<Limit> unstated = presumed(network, stated, paces);
        limits.insert(limits.end(), unstated.begin(), unstated.end());
    }
    const Filling there(network, network.stream_limit, truth);
    const Filling measured(network, paces, limits);
    score_capacities(network, truth, stated, there, measured, score);
    score_traffic(network, there, measured, random, score);
    return score;
}

}  // namespace espalier::measure::test
