#include "plan/exchange/critical.hpp"

#include "plan/exchange/due_date_search.hpp"

namespace espalier::plan::exchange {

Found critical_first(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    DueDateSearch search(problem, meter);
    if (!problem.critical) return {.order = search.build({by_open_shop(problem)}).order};
    Staged best = search.best_by_rules();
    search.improve(best, false);
    return {.order = std::move(best.order)};
}

}  // namespace espalier::plan::exchange
