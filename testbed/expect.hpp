#pragma once

#include "testbed/topology.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// An ordered pair of hosts.
struct HostPair {
    std::size_t from = 0;
    std::size_t to = 0;
    friend auto operator<=>(const HostPair&, const HostPair&) = default;
};

/// All queues of a path, in its order.
[[nodiscard]] std::vector<std::uint32_t> queues_of(const Path& path);

/// What a UDP packet and its answer of as many bytes take in a network that is quiet.
[[nodiscard]] Seconds asked_round_trip(const Topology& topology, HostPair pair, Bytes payload);

/// What each of these flows gets of the wire where all are sent at once and share fairly (max-min);
/// infinite where no queue is crossed.
[[nodiscard]] std::vector<BytesPerSecond> fair_rates(const Topology& topology,
                                                     const std::vector<HostPair>& flows);

/// Flows that together want more of a queue than there is.
struct Contention {
    std::uint32_t queue = 0;
    std::vector<HostPair> flows;  ///< no two from one host or to one host
};

/// The first hosts of each two clusters; inside each cluster its first host with one of each kind
/// of others (by latency and rate). Evenly thinned out if there are more than `most`.
[[nodiscard]] std::vector<HostPair> pairs_of_clusters(const Topology& topology, std::size_t most);
/// For each queue that several hosts share and can fill, up to `flows` flows that fill it; for the
/// `most` queues that most paths cross.
[[nodiscard]] std::vector<Contention> contentions(const Topology& topology, std::size_t flows,
                                                  std::size_t most);

}  // namespace espalier::testbed
