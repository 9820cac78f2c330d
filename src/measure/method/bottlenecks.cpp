#include "measure/method/bottlenecks.hpp"

#include "core/statistics.hpp"
#include "measure/method/candidates.hpp"
#include "measure/method/evidence.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace espalier::measure {

namespace {

/// A stream that gets this part of what it gets alone was not held back.
constexpr double undisturbed = 0.85;
/// Streams that together get less than this part of what they get apart share a capacity.
constexpr double together = 0.85;
/// Streams that get at least this part of the best of them are not disturbed.
constexpr double undiminished = 0.95;
/// What gets less than this part of what the fastest of those that cross a full capacity get is
/// held back elsewhere, more or less.
constexpr double fair_part = 0.5;
/// What a capacity has to explain at least, beyond the others: so much of a round of one pair of
/// clusters.
constexpr double cost_of_capacity = 0.5;

class Explainer {
public:
    Explainer(const Surroundings& surroundings, const std::vector<RoundRates>& rounds)
        : surroundings_(surroundings), rounds_(rounds), seen_(surroundings, rounds) {}

    Explanation run(std::size_t least_rounds);

private:
    /// The streams from one cluster to another in a round, of which some were slower than alone.
    struct Observation {
        ClusterPair pair;
        double shortfall = 0;  ///< of the mean of them, relative
        double pace = 0;       ///< of the same, bytes per second
    };
    /// By round and observation: to what part it is explained.
    using Explained = std::vector<std::vector<double>>;
    struct Candidate {
        Bottleneck bottleneck;
        double limit = 0;
        Explained explains;
        bool one_fills = false;
    };

    void find_shortfalls();
    void use_ports();
    void observe();
    [[nodiscard]] Explained explained_by(const Bottleneck& bottleneck, double limit) const;
    void consider(const Bottleneck& bottleneck);
    void search(std::size_t least_rounds);
    void search(const std::vector<std::size_t>& open);
    [[nodiscard]] bool is_of_one_site(const Bottleneck& bottleneck) const;
    [[nodiscard]] Explained explained_without(std::size_t which) const;
    [[nodiscard]] static double gain(const Candidate& candidate, const Explained& known);
    [[nodiscard]] bool is_seen_in(std::size_t least_rounds, const Candidate& candidate) const;
    void conclude(Candidate& chosen);

    [[nodiscard]] std::vector<ClusterPair> unexplained() const;
    [[nodiscard]] double alone(const StreamRate& stream) const {
        return surroundings_.pace(stream.from_cluster, stream.to_cluster);
    }

    const Surroundings& surroundings_;
    const std::vector<RoundRates>& rounds_;
    Evidence seen_;
    std::vector<std::vector<double>> shortfalls_;  ///< not explained yet, relative
    std::vector<std::vector<Observation>> observed_;
    std::vector<Candidate> candidates_;
    std::vector<std::size_t> chosen_;  ///< of the candidates
    Explanation found_;
};

/// Finds by how much less than alone each stream got.
void Explainer::find_shortfalls() {
    for (const RoundRates& round : rounds_) {
        auto& shortfalls = shortfalls_.emplace_back();
        for (const StreamRate& stream : round) {
            const double share = alone(stream) > 0 ? stream.rate / alone(stream) : 1;
            shortfalls.push_back(share < undisturbed ? 1 - share : 0);
        }
    }
}

/// Explains streams of a host that together reach what the host does at its best.
void Explainer::use_ports() {
    const std::size_t clusters = surroundings_.clusters();
    std::vector<double> out(clusters, 0);
    std::vector<double> in(clusters, 0);
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j) {
            out[i] = std::max(out[i], surroundings_.alone(i, j));
            in[j] = std::max(in[j], surroundings_.alone(i, j));
        }
    const auto sum = [](const RoundRates& round, std::size_t host, auto end) {
        double rate = 0;
        for (const StreamRate& stream : round)
            if (stream.*end == host) rate += stream.rate;
        return rate;
    };
    for (const RoundRates& round : rounds_)
        for (const StreamRate& stream : round) {
            out[stream.from_cluster] =
                std::max(out[stream.from_cluster], sum(round, stream.from, &StreamRate::from));
            in[stream.to_cluster] =
                std::max(in[stream.to_cluster], sum(round, stream.to, &StreamRate::to));
        }
    const auto several = [](const RoundRates& round, std::size_t host, auto end) {
        return std::count_if(round.begin(), round.end(),
                             [&](const StreamRate& s) { return s.*end == host; }) > 1;
    };
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        for (std::size_t k = 0; k < rounds_[r].size(); ++k) {
            const StreamRate& stream = rounds_[r][k];
            if ((several(rounds_[r], stream.from, &StreamRate::from) &&
                 sum(rounds_[r], stream.from, &StreamRate::from) >=
                     Evidence::full * out[stream.from_cluster]) ||
                (several(rounds_[r], stream.to, &StreamRate::to) &&
                 sum(rounds_[r], stream.to, &StreamRate::to) >=
                     Evidence::full * in[stream.to_cluster]))
                shortfalls_[r][k] = 0;
        }
}

