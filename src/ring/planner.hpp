#pragma once

#include "core/limits.hpp"
#include "ring/embedding.hpp"
#include "ring/routes.hpp"
#include "schedule/algorithm_entry.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace espalier::ring {

/// How all bandwidths of a ring are computed anew, each time that it has grown (legrand-2003, 4.3):
/// not at all, max-min fair (Method 1), or the best ones (Method 2).
enum class Refinement { none, max_min, nonlinear };

struct NamedRefinement {
    std::string_view name;
    Refinement refinement;
};
inline constexpr std::array<NamedRefinement, 3> refinements{{{"none", Refinement::none},
                                                             {"max-min", Refinement::max_min},
                                                             {"nonlinear", Refinement::nonlinear}}};

/// The settings of a planner, beside the problem.
struct Settings {
    Refinement refinement = Refinement::none;
    PathChoice paths = PathChoice::widest;
    Limits limits;
    std::uint64_t seed = 1;
};

/// The result of a planner.
struct Found {
    Solution solution;
    /// Proven: of all rings whose paths are as the settings say, none has a shorter step.
    bool optimal = false;
};

using Planner = Found (*)(const Problem& problem, const Settings& settings);

/// One line of the table of algorithms that plan rings of hosts that divide work (no collective).
struct Algorithm : schedule::AlgorithmEntry {
    Planner make = nullptr;
};

/// Every algorithm that plans rings.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// nullptr where none has that name.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);

}  // namespace espalier::ring
