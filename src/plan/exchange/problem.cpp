#include "plan/exchange/problem.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace espalier::plan::exchange {

std::vector<simulate::Slots> Problem::sending_ports() const {
    return send_ready.empty() ? std::vector(nodes(), simulate::Slots(ports, 0)) : send_ready;
}

std::vector<simulate::Slots> Problem::receiving_ports() const {
    return receive_ready.empty() ? std::vector(nodes(), simulate::Slots(ports, 0)) : receive_ready;
}

Problem make_problem(const simulate::Fabric& fabric, schedule::Collective collective,
                     std::size_t ports) {
    const std::size_t nodes = fabric.nodes();
    require_order(collective.sizes ? collective.sizes->rows() : collective.nodes,
                  collective.sizes ? collective.sizes->columns() : collective.nodes, nodes,
                  "sizes");
    Problem problem{.fabric = &fabric, .collective = std::move(collective), .ports = ports};
    constexpr double longest = 1e300;
    double total = 0;
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            const Bytes bytes = problem.collective.block(from, to);
            if (from == to || bytes.value == 0) continue;
            const auto cost = fabric.cost(from, to, bytes);
            total += (cost.gap + cost.latency).value;
            if (!(total < longest))
                throw InputError(fmt::format(
                    "what messages take, up to that from node {} to node {}, is too long "
                    "a time for numbers to hold",
                    from, to));
            problem.messages.push_back({from, to, bytes, cost.gap.value, cost.latency.value});
        }
    return problem;
}

void require_order(std::size_t rows, std::size_t columns, std::size_t nodes,
                   std::string_view what) {
    if (rows != nodes || columns != nodes)
        throw InputError(fmt::format("the matrix of {} is {} x {}, and there are {} nodes", what,
                                     rows, columns, nodes));
}

}  // namespace espalier::plan::exchange
