#pragma once

#include "measure/method/latency_plan.hpp"
#include "measure/method/sharing_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// Packs what rank 0 tells each of so many hosts to do next: the groups or the streams in which it
/// takes part. The last is for those that take part in nothing. nullopt, or no round, when a stage
/// is over.
[[nodiscard]] std::vector<std::string> pack(const std::optional<LatencyStep>& step,
                                            std::size_t hosts);
[[nodiscard]] std::vector<std::string> pack(const std::vector<StreamRound>& rounds,
                                            std::size_t hosts);

/// Unpacks what pack() made for a host.
[[nodiscard]] std::optional<LatencyStep> unpack_step(const std::string& bytes);
[[nodiscard]] std::vector<StreamRound> unpack_rounds(const std::string& bytes);

}  // namespace espalier::measure
