#pragma once

#include "plan/composed/problem.hpp"
#include "plan/exchange/planner.hpp"
#include "plan/gather/problem.hpp"
#include "plan/grid/searcher.hpp"
#include "plan/local/problem.hpp"
#include "schedule/algorithm_entry.hpp"

#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace espalier::plan {

using schedule::Family;
using schedule::name_of;
using schedule::serves;

/// A tree over all ranks of a job in their order, blind to where they sit: a baseline.
struct RankTree {
    local::Strategy tree;
};

/// One line of the table that the command line, the help, the docs and the tests iterate over.
struct Algorithm : schedule::AlgorithmEntry {
    /// The function that makes the plan: an order of sends between clusters (at once, or by a
    /// search), a tree over all ranks, a strategy inside one cluster, an order of all messages of a
    /// total exchange, the ring of an all-gather, or schedules between the ranks of a job composed
    /// of pieces.
    std::variant<grid::Rule, grid::Searcher, RankTree, local::Strategy, exchange::Planner,
                 gather::Planner, composed::Planner>
        make;
    /// The exponent with which its work, searches aside, grows with the number of ranks.
    int growth = 2;
};

/// Every algorithm there is.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// nullptr where the family has none of that name.
[[nodiscard]] const Algorithm* find_algorithm(Family family, std::string_view name);

}  // namespace espalier::plan
