#include "plan/bounds/links.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace espalier::plan::bounds {

namespace {

Link least_cost(const simulate::Fabric& fabric, std::size_t from, std::size_t to, Bytes all) {
    try {
        const auto floor = fabric.floor(from, to, all);
        const double spread = floor.startup.value / std::max(1.0, static_cast<double>(all.value));
        return {floor.latency.value, floor.startup.value,
                std::max(0.0, floor.seconds_per_byte - spread), floor.gap.value};
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace

Matrix<Link> least_costs(const simulate::Fabric& fabric, Bytes all) {
    Matrix<Link> links(fabric.nodes(), fabric.nodes());
    for (std::size_t from = 0; from < fabric.nodes(); ++from)
        for (std::size_t to = 0; to < fabric.nodes(); ++to)
            if (from != to) links(from, to) = least_cost(fabric, from, to, all);
    return links;
}

}  // namespace espalier::plan::bounds
