#include "plan/exchange/critical.hpp"

#include "plan/exchange/due_date_search.hpp"
#include "plan/exchange/open_shop.hpp"

namespace espalier::plan::exchange {

Found critical_first(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    DueDateSearch search(problem, meter, false);
    if (!problem.critical) return open_shop(problem, limits);
    Staged best = search.best_by_rules();
    search.improve(best);
    return {.order = std::move(best.order)};
}

}  // namespace espalier::plan::exchange
