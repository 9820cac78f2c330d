#pragma once

#include "plan/composed/problem.hpp"
#include "plan/exchange/planner.hpp"
#include "plan/gather/planner.hpp"
#include "plan/grid/searcher.hpp"
#include "plan/local/problem.hpp"
#include "plan/node/result.hpp"
#include "plan/ring/planner.hpp"
#include "schedule/collective.hpp"

#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace espalier::plan {

/// Where an algorithm works.
enum class Family { grid, local, sender, exchange, allgather, composed, ring };
[[nodiscard]] std::string_view name_of(Family family);

/// A tree over all ranks of a job in their order, blind to where they sit: a baseline.
struct RankTree {
    local::Strategy tree;
};

/// One line of the one table that the command line, the help, the docs and the tests iterate over.
struct Algorithm {
    std::string_view name;
    Family family;
    std::string_view description;
    std::string_view source;  ///< paper and section
    std::vector<schedule::Kind> collectives;
    std::vector<std::string_view> models;
    /// What makes the plan: an order of sends between clusters (at once, or by a search), a tree
    /// over all ranks, a strategy inside one cluster, a sequence of nodes that differ in their
    /// sending times, an order of all messages of a total exchange, the ring of an all-gather,
    /// schedules between the ranks of a job composed of pieces, or a ring of hosts that divide work
    /// (of no collective).
    std::variant<grid::Order (*)(const grid::Problem&), grid::Searcher, RankTree, local::Strategy,
                 node::Planner, exchange::Planner, gather::Planner, composed::Planner,
                 ring::Planner>
        make;
    bool by_default = true;  ///< whether `auto` tries it
    /// And only where deadlines, a critical node or relays are asked for.
    bool for_demands = false;
};

/// Every algorithm there is.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// Whether it makes plans for this collective.
[[nodiscard]] bool serves(const Algorithm& algorithm, schedule::Kind kind);
/// nullptr where the family has none of that name.
[[nodiscard]] const Algorithm* find_algorithm(Family family, std::string_view name);

}  // namespace espalier::plan
