#include "plan/exchange_plan.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace espalier::plan {

namespace {

using exchange::Message;
using exchange::Problem;

}  // namespace

std::shared_ptr<const Matrix<Bytes>> ExchangeRequest::uniform(std::size_t nodes, Bytes bytes) {
    return std::make_shared<const Matrix<Bytes>>(nodes, nodes, bytes);
}

void require_order(std::size_t rows, std::size_t columns, std::size_t nodes,
                   std::string_view what) {
    if (rows != nodes || columns != nodes)
        throw InputError(fmt::format("the matrix of {} is {} x {}, and there are {} nodes", what,
                                     rows, columns, nodes));
}

Problem make_exchange_problem(const simulate::Fabric& fabric, const ExchangeRequest& request) {
    const std::size_t nodes = fabric.nodes();
    const Matrix<Bytes>& sizes = *request.sizes;
    require_order(sizes.rows(), sizes.columns(), nodes, "sizes");

    Problem problem{.fabric = &fabric, .ports = request.ports};
    constexpr double longest = 1e300;
    double total = 0;
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            const Bytes bytes = sizes(from, to);
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

schedule::Schedule with_sizes(schedule::Schedule schedule, const ExchangeRequest& request,
                              std::vector<std::string> names) {
    schedule.nodes = std::move(names);
    const Matrix<Bytes>& sizes = *request.sizes;
    bool uniform = true;
    std::optional<Bytes> first;
    for (std::size_t from = 0; from < sizes.rows(); ++from)
        for (std::size_t to = 0; to < sizes.columns(); ++to) {
            if (from == to) continue;
            if (!first) first = sizes(from, to);
            uniform = uniform && sizes(from, to) == *first;
            schedule.collective.bytes = std::max(schedule.collective.bytes, sizes(from, to));
        }
    if (!uniform) schedule.collective.sizes = request.sizes;
    return schedule;
}

schedule::Schedule make_exchange_schedule(const Problem& problem, const exchange::Found& found,
                                          const ExchangeRequest& request,
                                          std::vector<std::string> names) {
    return with_sizes(exchange::make_schedule(problem, found), request, std::move(names));
}

}  // namespace espalier::plan
