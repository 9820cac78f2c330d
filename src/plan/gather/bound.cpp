#include "plan/gather/bound.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace espalier::plan::gather {

namespace {
/// The steps up to a threshold.
class Graph {
public:
    Graph(const Matrix<double>& step, double threshold) : step_(step), threshold_(threshold) {}

    [[nodiscard]] bool can_have_ring() {
        return has_cover_by_cycles() && connects(nodes()) && connects_without_any_one();
    }

private:
    [[nodiscard]] std::size_t nodes() const { return step_.rows(); }
    [[nodiscard]] bool has(std::size_t from, std::size_t to) const {
        return from != to && step_(from, to) <= threshold_;
    }

    /// Whether all nodes but `without` are reached from one of them, along steps that `follows`
    /// says there are.
    template <typename Follows>
    [[nodiscard]] bool reaches_all(std::size_t without, Follows follows) const {
        const std::size_t first = without == 0 ? 1 : 0;
        std::vector<char> seen(nodes(), 0);
        std::vector<std::size_t> waiting{first};
        seen[first] = 1;
        std::size_t reached = 1;
        while (!waiting.empty()) {
            const std::size_t here = waiting.back();
            waiting.pop_back();
            for (std::size_t next = 0; next < nodes(); ++next) {
                if (next == without || seen[next] != 0 || !follows(here, next)) continue;
                seen[next] = 1;
                ++reached;
                waiting.push_back(next);
            }
        }
        return reached == nodes() - (without < nodes() ? 1 : 0);
    }
    [[nodiscard]] bool connects(std::size_t without) const {
        return reaches_all(without, [&](auto a, auto b) { return has(a, b); }) &&
               reaches_all(without, [&](auto a, auto b) { return has(b, a); });
    }
    /// Without one node, a ring is a path of all others: either way round may be missing.
    [[nodiscard]] bool connects_without_any_one() const {
        for (std::size_t node = 0; node < nodes(); ++node)
            if (!reaches_all(node, [&](auto a, auto b) { return has(a, b) || has(b, a); }))
                return false;
        return true;
    }

    /// Kuhn's augmenting paths.
    [[nodiscard]] bool has_cover_by_cycles() {
        predecessor_.assign(nodes(), nodes());
        for (std::size_t node = 0; node < nodes(); ++node) {
            seen_.assign(nodes(), 0);
            if (!finds_successor(node)) return false;
        }
        return true;
    }
    [[nodiscard]] bool finds_successor(std::size_t node) {
        for (std::size_t next = 0; next < nodes(); ++next) {
            if (seen_[next] != 0 || !has(node, next)) continue;
            seen_[next] = 1;
            if (predecessor_[next] == nodes() || finds_successor(predecessor_[next])) {
                predecessor_[next] = node;
                return true;
            }
        }
        return false;
    }

    const Matrix<double>& step_;
    double threshold_;
    std::vector<std::size_t> predecessor_;
    std::vector<char> seen_;
};

/// Each node has one step into it and one out of it.
double bound_of_degrees(const Matrix<double>& step) {
    double bound = 0;
    for (std::size_t node = 0; node < step.rows(); ++node) {
        double into = infinity;
        double out = infinity;
        for (std::size_t other = 0; other < step.rows(); ++other) {
            if (other == node) continue;
            into = std::min(into, step(other, node));
            out = std::min(out, step(node, other));
        }
        bound = std::max({bound, into, out});
    }
    return bound;
}

}  // namespace

double slowest_step_bound(const Problem& problem, Meter& meter) {
    const Matrix<double>& step = problem.step;
    const std::size_t nodes = step.rows();
    if (nodes < 2) return 0;
    const double least = bound_of_degrees(step);
    // Each graph is searched once without each of its nodes.
    const double edges = static_cast<double>(nodes) * static_cast<double>(nodes);
    const double steps = std::log2(edges) * static_cast<double>(nodes) * edges;
    if (nodes == 2 || !meter.affords(steps)) return least;
    meter.spend(static_cast<std::uint64_t>(steps));
    std::vector<double> thresholds;
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to)
            if (from != to && step(from, to) >= least) thresholds.push_back(step(from, to));
    std::ranges::sort(thresholds);
    const auto first = std::partition_point(
        thresholds.begin(), thresholds.end(),
        [&](double threshold) { return !Graph(step, threshold).can_have_ring(); });
    return first == thresholds.end() ? least : *first;
}

}  // namespace espalier::plan::gather
