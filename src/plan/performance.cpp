#include "plan/performance.hpp"

#include "plan/overhead.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <utility>

namespace espalier::plan {

namespace {

/// Whether each rank's messages draw on something that bounds them all together.
bool bounds_each_rank(const simulate::Fabric& fabric) {
    for (std::size_t from = 0; from < fabric.nodes(); ++from)
        for (std::size_t to = 0; to < fabric.nodes(); ++to)
            if (from != to && fabric.draws(from, to).empty()) return false;
    return true;
}

}  // namespace

Performance::Performance(schedule::Schedule messages) : schedule_(std::move(messages)) {
    if (schedule_.ports.count == 1) return;
    in_turn_ = schedule_;
    in_turn_.ports.count = 1;
}

Performance Performance::at_once(schedule::Schedule messages) {
    Performance made;
    messages.ports.count = std::max<std::size_t>(messages.transfers.size(), 1);
    made.schedule_ = std::move(messages);
    return made;
}

std::size_t Performance::messages() const {
    std::size_t messages = 0;
    for (const schedule::Transfer& transfer : schedule_.transfers)
        messages += schedule_.segments_of(transfer);
    return messages;
}

Seconds Performance::time(const simulate::Fabric& fabric) const {
    const bool in_turn = !in_turn_.nodes.empty() && !bounds_each_rank(fabric);
    const schedule::Schedule& performed = in_turn ? in_turn_ : schedule_;
    return simulate::simulate(performed, fabric).makespan +
           plan::processor_time(performed, fabric.message_time());
}

}  // namespace espalier::plan
