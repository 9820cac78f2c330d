#pragma once

#include "core/random.hpp"
#include "core/units.hpp"
#include "network/generate.hpp"
#include "network/network.hpp"

#include <cstddef>

namespace espalier::network {

/// A range from which rates are drawn uniformly.
struct RateRange {
    BytesPerSecond low;
    BytesPerSecond high;
};

/// The distribution by which numbers are drawn from a range.
enum class Draw {
    uniform,  ///< evenly
    log,      ///< evenly by their logarithms: as many from 1 to 2 as from 2 to 4
};

/// The ranges from which random_gusto draws: those of the five sites of GUSTO (bhat-1998, Tables 1
/// and 2), 4.5 to 89.5 ms and 246 to 4976 kbit/s.
struct RandomGustoOptions {
    std::size_t nodes = 16;
    SecondsRange startup{Seconds(4.5e-3), Seconds(89.5e-3)};
    RateRange bandwidth{BytesPerSecond(246e3 / 8), BytesPerSecond(4976e3 / 8)};
    Draw draw = Draw::uniform;
    /// Whether one draw counts for both directions of a pair, as in the tables; otherwise each
    /// direction has its own.
    bool symmetric = true;
};

/// A random network of nodes n0, n1, … with a start-up and a bandwidth for each ordered pair, drawn
/// independently, row by row. Throws InputError on no node, a range of start-ups that is not 0 <=
/// low <= high, one of bandwidths that is not 0 < low <= high, or logarithms of 0.
[[nodiscard]] PairwiseNetwork random_gusto(const RandomGustoOptions& options, Random& random);

}  // namespace espalier::network
