#pragma once

#include "measure/method/bottlenecks.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::measure {

/// The hosts between which a stream goes, and their clusters.
struct StreamEnds {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t from_cluster = 0;
    std::size_t to_cluster = 0;
};

/// Groups of clusters that send to each other: sites, or the clusters of one site.
using Units = std::vector<std::vector<std::size_t>>;

/// Makes rounds of streams between groups of clusters, each host used once as long as they last.
class RoundMaker {
public:
    using Clusters = std::vector<std::size_t>;
    using Ends = std::vector<StreamEnds>;
    struct Host {
        std::size_t cluster = 0;
        std::size_t host = 0;
    };

    /// `hosts` of each cluster.
    explicit RoundMaker(std::vector<std::vector<std::size_t>> hosts) : hosts_(std::move(hosts)) {}

    /// A round of one stream from each unit to the one `shift` places further on, in the order of
    /// units; between other hosts each `turn`, as far as there are others.
    [[nodiscard]] Ends singles(const Units& units, std::size_t shift, std::size_t turn = 0) const;
    /// A round of one stream between the two units of each pair of a round of a tournament, in one
    /// direction.
    [[nodiscard]] Ends one_way(const Units& units, std::size_t round, bool back) const;
    /// A round of several streams from each unit to the one `shift` places further on.
    [[nodiscard]] Ends across(const Units& units, std::size_t shift) const;
    /// A round of several streams from each unit of `from` to each of `to`, each between other
    /// hosts: `wanted` of them between the two clusters, or enough for all hosts to take part, but
    /// not too many.
    [[nodiscard]] Ends flood(const Units& from, const Units& to,
                             const Matrix<double>& wanted) const;
    /// A round of several streams in both directions between pairs of units.
    [[nodiscard]] Ends both_ways(const Units& units) const;
    /// Rounds in which every unit in turn sends to all others, while those send to the next one. No
    /// two send to each other, so that capacities that directions share do not matter.
    [[nodiscard]] std::vector<Ends> hubs(const Units& units) const;
    /// A round of all that may cross a capacity, by as many hosts as a few streams can have.
    [[nodiscard]] Ends fill(const Bottleneck& bottleneck) const;

    [[nodiscard]] std::size_t hosts(const Clusters& clusters) const;

private:
    [[nodiscard]] std::vector<Host> dealt(const Clusters& clusters, std::size_t first) const;
    void between(const Clusters& from, const Clusters& to, std::size_t most, Ends& ends) const;
    void fan(const Clusters& one, const Units& many, std::size_t most, bool out, Ends& ends) const;
    void hub(const Units& units, std::size_t turn, Ends& ends) const;

    std::vector<std::vector<std::size_t>> hosts_;
};

}  // namespace espalier::measure
