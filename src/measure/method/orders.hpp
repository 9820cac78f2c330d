#pragma once

#include "measure/method/latency_plan.hpp"
#include "measure/method/sharing_plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// Packs what rank 0 tells the others to do next; nullopt, or no round, when a stage is over.
[[nodiscard]] std::string pack(const std::optional<LatencyStep>& step);
[[nodiscard]] std::string pack(const std::vector<StreamRound>& rounds);

/// Unpacks what pack() made.
[[nodiscard]] std::optional<LatencyStep> unpack_step(const std::string& bytes);
[[nodiscard]] std::vector<StreamRound> unpack_rounds(const std::string& bytes);

}  // namespace espalier::measure
