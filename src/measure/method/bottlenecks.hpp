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
    /// The bytes per second that one stream gets alone from cluster to cluster and, on the
    /// diagonal, inside; 0 if it is not known.
    Matrix<double> alone;
    /// What one stream is presumed to get alone where that was not measured, as far as its ends
    /// allow; 0 where nothing is presumed, and empty where that is everywhere.
    Matrix<double> presumed;

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
    /// Where the capacity lies: on the path out of `from`, on the path in to `to`, or between the
    /// two.
    enum class Place { out, in, between };
    std::vector<std::size_t> from;  ///< clusters, increasing
    std::vector<std::size_t> to;    ///< clusters, increasing; none of `from`
    bool both = false;              ///< messages the other way, too
    Place place = Place::between;
    double capacity = 0;     ///< bytes per second
    double apart = 0;        ///< what its parts reached at their best, added up
    std::size_t rounds = 0;  ///< in which it was full; one more if one stream fills it

    [[nodiscard]] bool covers(std::size_t from_cluster, std::size_t to_cluster) const;
    /// Whether all pairs that share the other one share this one, too.
    [[nodiscard]] bool covers(const Bottleneck& other) const;
    /// All ordered pairs of clusters that share it.
    [[nodiscard]] std::vector<ClusterPair> pairs() const;
};

struct Explanation {
    std::vector<Bottleneck> bottlenecks;
    /// Whether the stream was slower than alone and no bottleneck explains it, by round and stream.
    std::vector<std::vector<bool>> unexplained;

    [[nodiscard]] bool complete() const;
};

/// The fewest capacities that tell why streams were slower together than alone. A stream is
/// explained if it got what it gets alone, if all streams of its host together got what the host
/// can send or receive (a port, which is the host's own affair), or if it crosses a capacity that
/// was full. A capacity can carry what it was seen to carry at most, and is full in a round in
/// which it carries nearly that. It counts as one only if its parts (its clusters or sites, its
/// targets, its directions) could do clearly more when they had it for themselves: fast alone, slow
/// together. Fairness between streams is not assumed, only that what is full, is full. Unless
/// `usual_only`, directions that share, and far sites that do, are thought of, too; only rounds
/// that try them tell these from streams that have not reached their pace.
[[nodiscard]] Explanation explain(const Surroundings& surroundings,
                                  const std::vector<RoundRates>& rounds, bool usual_only = false);

}  // namespace espalier::measure
