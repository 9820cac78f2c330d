#include "ring/planner.hpp"

#include "ring/greedy.hpp"
#include "ring/optimal.hpp"
#include "ring/portfolio.hpp"

#include <algorithm>
#include <vector>

namespace espalier::ring {

namespace {

Algorithm over_hosts(std::string_view name, std::string_view description, std::string_view source,
                     Planner make, bool by_default) {
    return {{.name = name,
             .family = schedule::Family::ring,
             .description = description,
             .source = source,
             .collectives = {},
             .models = {"links"},
             .by_default = by_default},
            make};
}

}  // namespace

std::span<const Algorithm> algorithms() {
    static const std::vector<Algorithm> table{
        over_hosts("greedy", "a ring grown by the host and place that make the step the shortest",
                   "legrand-2003 4.1, 4.2", greedy, true),
        over_hosts("local-search", "greedy, then every change that makes the step shorter", "ours",
                   local_search, false),
        over_hosts("annealing", "changes at a falling temperature, judged by prices of the links",
                   "ours", annealing, false),
        over_hosts("auto", "the best of all these, until the time is up", "ours", automatic, true),
        over_hosts("optimal", "proven best for few hosts, or the best found in time",
                   "ours: branch and bound over rings and paths", optimal, false),
    };
    return table;
}

const Algorithm* find_algorithm(std::string_view name) {
    const auto found = std::ranges::find(algorithms(), name, &Algorithm::name);
    return found == algorithms().end() ? nullptr : &*found;
}

}  // namespace espalier::ring
