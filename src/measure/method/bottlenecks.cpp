#include "measure/method/bottlenecks.hpp"

#include "core/statistics.hpp"
#include "measure/method/candidates.hpp"
#include "measure/method/evidence.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

/// A stream that gets this part of what it gets alone was not held back.
constexpr double undisturbed = 0.85;
/// Streams that together get less than this part of what they get apart share a capacity.
constexpr double together = 0.85;
/// Streams that get at least this part of the best of them are not disturbed.
constexpr double undiminished = 0.95;
/// A capacity that is no less than this part of one that covers it as well says nothing new.
constexpr double no_less = 0.93;
/// The most by which an unusual candidate may exceed the best of its parts, so that one part can
/// nearly fill it.
constexpr double one_fills = 1.15;
/// The least unexplained part of a stream's shortfall for which a capacity is added.
constexpr double least_merit = 0.2;

class Explainer {
public:
    Explainer(const Surroundings& surroundings, const std::vector<RoundRates>& rounds)
        : surroundings_(surroundings), rounds_(rounds), seen_(surroundings, rounds) {}

    Explanation run(bool usual_only);

private:
    void find_shortfalls();
    void use_ports();
    /// How readily a candidate is believed. With much care, it is believed only if one of its parts
    /// can fill it by itself.
    enum class Care { little, much };
    void cover(const std::vector<Bottleneck>& candidates, Care care);
    void drop_redundant();
    void drop_needless();
    [[nodiscard]] bool explains(const Bottleneck& bottleneck, std::size_t round,
                                std::size_t stream) const;

    [[nodiscard]] std::vector<ClusterPair> unexplained() const;

    [[nodiscard]] double merit(const Bottleneck& candidate, double limit) const;
    [[nodiscard]] double alone(const StreamRate& stream) const {
        return surroundings_.pace(stream.from_cluster, stream.to_cluster);
    }

