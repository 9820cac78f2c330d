#include "support/final_values.hpp"

#include <set>

namespace espalier::test {

std::vector<std::size_t> final_values_computed(const schedule::Schedule& schedule) {
    const std::size_t nodes = schedule.nodes.size();
    std::vector<std::size_t> computed(schedule.chunks.size(), 0);
    for (std::size_t chunk = 0; chunk < schedule.chunks.size(); ++chunk) {
        std::vector<std::set<std::size_t>> held(nodes);
        for (std::size_t node = 0; node < nodes; ++node) held[node] = {node};
        for (const schedule::Transfer& transfer : schedule.transfers) {
            if (chunk < transfer.chunk || chunk >= transfer.chunk + transfer.chunks) continue;
            auto& present = held[transfer.to];
            if (transfer.op == schedule::Op::copy) {
                present = held[transfer.from];
                continue;
            }
            present.insert(held[transfer.from].begin(), held[transfer.from].end());
            if (present.size() == nodes) ++computed[chunk];
        }
    }
    return computed;
}

}  // namespace espalier::test
