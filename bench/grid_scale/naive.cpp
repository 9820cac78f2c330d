#include "naive.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace espalier::scale {
namespace {

using plan::grid::Order;
using plan::grid::Problem;

/// The look-ahead of node j, given the other nodes that wait.
using LookAhead =
    std::function<double(const Problem&, std::size_t, const std::vector<std::size_t>&)>;

LookAhead extreme(bool least, bool with_inner) {
    return [=](const Problem& problem, std::size_t j, const std::vector<std::size_t>& waiting) {
        double best = infinity;
        for (const std::size_t k : waiting) {
            if (k == j) continue;
            const double time = problem.delivery(j, k) + (with_inner ? problem.inner[k] : 0);
            best = std::min(best, least ? time : -time);
        }
        return best == infinity ? 0 : (least ? best : -best);
    };
}

double average(const Problem& problem, std::size_t j, const std::vector<std::size_t>& waiting) {
    double sum = 0;
    for (const std::size_t k : waiting)
        if (k != j) sum += problem.delivery(j, k);
    return waiting.size() == 1 ? 0 : sum / static_cast<double>(waiting.size() - 1);
}

std::optional<LookAhead> look_ahead_of(std::string_view name) {
    if (name == "ecef-la") return extreme(true, false);
    if (name == "ecef-lat-min") return extreme(true, true);
    if (name == "ecef-lat-max") return extreme(false, true);
    if (name == "ecef-la-average-b") return average;
    if (name == "ecef" || name == "fef" || name == "bottom-up")
        return [](const Problem&, std::size_t, const std::vector<std::size_t>&) { return 0.0; };
    return std::nullopt;
}

}  // namespace

std::optional<Order> naive_order(std::string_view name, const Problem& problem) {
    const auto look_ahead = look_ahead_of(name);
    if (!look_ahead) return std::nullopt;
    std::vector<double> ready(problem.size(), 0);
    std::vector<std::size_t> holding{problem.root};
    std::vector<std::size_t> waiting;
    for (std::size_t j = 0; j < problem.size(); ++j)
        if (j != problem.root) waiting.push_back(j);
    const bool slowest = name == "bottom-up";
    const bool by_latency = name == "fef";
    Order order;
    while (!waiting.empty()) {
        double chosen = slowest ? -infinity : infinity;
        plan::grid::Send send;
        for (const std::size_t j : waiting) {
            const double after = slowest ? problem.inner[j] : (*look_ahead)(problem, j, waiting);
            double best = infinity;
            std::size_t sender = problem.root;
            for (const std::size_t i : holding) {
                const double arrival =
                    by_latency ? problem.latency(i, j) : ready[i] + problem.delivery(i, j);
                if (arrival > best || (arrival == best && i > sender)) continue;
                best = arrival;
                sender = i;
            }
            if (slowest ? best + after <= chosen : best + after >= chosen) continue;
            chosen = best + after;
            send = {.from = sender, .to = j};
        }
        ready[send.to] = ready[send.from] + problem.delivery(send.from, send.to);
        ready[send.from] += problem.gap(send.from, send.to);
        holding.push_back(send.to);
        std::erase(waiting, send.to);
        order.push_back(send);
    }
    return order;
}

}  // namespace espalier::scale
