#include "support/final_values.hpp"

#include <map>
#include <set>
#include <utility>

namespace espalier::test {

std::vector<std::size_t> final_values(const schedule::Schedule& schedule) {
    const std::size_t nodes = schedule.nodes.size();
    std::vector<std::size_t> found;
    for (std::size_t chunk = 0; chunk < schedule.chunks.size(); ++chunk) {
        // A number for each sum, the operands' first.
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> sums;
        std::vector<std::size_t> held(nodes);
        for (std::size_t node = 0; node < nodes; ++node) held[node] = node;
        for (const schedule::Transfer& transfer : schedule.transfers) {
            if (chunk < transfer.chunk || chunk >= transfer.chunk + transfer.chunks) continue;
            const std::size_t incoming = held[transfer.from];
            std::size_t& present = held[transfer.to];
            present = transfer.op == schedule::Op::copy
                          ? incoming
                          : sums.try_emplace(std::minmax(incoming, present), nodes + sums.size())
                                .first->second;
        }
        found.push_back(std::set(held.begin(), held.end()).size());
    }
    return found;
}

}  // namespace espalier::test
