#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

schedule::Schedule make_schedule(const Problem& problem, const Found& found) {
    schedule::Schedule schedule;
    schedule.collective = problem.collective;
    schedule.nodes.resize(problem.nodes());
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = problem.ports;
    schedule.barriers = found.barriers;
    for (const Message& message : problem.messages)
        schedule.chunks.push_back({message.bytes, 1, message.from, message.to});
    for (const std::size_t m : found.order)
        schedule.transfers.push_back({problem.messages[m].from, problem.messages[m].to, m});
    for (std::size_t place = 0; place < found.after.size(); ++place)
        schedule.transfers[place].after = found.after[place];
    return schedule;
}

}  // namespace espalier::plan::exchange
