#include "plan/ring_exchange.hpp"

#include "core/error.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange_plan.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::plan {

namespace {

Bytes as_bytes(double exchange) {
    constexpr double most = 0x1.0p52;  // two messages are still counted exactly
    if (exchange != std::floor(exchange) || exchange > most)
        throw InputError(
            fmt::format("a schedule's messages are whole bytes, and the exchange is {}", exchange));
    return Bytes(static_cast<std::uint64_t>(exchange));
}

}  // namespace

schedule::Plan ring_exchange(const schedule::Ring& ring, const network::LinksNetwork& platform,
                             const simulate::Fabric& fabric, std::vector<std::string> names) {
    const Bytes bytes = as_bytes(ring.exchange);
    std::vector<std::size_t> node;
    for (const std::size_t host : ring.order) {
        const auto found = std::ranges::find(names, platform.nodes[host].name);
        assert(found != names.end());
        node.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    const std::size_t size = node.size();
    Matrix<Bytes> sizes(names.size(), names.size());
    for (std::size_t place = 0; size > 1 && place < size; ++place)
        for (const std::size_t to : {(place + 1) % size, (place + size - 1) % size})
            sizes(node[place], node[to]) += bytes;

    ExchangeRequest request;
    request.sizes = std::make_shared<const Matrix<Bytes>>(std::move(sizes));
    request.ports = ring.sharing == schedule::RingSharing::fair ? 2 : 1;
    const exchange::Problem problem = make_exchange_problem(fabric, request);
    exchange::Order order;
    const auto add = [&](std::size_t from, std::size_t to) {
        for (std::size_t m = 0; m < problem.messages.size(); ++m)
            if (problem.messages[m].from == from && problem.messages[m].to == to)
                order.push_back(exchange::direct(problem, m));
    };
    for (std::size_t place = 0; size > 1 && place < size; ++place)
        add(node[place], node[(place + 1) % size]);
    // Two hosts are each other's successor and predecessor: one message holds both.
    for (std::size_t place = 0; size > 2 && place < size; ++place)
        add(node[place], node[(place + size - 1) % size]);

    schedule::Plan plan;
    plan.schedule = make_exchange_schedule(problem, {.order = order}, request, std::move(names));
    plan.schedule.algorithm = "ring";
    plan.timeline = simulate::simulate(plan.schedule, fabric);
    plan.lower_bound = Seconds(exchange::exchange_bound(problem));
    plan.scope = schedule::BoundScope::whole_message;
    return plan;
}

}  // namespace espalier::plan
