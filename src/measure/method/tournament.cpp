#include "measure/method/tournament.hpp"

#include <cassert>

namespace espalier::measure {

std::size_t tournament_rounds(std::size_t players) {
    if (players < 2) return 0;
    return players % 2 == 0 ? players - 1 : players;
}

std::optional<std::size_t> opponent(std::size_t players, std::size_t round, std::size_t player) {
    assert(player < players && round < tournament_rounds(players));
    // The last seat stays where it is, the others go round; with an odd number it is empty.
    const std::size_t others = tournament_rounds(players);
    const std::size_t last = others;
    const std::size_t sum = 2 * round % others;
    std::size_t met = 0;
    if (player == last) {
        met = round;
    } else {
        met = (sum + others - player) % others;
        if (met == player) met = last;
    }
    if (met >= players) return std::nullopt;
    return met;
}

std::vector<std::pair<std::size_t, std::size_t>> pairs_of_round(std::size_t players,
                                                                std::size_t round) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t player = 0; player < players; ++player)
        if (const auto met = opponent(players, round, player); met && player < *met)
            pairs.emplace_back(player, *met);
    return pairs;
}

}  // namespace espalier::measure
