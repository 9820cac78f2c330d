#pragma once

#include "measure/hidden_network.hpp"

#include <cstdint>
#include <vector>

namespace espalier::measure::test {

/// MPI's, bytes.
inline constexpr std::uint64_t eager = 16384;

/// Carries the plan out, floods over one network, and trains over another one, where they are as
/// fast as its paths, or over none. In the first half of the windows of each flood, connections get
/// a part of their share, `beginning`; where `growth` is more than 1, they get so many times as
/// much in each window as in the one before, and a third of their share in the last. Returns all
/// rounds but those of trains.
std::vector<StreamRound> carry_out(const HiddenNetwork& network, SharingPlan& plan,
                                   double beginning = 1, const HiddenNetwork* trains = nullptr,
                                   double growth = 1);

/// Nothing is known of what streams get between clusters.
Surroundings unknown_paces(const HiddenNetwork& network);

/// Five regions up to 128 ms apart, and what their hosts share; bytes per second.
HiddenNetwork regions();

}  // namespace espalier::measure::test
