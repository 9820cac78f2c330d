#pragma once

#include "schedule/collective.hpp"

#include <string_view>
#include <vector>

namespace espalier::schedule {

/// The kind of problem that an algorithm solves; folder, namespace and family of its code bear one
/// name.
enum class Family { grid, local, sender, exchange, demands, allgather, composed, ring };
[[nodiscard]] std::string_view name_of(Family family);

/// The facts about an algorithm that the command line, its help, the docs and the tests use. Each
/// layer with algorithms has a table of its own, whose lines add what makes the plan.
struct AlgorithmEntry {
    std::string_view name;
    Family family;
    std::string_view description;
    std::string_view source;  ///< paper and section
    std::vector<Kind> collectives;
    std::vector<std::string_view> models;
    bool by_default = true;  ///< whether `auto` tries it
};

/// Whether it makes plans for this collective.
[[nodiscard]] bool serves(const AlgorithmEntry& algorithm, Kind kind);

}  // namespace espalier::schedule
