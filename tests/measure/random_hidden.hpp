#pragma once

#include "measure/hidden_network.hpp"

#include <cstddef>
#include <cstdint>

namespace espalier::measure::test {

constexpr double unhurried = 60;     ///< seconds: as many rounds as are worth it
constexpr double some_noise = 0.03;  ///< of what is read of a rate

/// Two to five sites of up to three clusters, and what limits them, at random.
[[nodiscard]] HiddenNetwork random_hidden(Random& random);

/// What a survey believes, which may be wrong by a factor of two or three.
[[nodiscard]] Surroundings blurred(const HiddenNetwork& network, Random& random);

/// How true what was found is.
struct SharingScore {
    std::size_t capacities = 0;        ///< found
    std::size_t wrong_capacities = 0;  ///< other than what all hosts together can move there
    std::size_t patterns = 0;          ///< of other traffic, at random
    std::size_t wrong_patterns = 0;    ///< that get another total than what was found says
};
constexpr double capacity_tolerance = 0.07;
constexpr double pattern_tolerance = 0.15;

/// Measures a random hidden network, and adds what comes of it.
void score_sharing(std::uint64_t seed, std::size_t patterns, SharingScore& score);

}  // namespace espalier::measure::test
