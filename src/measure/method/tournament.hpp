#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::measure {

/// The number of rounds in which each two of `players` meet once, every player meeting at most one
/// other in a round: players - 1, or players where their number is odd.
[[nodiscard]] std::size_t tournament_rounds(std::size_t players);

/// The player whom `player` meets in `round` (circle method); nullopt if the number of players is
/// odd and it is this one's turn to rest. player < players, round < tournament_rounds(players).
[[nodiscard]] std::optional<std::size_t> opponent(std::size_t players, std::size_t round,
                                                  std::size_t player);

/// All pairs of a round, the lower player first.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pairs_of_round(std::size_t players,
                                                                              std::size_t round);

}  // namespace espalier::measure
