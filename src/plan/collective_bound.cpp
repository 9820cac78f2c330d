#include "plan/collective_bound.hpp"

#include "plan/composed/block_bounds.hpp"
#include "plan/composed/tree_bounds.hpp"

namespace espalier::plan {

Seconds collective_bound(const simulate::Fabric& fabric, const schedule::Collective& collective,
                         std::size_t ports) {
    using enum schedule::Kind;
    if (collective.nodes < 2) return Seconds(0);
    switch (collective.kind) {
        case broadcast:
        case reduce:
        case allreduce:
        case barrier:
        case scan:
        case exscan:
            return composed::tree_bound(fabric, collective, ports);
        case scatter:
        case gather:
        case allgather:
        case reduce_scatter:
        case alltoall:
            return composed::block_bound(fabric, collective, ports);
    }
    return Seconds(0);
}

}  // namespace espalier::plan
