#include "demands/demands_first.hpp"

#include "demands/due_date_search.hpp"
#include "demands/open_shop.hpp"

namespace espalier::demands {

Found demands_first(const Problem& problem, const Limits& limits) {
    if (!problem.has_demands()) return open_shop(problem, limits);
    Meter meter(limits);
    DueDateSearch search(problem, meter, false);
    Staged best = search.best_by_rules();
    search.improve(best);
    return {.order = std::move(best.order)};
}

}  // namespace espalier::demands
