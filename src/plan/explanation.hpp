#pragma once

#include "core/json.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace espalier::plan {

/// A candidate, and what became of it.
struct Considered {
    std::string algorithm;
    std::size_t ports = 1;
    std::size_t segments = 1;           ///< the most that a chunk is cut into
    std::optional<Seconds> optimistic;  ///< what it seemed to take at least; nullopt: no plan
    std::optional<Seconds> simulated;   ///< all three with what messages cost beside the makespan
    std::string outcome;                ///< why it is the plan, or why not
    /// The percentile by which plans were compared, where they were.
    std::optional<Seconds> robust = std::nullopt;
    std::string costs = {};  ///< for which it was made; empty: the stated ones
};

/// What a plan's time depends on that nobody measured.
struct Presumption {
    /// Capacities that are taken to be shared (simulate::Unstated), on which several messages of
    /// the plan may draw at once.
    std::vector<std::string> capacities;
    Seconds otherwise;  ///< the plan's makespan if nothing of that is shared
};

/// A row for each candidate, for people.
[[nodiscard]] std::string explain(std::span<const Considered> considered);
/// An object for each candidate: algorithm, ports, segments, outcome, and, where they are known,
/// optimistic_s, simulated_s, robust_s and made_for.
[[nodiscard]] Json to_json(std::span<const Considered> considered);

/// A line for people, ended by a line end.
[[nodiscard]] std::string explain(const Presumption& presumption);
/// What all messages of a plan take of processors that all nodes share (processor_time()), beside
/// its makespan: a line for people, ended by a line end; empty where that is nothing.
[[nodiscard]] std::string explain_processors(Seconds makespan, Seconds of_messages);
/// `capacities` by name, and `otherwise_s`.
[[nodiscard]] Json to_json(const Presumption& presumption);

}  // namespace espalier::plan
