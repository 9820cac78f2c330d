#include "plan/gather/ring_schedule.hpp"

#include <utility>

namespace espalier::plan::gather {

schedule::Schedule make_ring_schedule(const Order& order, Bytes block,
                                      std::shared_ptr<const std::vector<Bytes>> blocks,
                                      std::vector<std::string> names) {
    const std::size_t nodes = order.size();
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::allgather;
    schedule.collective.nodes = nodes;
    schedule.collective.bytes = block;
    schedule.collective.blocks = std::move(blocks);
    schedule.nodes = std::move(names);
    for (std::size_t node = 0; node < nodes; ++node)
        schedule.chunks.push_back({schedule.collective.block(node), 1, node, std::nullopt});
    for (std::size_t step = 0; step + 1 < nodes; ++step)
        for (std::size_t place = 0; place < nodes; ++place)
            schedule.transfers.push_back(
                {order[place], order[(place + 1) % nodes], order[(place + nodes - step) % nodes]});
    return schedule;
}

Order ring_of(const schedule::Schedule& schedule) {
    const std::size_t nodes = schedule.nodes.size();
    if (nodes == 1) return {0};
    Order order;
    for (std::size_t place = 0; place < nodes; ++place)
        order.push_back(schedule.transfers[place].from);
    return order;
}

}  // namespace espalier::plan::gather
