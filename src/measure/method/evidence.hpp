#pragma once

#include "measure/method/bottlenecks.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::measure {

/// The evidence for and against a candidate capacity: rates of single streams and of rounds of
/// streams.
class Evidence {
public:
    /// A capacity, or a host's port, is full when it carries this part of the most that it was seen
    /// to carry.
    static constexpr double full = 0.88;

    /// Both arguments must outlive it.
    Evidence(const Surroundings& surroundings, const std::vector<RoundRates>& rounds);

    /// The most that it was seen to carry, in rounds or by single streams.
    [[nodiscard]] double most(const Bottleneck& candidate) const;
    /// What its parts were seen to carry, added up: of the division into parts with the least sum.
    /// What a part never had for itself, while its ends sent and received nothing else, its hosts
    /// are presumed to be able to use, as far as anything is presumed.
    [[nodiscard]] double apart(const Bottleneck& candidate) const;
    /// The numbers of the sites between which alone something crossed it in each round that filled
    /// it; nullopt if there are others.
    [[nodiscard]] std::optional<ClusterPair> sole_pair(const Bottleneck& capacity) const;

private:
    using Clusters = std::vector<std::size_t>;

    /// Whether its ends sent and received nothing in a round that does not cross it.
    [[nodiscard]] bool is_by_itself(std::size_t round, const Bottleneck& candidate) const;
    [[nodiscard]] double total(std::size_t round, const Bottleneck& candidate) const;
    [[nodiscard]] double fastest_alone(const Bottleneck& candidate) const;
    [[nodiscard]] double hosts_apart(const Bottleneck& candidate) const;
    [[nodiscard]] double potential(const Bottleneck& piece, const Bottleneck& candidate) const;
    [[nodiscard]] std::vector<Clusters> parts(const Clusters& clusters) const;

    /// What all streams from one cluster to another get in a round.
    struct PairRate {
        std::size_t from = 0;
        std::size_t to = 0;
        double rate = 0;
    };

    const Surroundings& surroundings_;
    const std::vector<RoundRates>& rounds_;
    std::vector<std::size_t> site_of_;
    std::vector<std::vector<PairRate>> pairs_;  ///< by round
};

}  // namespace espalier::measure
