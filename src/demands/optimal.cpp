#include "demands/optimal.hpp"

#include "demands/demands_first.hpp"
#include "demands/exact.hpp"
#include "plan/exchange/list_search.hpp"

#include <algorithm>

namespace espalier::demands {

namespace {

/// Beyond so many messages branch and bound comes to nothing, and each of its levels to much.
constexpr std::size_t most_messages = 240;

/// By what was asked for, from a start that is good by that.
Found with_demands(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    const bool exact = can_search_exactly(problem) && problem.messages.size() <= most_messages;
    const Limits quick = exact ? meter.share(0.25) : limits;
    Found found = demands_first(problem, quick);
    if (!exact) return found;
    Exact proof = search_exactly(problem, found.order, meter);
    return {.order = std::move(proof.order), .optimal = proof.proven};
}

}  // namespace

Found optimal(const Problem& problem, const Limits& limits) {
    if (problem.has_demands()) return with_demands(problem, limits);
    if (!can_search_exactly(problem) || problem.messages.size() > most_messages)
        return as_found(problem, exchange::list_search(problem, limits));
    Meter meter(limits);
    const std::uint64_t messages = problem.messages.size();
    const auto start = exchange::search_lists(problem, meter, 500 * messages * messages);
    Exact exact = search_exactly(problem, direct(problem, start), meter);
    return {.order = std::move(exact.order), .optimal = exact.proven};
}

}  // namespace espalier::demands
