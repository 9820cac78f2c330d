#include "demands/algorithms.hpp"

#include "core/error.hpp"
#include "demands/demands_first.hpp"
#include "demands/exact.hpp"
#include "demands/open_shop.hpp"
#include "plan/algorithm.hpp"
#include "plan/exchange/open_shop.hpp"

#include <fmt/format.h>

#include <utility>

namespace espalier::demands {

namespace {

/// The number of messages that branch and bound can do in milliseconds: those of 6 nodes.
constexpr std::size_t few_messages = 30;

Algorithm line(std::string_view name, std::string_view description, std::string_view source,
               Planner make, bool by_default = true) {
    return {{.name = name,
             .family = schedule::Family::demands,
             .description = description,
             .source = source,
             .collectives = {schedule::Kind::alltoall},
             .models = {"pairwise", "grid", "links"},
             .by_default = by_default},
            std::move(make)};
}

/// One of plan's algorithms as a planner of demands. Messages may be received in any way.
Algorithm adapted(const plan::Algorithm& algorithm) {
    const auto make = std::get<exchange::Planner>(algorithm.make);
    const auto& entry = static_cast<const schedule::AlgorithmEntry&>(algorithm);
    if (make == exchange::open_shop) return {entry, open_shop};
    return {entry, [make](const Problem& problem, const Limits& limits) {
                Meter meter(limits);
                return as_found(problem, make(problem, meter));
            }};
}

/// Whether `auto` tries the algorithm beside plan's own.
bool tries(const Algorithm& algorithm, const Problem& problem) {
    if (algorithm.by_default) return problem.has_demands() || problem.relays;
    return problem.messages.size() <= few_messages && can_search_exactly(problem);
}

}  // namespace

std::span<const Algorithm> algorithms() {
    static const std::vector<Algorithm> table{
        line("demands-first",
             "a critical node's messages, then by due date and priority, then local search",
             "ours, after bhat-1998 6.4", demands_first),
        line("staged", "what would be late goes through other nodes that store it",
             "ours, after bhat-1998 6.4", staged),
        line("optimal", "proven best for few nodes, or the best found in time",
             "ours: branch and bound by time windows", optimal, false),
    };
    return table;
}

std::vector<Algorithm> planners(std::string_view name, const Problem& problem) {
    std::vector<Algorithm> found;
    for (const plan::Algorithm& algorithm : plan::algorithms())
        if (algorithm.family == schedule::Family::exchange &&
            (name == "auto" ? algorithm.by_default : algorithm.name == name))
            found.push_back(adapted(algorithm));
    for (const Algorithm& algorithm : algorithms())
        if (name == "auto" ? tries(algorithm, problem) : algorithm.name == name)
            found.push_back(algorithm);
    if (found.empty())
        throw InputError(fmt::format("no algorithm '{}' plans a total exchange", name));
    return found;
}

}  // namespace espalier::demands
