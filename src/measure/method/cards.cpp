#include "measure/method/cards.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace espalier::measure {

namespace {

/// Cards that differ by less than this factor are alike.
constexpr double clearly_faster = 1.5;
/// How far on in the cluster the ring's next host is: two slow neighbours of one ring are none of
/// another.
constexpr std::size_t first_step = 1;
constexpr std::size_t second_step = 2;
constexpr std::size_t least_ring = 4;
/// Messages are as long as they should be for such a card, in bytes per second: some of them arrive
/// even where it is a tenth of that, and where it is ten times as fast they do not hold it up.
constexpr double some_card = 25e6;

std::vector<StreamEnds> ring(const std::vector<std::vector<std::size_t>>& clusters,
                             std::size_t step) {
    std::vector<StreamEnds> ends;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const auto& hosts = clusters[c];
        for (std::size_t k = 0; hosts.size() >= least_ring && k < hosts.size(); ++k)
            ends.push_back({hosts[k], hosts[(k + step) % hosts.size()], c, c});
    }
    return ends;
}

}  // namespace

std::vector<StreamRound> plan_cards(const std::vector<std::vector<std::size_t>>& clusters,
                                    const LatencyMatrix& latencies) {
    const Matrix<double> paces(clusters.size(), clusters.size(), some_card);
    Matrix<double> round_trips(clusters.size(), clusters.size(), 0);
    for (std::size_t c = 0; c < clusters.size(); ++c)
        if (const auto& hosts = clusters[c]; hosts.size() >= least_ring)
            round_trips(c, c) = 2 * latencies(hosts[0], hosts[1]).value_or(0);
    std::vector<StreamRound> rounds;
    for (const std::size_t step : {first_step, second_step}) {
        const std::vector<StreamEnds> ends = ring(clusters, step);
        if (ends.empty()) return {};
        StreamRound round = make_round(ends, StreamKind::beside_others, paces, round_trips,
                                       std::numeric_limits<std::uint64_t>::max());
        if (!rounds.empty()) round.begins = duration(rounds.back());
        rounds.push_back(std::move(round));
    }
    return rounds;
}

std::vector<std::vector<std::size_t>> split_by_cards(
    const std::vector<std::vector<std::size_t>>& clusters, const std::vector<StreamRound>& rounds,
    const std::vector<RoundWindows>& rates) {
    std::map<std::size_t, double> card;
    for (std::size_t r = 0; r < rounds.size(); ++r)
        for (std::size_t k = 0; k < rounds[r].streams.size(); ++k) {
            const double rate = *std::ranges::max_element(rates[r][k]);
            for (const std::size_t host :
                 {rounds[r].streams[k].ends.from, rounds[r].streams[k].ends.to})
                card[host] = std::max(card[host], rate);
        }
    std::vector<std::vector<std::size_t>> found;
    for (std::vector<std::size_t> hosts : clusters) {
        std::ranges::stable_sort(hosts,
                                 [&](std::size_t a, std::size_t b) { return card[a] > card[b]; });
        std::vector<std::vector<std::size_t>> alike;
        for (std::size_t k = 0; k < hosts.size(); ++k) {
            if (k == 0 || card[hosts[k - 1]] > clearly_faster * card[hosts[k]])
                alike.emplace_back();
            alike.back().push_back(hosts[k]);
        }
        for (auto& group : alike) {
            std::ranges::sort(group);
            found.push_back(std::move(group));
        }
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace espalier::measure
