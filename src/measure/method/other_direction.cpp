#include "measure/method/other_direction.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

/// Noise does not exceed a capacity by more than this factor.
constexpr double clearly_more = 1.1;

Bottleneck reverse(const Bottleneck& bottleneck) {
    using Place = Bottleneck::Place;
    Bottleneck other = bottleneck;
    std::swap(other.from, other.to);
    if (bottleneck.place == Place::out) other.place = Place::in;
    if (bottleneck.place == Place::in) other.place = Place::out;
    other.rounds = 0;
    return other;
}

/// The most that streams across it were seen to get, one alone or several in a round.
double most_seen(const Surroundings& surroundings, const std::vector<RoundRates>& rounds,
                 const Bottleneck& bottleneck) {
    double most = 0;
    for (const auto& [from, to] : bottleneck.pairs())
        most = std::max(most, surroundings.alone(from, to));
    for (const RoundRates& round : rounds) {
        double total = 0;
        for (const StreamRate& stream : round)
            if (bottleneck.covers(stream.from_cluster, stream.to_cluster)) total += stream.rate;
        most = std::max(most, total);
    }
    return most;
}

}  // namespace

std::vector<Bottleneck> with_other_directions(const Surroundings& surroundings,
                                              const std::vector<RoundRates>& rounds,
                                              std::vector<Bottleneck> certain,
                                              const std::vector<Bottleneck>& doubtful) {
    const std::size_t known = certain.size();
    for (std::size_t k = 0; k < known; ++k) {
        if (certain[k].both) continue;
        Bottleneck other = reverse(certain[k]);
        const auto pairs = other.pairs();
        if (std::ranges::any_of(certain, [&](const Bottleneck& one) { return one.covers(other); }))
            continue;
        const auto seen = std::ranges::find_if(
            doubtful, [&](const Bottleneck& one) { return one.pairs() == pairs; });
        if (seen != doubtful.end())
            certain.push_back(*seen);
        else if (most_seen(surroundings, rounds, other) <= clearly_more * other.capacity)
            certain.push_back(std::move(other));
    }
    return certain;
}

std::vector<Bottleneck> with_pairs(const Surroundings& surroundings,
                                   const std::vector<RoundRates>& rounds,
                                   std::vector<Bottleneck> certain) {
    /// Whether all that is known of the path would let it carry clearly more.
    const auto seems_wider = [&](std::size_t from, std::size_t to, double capacity) {
        double least = infinity;
        for (const Bottleneck& common : certain)
            if (common.covers(from, to)) least = std::min(least, common.capacity);
        return least < infinity && least > clearly_more * capacity;
    };
    std::vector<Bottleneck> pairs;
    for (std::size_t i = 0; i < surroundings.clusters(); ++i)
        for (std::size_t j = i + 1; j < surroundings.clusters(); ++j) {
            Bottleneck pair{.from = {i}, .to = {j}, .both = true};
            pair.capacity = pair.apart = most_seen(surroundings, rounds, pair);
            if (seems_wider(i, j, pair.capacity) || seems_wider(j, i, pair.capacity))
                pairs.push_back(std::move(pair));
        }
    certain.insert(certain.end(), pairs.begin(), pairs.end());
    return certain;
}

}  // namespace espalier::measure