/// The clusters of the streams that nothing explains yet.
std::vector<ClusterPair> Explainer::unexplained() const {
    std::vector<ClusterPair> open;
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        for (std::size_t k = 0; k < rounds_[r].size(); ++k)
            if (shortfalls_[r][k] > 0)
                open.emplace_back(rounds_[r][k].from_cluster, rounds_[r][k].to_cluster);
    return open;
}

void Explainer::observe() {
    struct Sum {
        double shortfall = 0;
        double rate = 0;
        double streams = 0;
    };
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        std::map<ClusterPair, Sum> pairs;
        for (std::size_t k = 0; k < rounds_[r].size(); ++k) {
            Sum& sum = pairs[{rounds_[r][k].from_cluster, rounds_[r][k].to_cluster}];
            sum.shortfall += shortfalls_[r][k];
            sum.rate += rounds_[r][k].rate;
            ++sum.streams;
        }
        auto& observed = observed_.emplace_back();
        for (const auto& [pair, sum] : pairs)
            if (sum.shortfall > 0)
                observed.push_back({pair, sum.shortfall / sum.streams, sum.rate / sum.streams});
    }
}

/// What a capacity explains that can carry `limit`: the shortfalls of those that cross it while it
/// carries nearly that, as far as they get their share of it.
Explainer::Explained Explainer::explained_by(const Bottleneck& bottleneck, double limit) const {
    Explained explained;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        const double missing = 1 - seen_.total(r, bottleneck) / limit;
        // The first half of what a full capacity may lack is noise.
        const double fit = std::clamp(2 - 2 * missing / (1 - Evidence::full), 0.0, 1.0);
        const auto crosses = [&](const Observation& one) {
            return bottleneck.covers(one.pair.first, one.pair.second);
        };
        double fastest = 0;
        for (const Observation& one : observed_[r])
            if (crosses(one)) fastest = std::max(fastest, one.pace);
        auto& parts = explained.emplace_back();
        for (const Observation& one : observed_[r]) {
            const double fair = one.pace < fair_part * fastest ? one.pace / fastest / fair_part : 1;
            parts.push_back(crosses(one) ? fit * fair * one.shortfall : 0);
        }
    }
    return explained;
}

/// Adds it to the candidates if it may be one.
void Explainer::consider(const Bottleneck& bottleneck) {
    Candidate candidate{bottleneck, seen_.most(bottleneck), {}};
    // Where nothing arrived in time, it is not known why.
    if (candidate.limit <= 0 || !seen_.widely_used(bottleneck, candidate.limit)) return;
    // What its ends share with others is likelier.
    if (surroundings_.presumes() && bottleneck.place == Bottleneck::Place::between &&
        !seen_.seen_by_itself(bottleneck, candidate.limit))
        return;
    candidate.bottleneck.apart = seen_.apart(bottleneck).sum;
    if (candidate.limit >= together * candidate.bottleneck.apart) return;
    candidate.one_fills = seen_.fastest_alone(bottleneck) >= Evidence::full * candidate.limit;
    candidate.explains = explained_by(bottleneck, candidate.limit);
    candidates_.push_back(std::move(candidate));
}

