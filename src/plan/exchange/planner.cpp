#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

Signal ends_of(const Problem& problem, const Found& found, std::size_t number) {
    const std::size_t messages = problem.messages.size();
    if (number >= messages) return found.signals[number - messages];
    return {problem.messages[number].from, problem.messages[number].to};
}

schedule::Schedule make_schedule(const Problem& problem, const Found& found) {
    schedule::Schedule schedule;
    schedule.collective = problem.collective;
    schedule.nodes.resize(problem.nodes());
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = problem.ports;
    schedule.barriers = found.barriers;
    for (const Message& message : problem.messages)
        schedule.chunks.push_back({message.bytes, 1, message.from, message.to});
    schedule.chunks.resize(problem.messages.size() + found.signals.size(),
                           {.bytes = schedule::control_bytes, .control = true});
    for (const std::size_t m : found.order) {
        const auto [from, to] = ends_of(problem, found, m);
        schedule.transfers.push_back({from, to, m});
    }
    for (std::size_t place = 0; place < found.after.size(); ++place)
        schedule.transfers[place].after = found.after[place];
    return schedule;
}

}  // namespace espalier::plan::exchange
