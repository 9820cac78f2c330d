#pragma once

#include "measure/hidden_network.hpp"

#include <cstddef>
#include <cstdint>

namespace espalier::measure::test {

/// What far sites share: paths out and in, with or without a middle that all of them cross, or the
/// trunks of a line or of a tree; here and there a path of two of them. Latencies follow from it,
/// as far as anything does.
[[nodiscard]] HiddenNetwork random_sites(Random& random);

/// How much of it is found, and how true it is.
struct SitesScore {
    std::size_t capacities = 0;  ///< that hosts can fill
    std::size_t found = 0;       ///< of these
    std::size_t stated = 0;
    std::size_t invented = 0;  ///< of these: what they are said to limit gets clearly more
    std::size_t pairs = 0;     ///< of sites, ordered
    std::size_t right = 0;     ///< of these: what all their hosts get together
    std::size_t late = 0;      ///< networks that took longer than they had
};
constexpr double rate_tolerance = 0.2;

/// Measures random sites for `seconds` and so many of the longest round trips, on a clock whose
/// noise is 3 to 8%, and adds what comes of it.
void score_sites(std::uint64_t seed, double seconds, double round_trips, SitesScore& score);

}  // namespace espalier::measure::test