/// What all that are chosen explain, but one.
Explainer::Explained Explainer::explained_without(std::size_t which) const {
    Explained known;
    for (const auto& observed : observed_) known.emplace_back(observed.size(), 0);
    for (const std::size_t other : chosen_)
        for (std::size_t r = 0; other != which && r < known.size(); ++r)
            for (std::size_t k = 0; k < known[r].size(); ++k)
                known[r][k] = std::max(known[r][k], candidates_[other].explains[r][k]);
    return known;
}

/// What it explains beyond what is known.
double Explainer::gain(const Candidate& candidate, const Explained& known) {
    double sum = 0;
    for (std::size_t r = 0; r < known.size(); ++r)
        for (std::size_t k = 0; k < known[r].size(); ++k)
            sum += std::max(candidate.explains[r][k] - known[r][k], 0.0);
    return sum;
}

/// Whether it would explain enough without all but one of as many rounds: those that tell most of
/// it, which say what it can carry.
bool Explainer::is_seen_in(std::size_t least_rounds, const Candidate& candidate) const {
    std::vector<double> rounds;
    const bool middle = candidate.bottleneck.place == Bottleneck::Place::middle;
    // Of all sites, the same rounds the other way tell no more.
    std::map<std::set<ClusterPair>, std::size_t> alike;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        std::set<ClusterPair> pairs;
        for (const StreamRate& stream : rounds_[r])
            pairs.insert(std::minmax(stream.from_cluster, stream.to_cluster));
        const auto [which, is_new] = alike.try_emplace(pairs, rounds.size());
        if (is_new || !middle) rounds.push_back(0);
        double& round = middle ? rounds[which->second] : rounds.back();
        for (const double part : candidate.explains[r]) round += part;
    }
    // The totals of halves may agree by chance.
    if (middle) least_rounds = convincing + 1;
    if (candidate.one_fills && least_rounds == convincing) --least_rounds;
    std::ranges::sort(rounds, std::greater<>());
    double sum = 0;
    for (std::size_t r = least_rounds - 1; r < rounds.size(); ++r) sum += rounds[r];
    return sum >= cost_of_capacity;
}

/// Whether it lies at one end of a site, or in the middle of all: that is where most capacities
/// are.
bool Explainer::is_of_one_site(const Bottleneck& bottleneck) const {
    if (bottleneck.place == Bottleneck::Place::middle) return true;
    const auto of_one = [&](const std::vector<std::size_t>& clusters) {
        return std::ranges::any_of(surroundings_.sites, [&](const auto& site) {
            return std::ranges::includes(site, clusters);
        });
    };
    return of_one(bottleneck.from) || of_one(bottleneck.to);
}

/// Of those that were full in so many rounds. What single sites can carry may explain what a group
/// of them carries, so that it comes first.
void Explainer::search(std::size_t least_rounds) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
        if (is_seen_in(least_rounds, candidates_[k])) open.push_back(k);
    std::vector<std::size_t> of_one_site;
    std::ranges::copy_if(open, std::back_inserter(of_one_site),
                         [&](std::size_t k) { return is_of_one_site(candidates_[k].bottleneck); });
    search(of_one_site);
    search(open);
}

/// Takes the candidate that explains most beyond the others, again and again, and gives up those
/// that are needed no longer.
void Explainer::search(const std::vector<std::size_t>& open) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    for (;;) {
        const Explained known = explained_without(none);
        double best = cost_of_capacity;
        std::size_t which = none;
        for (const std::size_t k : open) {
            const double gain = this->gain(candidates_[k], known);
            if (gain <= best) continue;
            best = gain;
            which = k;
        }
        if (which == none) return;
        chosen_.push_back(which);
        for (std::size_t k = 0; k < chosen_.size();) {
            if (gain(candidates_[chosen_[k]], explained_without(chosen_[k])) < cost_of_capacity)
                chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(k));
            else
                ++k;
        }
    }
}

