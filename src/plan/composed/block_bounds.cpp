#include "plan/composed/block_bounds.hpp"

#include "plan/exchange/any_bound.hpp"
#include "plan/exchange_plan.hpp"
#include "plan/gather/bound.hpp"

#include <algorithm>

namespace espalier::plan::composed {

Seconds block_bound(const simulate::Fabric& fabric, const schedule::Collective& collective,
                    std::size_t ports) {
    using enum schedule::Kind;
    switch (collective.kind) {
        case allgather: {
            Bytes least = collective.bytes;
            for (std::size_t node = 0; node < collective.nodes; ++node)
                least = std::min(least, collective.block(node));
            return Seconds(gather::all_gather_bound(fabric, least, ports));
        }
        case alltoall: {
            ExchangeRequest request;
            request.sizes = collective.sizes
                                ? collective.sizes
                                : ExchangeRequest::uniform(collective.nodes, collective.bytes);
            request.ports = ports;
            return Seconds(exchange::any_bound(make_exchange_problem(fabric, request)).makespan);
        }
        default:
            return Seconds(0);
    }
}

}  // namespace espalier::plan::composed
