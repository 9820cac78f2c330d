#include "demands/planner.hpp"

#include <utility>

namespace espalier::demands {

Found as_found(const exchange::Problem& problem, exchange::Found found) {
    return {.order = direct(problem, found.order),
            .barriers = std::move(found.barriers),
            .after = std::move(found.after)};
}

schedule::Schedule make_schedule(const Problem& problem, const Found& found) {
    schedule::Schedule schedule = exchange::make_schedule(problem, {.barriers = found.barriers});
    schedule.reception = problem.reception;
    schedule.critical = problem.critical;
    for (std::size_t m = 0; m < problem.dues.size(); ++m) {
        const Due& due = problem.dues[m];
        if (due.deadline < std::numeric_limits<double>::infinity())
            schedule.chunks[m].deadline = Seconds(due.deadline);
        schedule.chunks[m].priority = due.priority;
    }
    for (const Hop& hop : found.order)
        schedule.transfers.push_back({hop.from, hop.to, hop.message});
    for (std::size_t place = 0; place < found.after.size(); ++place)
        schedule.transfers[place].after = found.after[place];
    return schedule;
}

}  // namespace espalier::demands
