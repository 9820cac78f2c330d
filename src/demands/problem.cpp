#include "demands/problem.hpp"

#include <utility>

namespace espalier::demands {

Hop direct(const exchange::Problem& problem, std::size_t message) {
    return {message, problem.messages[message].from, problem.messages[message].to};
}

Order direct(const exchange::Problem& problem, const exchange::Order& order) {
    Order hops;
    hops.reserve(order.size());
    for (const std::size_t message : order) hops.push_back(direct(problem, message));
    return hops;
}

Found as_found(const exchange::Problem& problem, exchange::Found found) {
    Order order;
    for (const std::size_t m : found.order) {
        const auto [from, to] = exchange::ends_of(problem, found, m);
        order.push_back({m, from, to});
    }
    return {.order = std::move(order),
            .barriers = std::move(found.barriers),
            .after = std::move(found.after),
            .signals = std::move(found.signals)};
}

schedule::Schedule make_schedule(const Problem& problem, const Found& found) {
    schedule::Schedule schedule =
        exchange::make_schedule(problem, {.signals = found.signals, .barriers = found.barriers});
    schedule.reception = problem.reception;
    schedule.critical = problem.critical;
    for (std::size_t m = 0; m < problem.dues.size(); ++m) {
        const auto [deadline, priority] = problem.dues[m];
        if (deadline < Due{}.deadline) schedule.chunks[m].deadline = Seconds(deadline);
        schedule.chunks[m].priority = priority;
    }
    for (const Hop& hop : found.order)
        schedule.transfers.push_back({hop.from, hop.to, hop.message});
    for (std::size_t place = 0; place < found.after.size(); ++place)
        schedule.transfers[place].after = found.after[place];
    return schedule;
}

}  // namespace espalier::demands
