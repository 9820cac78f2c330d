#pragma once

#include "core/json.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace espalier::plan {

/// A candidate, and what became of it.
struct Considered {
    std::string algorithm;
    std::size_t ports = 1;
    std::size_t segments = 1;           ///< the most that a chunk is cut into
    std::optional<Seconds> optimistic;  ///< what it seemed to take at least; nullopt: no plan
    std::optional<Seconds> simulated;   ///< both with what messages cost beside the makespan
    std::string outcome;                ///< why it is the plan, or why not
};

/// A row for each candidate, for people.
[[nodiscard]] std::string explain(std::span<const Considered> considered);
/// An object for each candidate: algorithm, ports, segments, outcome, and, where they are known,
/// optimistic_s and simulated_s.
[[nodiscard]] Json to_json(std::span<const Considered> considered);

}  // namespace espalier::plan
