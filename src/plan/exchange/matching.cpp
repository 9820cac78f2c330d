#include "plan/exchange/matching.hpp"

#include "core/matrix.hpp"
#include "plan/exchange/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace espalier::plan::exchange {

namespace {

/// All edges between senders and receivers, by sender and then by receiver. `towards` is 1 where
/// light matchings are wanted, -1 for heavy ones.
std::vector<Edge> make_edges(const Problem& problem, int towards) {
    const std::size_t nodes = problem.nodes();
    double longest = 0;
    for (const Message& message : problem.messages) longest = std::max(longest, message.duration());
    const auto most = static_cast<double>(greatest_edge_cost(nodes));
    std::vector<Edge> edges;
    edges.reserve(nodes * nodes);
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) edges.push_back({from, to, 0});
    if (longest > 0)
        for (const Message& message : problem.messages)
            edges[message.from * nodes + message.to].cost =
                towards * std::llround(message.duration() / longest * most);
    return edges;
}

Found match(const Problem& problem, int towards) {
    const std::size_t nodes = problem.nodes();
    Matrix<std::optional<std::size_t>> messages(nodes, nodes);
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        messages(problem.messages[m].from, problem.messages[m].to) = m;

    Found found;
    std::vector<Edge> left = make_edges(problem, towards);
    // What is left has as many edges at every node: there is always another complete matching.
    while (found.order.size() < problem.messages.size()) {
        const auto matching = least_matching(nodes, left);
        for (const std::size_t e : matching)
            if (const auto message = messages(left[e].left, left[e].right))
                found.order.push_back(*message);
        std::vector<Edge> rest;
        rest.reserve(left.size());
        for (std::size_t e = 0; e < left.size(); ++e)
            if (matching[left[e].left] != e) rest.push_back(left[e]);
        left = std::move(rest);
    }
    return found;
}

}  // namespace

Found matching_max(const Problem& problem, Meter&) { return match(problem, -1); }
Found matching_min(const Problem& problem, Meter&) { return match(problem, 1); }

}  // namespace espalier::plan::exchange
