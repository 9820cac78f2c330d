#include "measure/method/evidence.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace espalier::measure {

Evidence::Evidence(const Surroundings& surroundings, const std::vector<RoundRates>& rounds)
    : surroundings_(surroundings), rounds_(rounds), site_of_(surroundings.site_of_clusters()) {
    for (const RoundRates& round : rounds) {
        std::map<ClusterPair, double> rates;
        for (const StreamRate& stream : round)
            rates[{stream.from_cluster, stream.to_cluster}] += stream.rate;
        auto& pairs = pairs_.emplace_back();
        for (const auto& [pair, rate] : rates) pairs.push_back({pair.first, pair.second, rate});
    }
}

double Evidence::total(std::size_t round, const Bottleneck& candidate) const {
    double rate = 0;
    for (const PairRate& pair : pairs_[round])
        if (candidate.covers(pair.from, pair.to)) rate += pair.rate;
    return rate;
}

double Evidence::fastest_alone(const Bottleneck& candidate) const {
    double rate = 0;
    for (const std::size_t i : candidate.from)
        for (const std::size_t j : candidate.to) {
            if (!candidate.covers(i, j)) continue;
            rate = std::max(rate, surroundings_.alone(i, j));
            if (candidate.both) rate = std::max(rate, surroundings_.alone(j, i));
        }
    return rate;
}

double Evidence::most(const Bottleneck& candidate) const {
    double rate = fastest_alone(candidate);
    for (std::size_t r = 0; r < rounds_.size(); ++r) rate = std::max(rate, total(r, candidate));
    return rate;
}

/// Divides the clusters by site if they are of several sites, else into single clusters.
std::vector<Evidence::Clusters> Evidence::parts(const Clusters& clusters) const {
    std::vector<Clusters> by_site(surroundings_.sites.size());
    for (const std::size_t c : clusters) by_site[site_of_[c]].push_back(c);
    std::erase_if(by_site, [](const Clusters& part) { return part.empty(); });
    if (by_site.size() > 1) return by_site;
    std::vector<Clusters> each;
    for (const std::size_t c : clusters) each.push_back({c});
    return each;
}

/// The sum of what single streams between the hosts that took part get alone, one on each host.
double Evidence::hosts_apart(const Bottleneck& candidate) const {
    std::size_t hosts = 1;
    for (const RoundRates& round : rounds_) {
        std::set<std::size_t> from;
        std::set<std::size_t> to;
        for (const StreamRate& stream : round) {
            if (!candidate.covers(stream.from_cluster, stream.to_cluster)) continue;
            from.insert(stream.from);
            to.insert(stream.to);
        }
        hosts = std::max(hosts, std::min(from.size(), to.size()));
    }
    return static_cast<double>(hosts) *
           surroundings_.pace(candidate.from.front(), candidate.to.front());
}

/// What a piece of the candidate can carry without the others.
double Evidence::potential(const Bottleneck& piece, const Bottleneck& candidate) const {
    const double seen = most(piece);
    if (!surroundings_.presumes()) return seen;
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        if (const double all = total(r, candidate);
            all > 0 && total(r, piece) == all && is_by_itself(r, piece))
            return seen;
    return std::max(seen, hosts_apart(piece));
}

double Evidence::apart(const Bottleneck& candidate) const {
    if (!candidate.both && candidate.from.size() == 1 && candidate.to.size() == 1)
        return hosts_apart(candidate);
    double least = infinity;
    const auto divide = [&](const std::vector<Bottleneck>& pieces) {
        if (pieces.size() < 2) return;
        double sum = 0;
        for (const Bottleneck& piece : pieces) sum += potential(piece, candidate);
        least = std::min(least, sum);
    };
    if (candidate.both) {
        divide({{candidate.from, candidate.to, false}, {candidate.to, candidate.from, false}});
        return least;
    }
    const auto without = [&](Clusters clusters, const Clusters& part) {
        if (candidate.place == Bottleneck::Place::middle)
            std::erase_if(clusters,
                          [&](std::size_t c) { return std::ranges::binary_search(part, c); });
        return clusters;
    };
    std::vector<Bottleneck> pieces;
    for (const Clusters& part : parts(candidate.from))
        pieces.push_back({part, without(candidate.to, part), false});
    divide(pieces);
    pieces.clear();
    for (const Clusters& part : parts(candidate.to))
        pieces.push_back({without(candidate.from, part), part, false});
    divide(pieces);
    return least;
}

std::optional<ClusterPair> Evidence::sole_pair(const Bottleneck& capacity) const {
    std::set<ClusterPair> crossing;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        if (total(r, capacity) < full * capacity.capacity) continue;
        for (const PairRate& pair : pairs_[r])
            if (capacity.covers(pair.from, pair.to))
                crossing.emplace(site_of_[pair.from], site_of_[pair.to]);
    }
    if (crossing.size() != 1) return std::nullopt;
    return *crossing.begin();
}

bool Evidence::is_by_itself(std::size_t round, const Bottleneck& candidate) const {
    return std::ranges::all_of(pairs_[round], [&](const PairRate& pair) {
        return candidate.covers(pair.from, pair.to) ||
               (!std::ranges::binary_search(candidate.from, pair.from) &&
                !std::ranges::binary_search(candidate.to, pair.to));
    });
}

}  // namespace espalier::measure
