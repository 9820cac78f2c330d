#pragma once

#include "core/sparse_pairs.hpp"
#include "measure/method/sampling.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// The least times that messages of two hosts were under way, by both their clocks, in seconds:
/// from the lower host and back. What the clocks differ by is in both, with opposite signs.
struct Passages {
    double there = 0;
    double back = 0;
};

/// By how much one way between two hosts takes longer than half of their round trip, in seconds,
/// and the other one less: of a pair the way from the lower host. Of hosts that met, since all of
/// two sites are alike; pairs of which it is not known are not there.
using Asymmetry = SparsePairs<double>;

/// Finds ways between sites that clearly take longer there than back.
///
/// The offset of b's clock from a's, half of what the way there seems to take longer than the way
/// back (NTP, RFC 5905, section 8), is what these clocks differ by and the asymmetry of the path.
/// Around a triangle of hosts clocks cancel out: what is left are the asymmetries of its three
/// sides, and at most half of what its messages were held up by. Where few paths are asymmetric,
/// most triangles over a path tell of that path only. The middle one of all third sites counts, of
/// two the one nearer to zero, where it is clear of what is usually left, and not too little of the
/// latency to matter. Between three sites nothing can be told: each side may be the one.
[[nodiscard]] Asymmetry find_asymmetry(const SparsePairs<Passages>& passages,
                                       const LatencyMatrix& latencies,
                                       const std::vector<std::vector<std::size_t>>& clusters,
                                       bool noisy);

/// What a message takes longer from one cluster of hosts to another than half of the round trip, in
/// seconds; 0 if unknown.
[[nodiscard]] double longer_way(const Asymmetry& asymmetry, const std::vector<std::size_t>& from,
                                const std::vector<std::size_t>& to);

}  // namespace espalier::measure
