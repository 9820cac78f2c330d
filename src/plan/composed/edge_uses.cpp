#include "plan/composed/edge_uses.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"

#include <cmath>

namespace espalier::plan::composed {

EdgeUses::EdgeUses(const simulate::Fabric& fabric, Bytes message, std::size_t ports)
    : gap_(fabric.nodes(), fabric.nodes(), never), latency_(fabric.nodes(), fabric.nodes(), never) {
    const std::size_t nodes = fabric.nodes();
    const auto capacities = fabric.capacities();
    const auto bytes = static_cast<double>(message.value);
    const auto share = 1 / static_cast<double>(ports);
    const std::size_t first_pair = 2 * nodes + capacities.size();
    resources_ = first_pair + (ports > 1 ? nodes * nodes : 0);
    const auto use = [&](std::size_t resource, double busy) {
        all_.push_back({static_cast<std::uint32_t>(resource), busy});
    };
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            if (from != to) {
                try {
                    const auto cost = fabric.cost(from, to, message);
                    gap_(from, to) = cost.gap.value;
                    latency_(from, to) = cost.latency.value;
                    use(from, cost.gap.value * share);
                    use(nodes + to, cost.gap.value * share);
                    for (const std::uint32_t c : fabric.draws(from, to))
                        if (std::isfinite(capacities[c].limit))
                            use(2 * nodes + c, bytes / capacities[c].limit);
                    if (ports > 1) use(first_pair + from * nodes + to, cost.gap.value);
                } catch (const InputError&) {
                    gap_(from, to) = never;  // nobody knows it, so nobody goes there
                }
            }
            first_.push_back(all_.size());
        }
}

bool EdgeUses::is_known(std::size_t from, std::size_t to) const { return gap_(from, to) < never; }

}  // namespace espalier::plan::composed
