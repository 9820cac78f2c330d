#include "plan/exchange/due_date.hpp"

#include "plan/exchange/due_date_search.hpp"

namespace espalier::plan::exchange {

Found earliest_deadline(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    DueDateSearch search(problem, meter);
    if (!problem.has_deadlines()) return {.order = search.build({by_open_shop(problem)}).order};
    Staged best = search.best_by_rules();
    search.improve(best, false);
    return {.order = std::move(best.order)};
}

}  // namespace espalier::plan::exchange
