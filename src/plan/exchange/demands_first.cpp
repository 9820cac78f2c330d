#include "plan/exchange/demands_first.hpp"

#include "plan/exchange/due_date_search.hpp"
#include "plan/exchange/open_shop.hpp"

namespace espalier::plan::exchange {

Found demands_first(const Problem& problem, const Limits& limits) {
    if (!problem.has_demands()) return open_shop(problem, limits);
    Meter meter(limits);
    DueDateSearch search(problem, meter, false);
    Staged best = search.best_by_rules();
    search.improve(best);
    return {.order = std::move(best.order)};
}

}  // namespace espalier::plan::exchange
