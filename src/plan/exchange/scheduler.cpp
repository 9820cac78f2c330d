#include "plan/exchange/scheduler.hpp"

#include "plan/exchange/list_schedule.hpp"
#include "plan/exchange/shared_schedule.hpp"

namespace espalier::plan::exchange {

Preferences Preferences::plain(const Problem& problem, double pace) {
    return {.sender = std::vector<double>(problem.nodes(), 1),
            .receiver = std::vector<double>(problem.nodes(), 1),
            .capacity = std::vector<double>(problem.fabric->capacities().size(), 1),
            .length = 1,
            .pace = pace};
}

std::unique_ptr<Scheduler> make_scheduler(const Problem& problem) {
    if (ListScheduler::understands(problem)) return std::make_unique<ListScheduler>(problem);
    return std::make_unique<SharedScheduler>(problem);
}

}  // namespace espalier::plan::exchange
