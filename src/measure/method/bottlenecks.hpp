#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::measure {

/// The bytes per second that a stream of messages between two hosts got, beside the others of its
/// round.
struct StreamRate {
    std::size_t from = 0;  ///< hosts
    std::size_t to = 0;
    std::size_t from_cluster = 0;
    std::size_t to_cluster = 0;
    double rate = 0;
};
using RoundRates = std::vector<StreamRate>;

/// What is known before hosts send at the same time.
struct Surroundings {
    std::vector<std::vector<std::size_t>> hosts;  ///< of each cluster
    std::vector<std::vector<std::size_t>> sites;  ///< clusters that are near each other
    /// Groups of sites with more between them than single sites have, as latencies tell.
    std::vector<std::vector<std::size_t>> groups = {};
    /// The bytes per second that one stream gets alone from cluster to cluster and, on the
    /// diagonal, inside; 0 if it is not known.
    Matrix<double> alone;
    /// What one stream is presumed to get alone where that was not measured, as far as its ends
    /// allow; 0 where nothing is presumed, and empty where that is everywhere.
    Matrix<double> presumed;
    /// Whether pairs are presumed to share what one stream gets alone, unless more was seen.
    bool pairs_share_alone = false;
    /// From cluster to cluster, in seconds; empty where all are alike.
    Matrix<double> round_trips = {};

    [[nodiscard]] bool presumes() const { return presumed.rows() > 0; }
    /// What one stream gets alone, measured or presumed; 0 if neither.
    [[nodiscard]] double pace(std::size_t from, std::size_t to) const {
        if (alone(from, to) > 0 || !presumes()) return alone(from, to);
        return presumed(from, to);
    }
    [[nodiscard]] std::size_t clusters() const { return hosts.size(); }
    [[nodiscard]] std::vector<std::size_t> site_of_clusters() const;
};

using ClusterPair = std::pair<std::size_t, std::size_t>;  ///< from, to

/// A capacity that messages from one set of clusters to another share.
struct Bottleneck {
    /// Where the capacity lies: on the path out of `from`, on the path in to `to`, between the two,
    /// or in the middle of all.
    enum class Place { out, in, between, middle };
    std::vector<std::size_t> from;  ///< clusters, increasing
    std::vector<std::size_t> to;    ///< clusters, increasing; none of `from`, but in the middle
    bool both = false;              ///< messages the other way, too
    Place place = Place::between;
    double capacity = 0;     ///< bytes per second
    double apart = 0;        ///< what its parts reached at their best, added up
    std::size_t rounds = 0;  ///< in which it was full
    /// Of a middle: messages between any two of these groups of clusters share it. Else none.
    std::vector<std::vector<std::size_t>> groups = {};

    [[nodiscard]] bool covers(std::size_t from_cluster, std::size_t to_cluster) const;
    /// Whether all pairs that share the other one share this one, too.
    [[nodiscard]] bool covers(const Bottleneck& other) const;
    /// All ordered pairs of clusters that share it.
    [[nodiscard]] std::vector<ClusterPair> pairs() const;
};

struct Explanation {
    std::vector<Bottleneck> bottlenecks;
    /// Whether nothing is known that held the stream back, by round and stream.
    std::vector<std::vector<bool>> unexplained;
};

/// The capacities that tell best what streams got. In every round something holds each flow (the
/// streams from one cluster to another) back: the ports of hosts, what single streams get alone, or
/// a capacity that is full, of which no flow that crosses it gets clearly more than its share. How
/// well a capacity, which can carry about the most that it was seen to, holds a flow back is a
/// matter of how full it is and of how much others got of it; a flow that nothing holds back costs
/// a constant, and so does each capacity that is stated, and each kind of them of which most
/// networks have none: these are negative logarithms of likelihoods, and the sum of all is made
/// least by a local search.
[[nodiscard]] Explanation explain(const Surroundings& surroundings,
                                  const std::vector<RoundRates>& rounds);

}  // namespace espalier::measure
