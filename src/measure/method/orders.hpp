#pragma once

#include "measure/method/latency_step.hpp"
#include "measure/method/sharing_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// What a host does in a LatencyStep.
struct LatencyPart {
    struct Opponent {
        std::uint32_t host = 0;
        std::uint32_t round = 0;  ///< counted from the first of the step
    };
    struct Turn {
        bool asks = false;         ///< this host, and not the opponent, pings
        std::uint32_t before = 0;  ///< the host from which it has the turn; itself if from nobody
        std::uint32_t after = 0;   ///< the one to which it hands it; itself if to nobody
    };
    std::vector<Opponent> opponents;  ///< in the order of rounds; none for who rests
    std::vector<Turn> turns;          ///< with each of them, where hosts ping in turn
    std::size_t rounds = 0;           ///< of the step
    std::size_t times = 0;
    Way way = Way::in_rounds;
    std::uint64_t bytes = 0;
    bool by_clocks = false;
};

/// Packs what rank 0 tells each of so many hosts to do next: whom it meets, or the streams in which
/// it takes part. The last is for those that take part in nothing. nullopt, or no round, when a
/// stage is over.
[[nodiscard]] std::vector<std::string> pack(const std::optional<LatencyStep>& step,
                                            std::size_t hosts);
[[nodiscard]] std::vector<std::string> pack(const std::vector<StreamRound>& rounds,
                                            std::size_t hosts);

/// Unpacks what pack() made for a host.
[[nodiscard]] std::optional<LatencyPart> unpack_part(const std::string& bytes);
[[nodiscard]] std::vector<StreamRound> unpack_rounds(const std::string& bytes);

}  // namespace espalier::measure
