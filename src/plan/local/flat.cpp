#include "plan/local/flat.hpp"

#include "plan/local/tree.hpp"

namespace espalier::plan::local {

namespace {

constexpr Bytes control{1};

std::size_t root_of(std::size_t) { return 0; }

double receivers(const Problem& problem) { return static_cast<double>(problem.nodes - 1); }

// L + (P-1) g(m)
Seconds whole_time(const Problem& problem, std::size_t) {
    if (problem.nodes == 1) return Seconds(0);
    return problem.link.latency(problem.bytes) +
           receivers(problem) * problem.link.gap(problem.bytes);
}

// 3 L + (P-1) g(m) + 2 g(1)
Seconds rendezvous_time(const Problem& problem, std::size_t) {
    if (problem.nodes == 1) return Seconds(0);
    return whole_time(problem, 1) + 2.0 * problem.link.delivery(control);
}

// L + (P-1) g(s) k
Seconds segmented_time(const Problem& problem, std::size_t segments) {
    if (problem.nodes == 1) return Seconds(0);
    const Bytes size = segment_size(problem.bytes, segments);
    const auto count = static_cast<double>(usable_segments(problem.bytes, segments));
    return problem.link.latency(size) + receivers(problem) * count * problem.link.gap(size);
}

schedule::Schedule whole(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree(problem, root, 1, root_of);
}

schedule::Schedule by_rendezvous(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree_by_rendezvous(problem, root, root_of);
}

schedule::Schedule in_segments(const Problem& problem, std::size_t root, std::size_t segments) {
    return along_tree(problem, root, segments, root_of);
}

}  // namespace

Strategy flat() { return {whole_time, whole, false}; }
Strategy flat_rendezvous() { return {rendezvous_time, by_rendezvous, false}; }
Strategy flat_segmented() { return {segmented_time, in_segments, true}; }

}  // namespace espalier::plan::local
