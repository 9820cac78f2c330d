#include "plan/local/stem_binary.hpp"

#include "plan/local/tree.hpp"

#include <algorithm>
#include <vector>

namespace espalier::plan::local {

namespace {

std::size_t parent(std::size_t position) { return position == 1 ? 0 : position / 2; }

// Exact where k divides m: the first segment reaches the last leaf, then one follows every period,
// in which the busiest node sends to its children.
Seconds time(const Problem& problem, std::size_t segments) {
    if (problem.nodes < 2) return Seconds(0);
    const std::size_t used = usable_segments(problem.bytes, segments);
    const Bytes size = segment_size(problem.bytes, used);
    const Seconds gap = problem.link.gap(size);
    const Seconds latency = problem.link.latency(size);
    std::vector<double> reached(problem.nodes, 0);  // when each position holds the first segment
    std::vector<double> sends(problem.nodes, 0);
    Seconds last(0);
    for (std::size_t position = 1; position < problem.nodes; ++position) {
        const std::size_t from = parent(position);
        reached[position] = reached[from] + (++sends[from]) * gap.value + latency.value;
        last = std::max(last, Seconds(reached[position]));
    }
    const double period = *std::max_element(sends.begin(), sends.end());
    return last + gap * (period * static_cast<double>(used - 1));
}

schedule::Schedule make(const Problem& problem, std::size_t root, std::size_t segments) {
    return along_tree(problem, root, segments, parent);
}

}  // namespace

Strategy stem_binary() { return {time, make, true}; }

}  // namespace espalier::plan::local
