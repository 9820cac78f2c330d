#include "runtime/logic/laying.hpp"

#include "core/text.hpp"
#include "plan/placing.hpp"
#include "schedule/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <numeric>
#include <utility>

namespace espalier::runtime {

namespace {

/// Of messages along edges of the mean weight: what MPI is told has no unit.
constexpr std::array short_and_long{Bytes(1 << 10), Bytes(64 << 10)};
/// Of a search, about half a second.
constexpr std::uint64_t most_steps = 200'000'000;

/// All edges at once, of a mean size.
plan::Performance exchange(const std::vector<Edge>& edges, std::size_t ranks, Bytes mean) {
    double sum = 0;
    for (const Edge& edge : edges) sum += edge.weight;
    const double unit = static_cast<double>(mean.value) * static_cast<double>(edges.size()) / sum;
    schedule::Round round;
    for (const Edge& edge : edges) {
        const double bytes = std::max(edge.weight * unit, 1.0);
        round.push_back({edge.from, edge.to, Bytes(static_cast<std::uint64_t>(bytes))});
    }
    schedule::Schedule messages;
    messages.collective.kind = schedule::Kind::alltoall;
    messages.collective.nodes = ranks;
    messages.collective.bytes = mean;
    messages.nodes.resize(ranks);
    schedule::add(messages, {std::move(round)});
    return plan::Performance::at_once(std::move(messages));
}

}  // namespace

Laid lay(const network::GridView& view, const std::vector<network::GridView::Place>& places,
         const std::vector<Edge>& edges) {
    Laid laid;
    laid.ranks.resize(places.size());
    std::iota(laid.ranks.begin(), laid.ranks.end(), std::size_t{0});
    std::vector<Edge> crossing;
    for (const Edge& edge : edges)
        if (edge.from != edge.to && edge.weight > 0) crossing.push_back(edge);
    if (crossing.empty()) return laid;
    try {
        plan::PlacingProblem problem{&view, places, 1, {}};
        for (const Bytes size : short_and_long)
            problem.performances.push_back(exchange(crossing, places.size(), size));
        plan::Placing placed = plan::place(problem, {Seconds(1e8), most_steps});
        laid.is_as_given = placed.hosts == laid.ranks;
        laid.ranks = std::move(placed.hosts);
        laid.gain =
            fmt::format("{} in place of {} for short messages, {} in place of {} for long",
                        format_seconds(placed.placed.front()), format_seconds(placed.given.front()),
                        format_seconds(placed.placed.back()), format_seconds(placed.given.back()));
    } catch (const std::exception& error) {
        laid.gain = error.what();
    }
    return laid;
}

std::vector<Edge> edges_of_grid(const std::vector<int>& sides, const std::vector<int>& wraps) {
    std::size_t vertices = 1;
    for (const int side : sides) vertices *= static_cast<std::size_t>(side);
    std::vector<Edge> edges;
    std::size_t stride = vertices;
    for (std::size_t dimension = 0; dimension < sides.size(); ++dimension) {
        const auto side = static_cast<std::size_t>(sides[dimension]);
        stride /= side;
        for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
            const std::size_t at = vertex / stride % side;
            if (at + 1 == side && wraps[dimension] == 0) continue;
            const std::size_t next = at + 1 == side ? vertex - at * stride : vertex + stride;
            edges.push_back({vertex, next, 1});
            edges.push_back({next, vertex, 1});
        }
    }
    return edges;
}

}  // namespace espalier::runtime
