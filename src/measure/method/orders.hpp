#pragma once

#include "measure/method/latency_plan.hpp"
#include "measure/method/sharing_plan.hpp"

#include <optional>
#include <string>

namespace espalier::measure {

/// Packs what rank 0 tells the others to do next; nullopt when a stage is over.
[[nodiscard]] std::string pack(const std::optional<LatencyStep>& step);
[[nodiscard]] std::string pack(const std::optional<StreamRound>& round);

/// Unpacks what pack() made.
[[nodiscard]] std::optional<LatencyStep> unpack_step(const std::string& bytes);
[[nodiscard]] std::optional<StreamRound> unpack_round(const std::string& bytes);

}  // namespace espalier::measure