/// Says what the capacity can carry, and that it explains what crossed it while it was full.
void Explainer::conclude(Candidate& chosen) {
    Bottleneck& bottleneck = chosen.bottleneck;
    std::vector<double> carried;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        if (!seen_.fills(r, bottleneck, chosen.limit)) continue;
        bool held_back = false;
        for (std::size_t k = 0; k < rounds_[r].size(); ++k) {
            const StreamRate& stream = rounds_[r][k];
            if (!bottleneck.covers(stream.from_cluster, stream.to_cluster)) continue;
            held_back = held_back || stream.rate < undisturbed * alone(stream);
            shortfalls_[r][k] = 0;
        }
        if (held_back) carried.push_back(seen_.total(r, bottleneck));
    }
    bottleneck.rounds = carried.size();
    if (chosen.one_fills) {
        ++bottleneck.rounds;
        carried.push_back(seen_.fastest_alone(bottleneck));
    }
    // What disturbs only takes away; but on a noisy clock bursts also add to some.
    const double greatest = *std::max_element(carried.begin(), carried.end());
    if (!surroundings_.presumes())
        std::erase_if(carried, [&](double rate) { return rate < undiminished * greatest; });
    bottleneck.capacity = median(carried);
    found_.bottlenecks.push_back(std::move(bottleneck));
}

Explanation Explainer::run(std::size_t least_rounds) {
    find_shortfalls();
    use_ports();
    observe();
    const std::vector<Bottleneck> plain = plain_candidates(surroundings_, unexplained());
    for (const Bottleneck& candidate : plain) consider(candidate);
    for (const Bottleneck& candidate : both_ways(plain)) consider(candidate);
    search(convincing);
    if (!surroundings_.presumes()) {
        std::vector<Bottleneck> known;
        for (const std::size_t k : chosen_) known.push_back(candidates_[k].bottleneck);
        for (const Bottleneck& candidate : joined_candidates(surroundings_, known))
            consider(candidate);
        search(convincing);
    }
    if (least_rounds < convincing) search(least_rounds);
    for (const std::size_t k : chosen_) conclude(candidates_[k]);
    for (const auto& round : shortfalls_) {
        auto& flags = found_.unexplained.emplace_back();
        for (const double shortfall : round) flags.push_back(shortfall > 0);
    }
    return std::move(found_);
}

}  // namespace

std::vector<std::size_t> Surroundings::site_of_clusters() const {
    std::vector<std::size_t> site_of(clusters());
    for (std::size_t s = 0; s < sites.size(); ++s)
        for (const std::size_t c : sites[s]) site_of[c] = s;
    return site_of;
}

bool Bottleneck::covers(std::size_t from_cluster, std::size_t to_cluster) const {
    const auto holds = [](const auto& clusters, std::size_t cluster) {
        return std::ranges::binary_search(clusters, cluster);
    };
    if (place == Place::middle) {
        const auto group = [&](std::size_t cluster) {
            return std::ranges::find_if(
                groups, [&](const auto& clusters) { return holds(clusters, cluster); });
        };
        const auto sender = group(from_cluster);
        const auto receiver = group(to_cluster);
        return sender != receiver && sender != groups.end() && receiver != groups.end();
    }
    return (holds(from, from_cluster) && holds(to, to_cluster)) ||
           (both && holds(to, from_cluster) && holds(from, to_cluster));
}

bool Bottleneck::covers(const Bottleneck& other) const {
    return std::ranges::all_of(
        other.pairs(), [&](const ClusterPair& pair) { return covers(pair.first, pair.second); });
}

std::vector<ClusterPair> Bottleneck::pairs() const {
    std::vector<ClusterPair> all;
    for (const std::size_t i : from)
        for (const std::size_t j : to) {
            if (!covers(i, j)) continue;
            all.emplace_back(i, j);
            if (both) all.emplace_back(j, i);
        }
    std::sort(all.begin(), all.end());
    return all;
}

bool Explanation::complete() const {
    return std::all_of(unexplained.begin(), unexplained.end(), [](const auto& round) {
        return std::none_of(round.begin(), round.end(), [](bool open) { return open; });
    });
}

Explanation explain(const Surroundings& surroundings, const std::vector<RoundRates>& rounds,
                    std::size_t least_rounds) {
    return Explainer(surroundings, rounds).run(least_rounds);
}

}  // namespace espalier::measure