    const Surroundings& surroundings_;
    const std::vector<RoundRates>& rounds_;
    Evidence seen_;
    std::vector<std::vector<double>> shortfalls_;  ///< not explained yet, relative
    std::vector<std::vector<bool>> held_back_;     ///< had a shortfall that ports don't explain
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

/// How much of what is still unexplained the candidate explains.
double Explainer::merit(const Bottleneck& candidate, double limit) const {
    double sum = 0;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        if (!seen_.fills(r, candidate, limit)) continue;
        for (std::size_t k = 0; k < rounds_[r].size(); ++k)
            if (candidate.covers(rounds_[r][k].from_cluster, rounds_[r][k].to_cluster))
                sum += shortfalls_[r][k];
    }
    return sum;
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

/// Takes the candidate that explains most, again and again.
void Explainer::cover(const std::vector<Bottleneck>& candidates, Care care) {
    struct Choice {
        Bottleneck bottleneck;
        double limit = 0;
    };
    std::vector<Choice> open;
    for (const Bottleneck& candidate : candidates) {
        Choice choice{candidate, seen_.most(candidate)};
        // Where nothing arrived in time, it is not known why.
        if (choice.limit <= 0 || merit(candidate, choice.limit) < least_merit) continue;
        const Evidence::Apart parts = seen_.apart(candidate);
        choice.bottleneck.apart = parts.sum;
        if (!seen_.widely_used(candidate, choice.limit)) continue;
        // What its ends share with others is likelier.
        if (surroundings_.presumes() && candidate.place == Bottleneck::Place::between &&
            !seen_.seen_by_itself(candidate, choice.limit))
            continue;
        if (choice.limit >= together * parts.sum) continue;
        if (care == Care::much && choice.limit > one_fills * parts.greatest) continue;
        open.push_back(std::move(choice));
    }
    while (!open.empty()) {
        double best = 0;
        std::size_t which = 0;
        for (std::size_t k = 0; k < open.size(); ++k) {
            const double explained = merit(open[k].bottleneck, open[k].limit);
            if (explained <= best * 1.001) continue;
            best = explained;
            which = k;
        }
        if (best < least_merit) return;
        Choice chosen = std::move(open[which]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        std::vector<double> carried;
        for (std::size_t r = 0; r < rounds_.size(); ++r) {
            if (!seen_.fills(r, chosen.bottleneck, chosen.limit)) continue;
            bool held_back = false;
            for (std::size_t k = 0; k < rounds_[r].size(); ++k) {
                const StreamRate& stream = rounds_[r][k];
                if (!chosen.bottleneck.covers(stream.from_cluster, stream.to_cluster)) continue;
                held_back = held_back || stream.rate < undisturbed * alone(stream);
                shortfalls_[r][k] = 0;
            }
            if (held_back) carried.push_back(seen_.total(r, chosen.bottleneck));
        }
        chosen.bottleneck.rounds = carried.size();
        if (const double alone = seen_.fastest_alone(chosen.bottleneck);
            alone >= Evidence::full * chosen.limit) {
            ++chosen.bottleneck.rounds;
            carried.push_back(alone);
        }
        // What disturbs only takes away; but where windows are told, bursts also add to some.
        const double greatest = *std::max_element(carried.begin(), carried.end());
        if (!surroundings_.presumes())
            std::erase_if(carried, [&](double rate) { return rate < undiminished * greatest; });
        chosen.bottleneck.capacity = median(carried);
        found_.bottlenecks.push_back(std::move(chosen.bottleneck));
    }
}

bool Explainer::explains(const Bottleneck& bottleneck, std::size_t round,
                         std::size_t stream) const {
    return bottleneck.covers(rounds_[round][stream].from_cluster,
                             rounds_[round][stream].to_cluster) &&
           seen_.fills(round, bottleneck, seen_.most(bottleneck));
}

/// Drops what later finds explain as well, the one that was seen least first.
void Explainer::drop_needless() {
    auto& all = found_.bottlenecks;
    std::stable_sort(all.begin(), all.end(),
                     [](const Bottleneck& a, const Bottleneck& b) { return a.rounds < b.rounds; });
    for (std::size_t k = 0; k < all.size();) {
        bool needed = false;
        for (std::size_t r = 0; r < rounds_.size() && !needed; ++r)
            for (std::size_t s = 0; s < rounds_[r].size() && !needed; ++s)
                needed = held_back_[r][s] && explains(all[k], r, s) &&
                         std::none_of(all.begin(), all.end(), [&](const Bottleneck& other) {
                             return &other != &all[k] && explains(other, r, s);
                         });
        if (needed)
            ++k;
        else
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

/// Drops a capacity that lies inside another one that is no greater.
void Explainer::drop_redundant() {
    auto& all = found_.bottlenecks;
    for (std::size_t k = 0; k < all.size();) {
        const bool implied = std::any_of(all.begin(), all.end(), [&](const Bottleneck& other) {
            return &other != &all[k] && all[k].capacity >= no_less * other.capacity &&
                   other.covers(all[k]);
        });
        if (implied)
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        else
            ++k;
    }
}

Explanation Explainer::run(bool usual_only) {
    find_shortfalls();
    use_ports();
    for (const auto& round : shortfalls_) {
        auto& flags = held_back_.emplace_back();
        for (const double shortfall : round) flags.push_back(shortfall > 0);
    }
    const std::vector<Bottleneck> plain = plain_candidates(surroundings_, unexplained());
    cover(plain, Care::little);
    if (!usual_only) cover(both_ways(plain), Care::much);
    constexpr int most_joins = 4;
    for (int join = 0; !usual_only && join < most_joins && !unexplained().empty(); ++join) {
        const std::size_t before = found_.bottlenecks.size();
        cover(joined_candidates(surroundings_, found_.bottlenecks), Care::much);
        if (found_.bottlenecks.size() == before) break;
    }
    drop_redundant();
    drop_needless();
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
                    bool usual_only) {
    return Explainer(surroundings, rounds).run(usual_only);
}

}  // namespace espalier::measure
