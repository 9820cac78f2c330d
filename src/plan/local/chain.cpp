#include "plan/local/chain.hpp"

#include "plan/local/tree.hpp"

namespace espalier::plan::local {

namespace {

constexpr Bytes control{1};

std::size_t one_before(std::size_t position) { return position - 1; }

double hops(const Problem& problem) { return static_cast<double>(problem.nodes - 1); }

// (P-1) (g(m) + L)
Seconds whole_time(const Problem& problem, std::size_t) {
    return hops(problem) * problem.link.delivery(problem.bytes);
}

// (P-1) (g(m) + 2 g(1) + 3 L)
Seconds rendezvous_time(const Problem& problem, std::size_t) {
    return hops(problem) *
           (problem.link.delivery(problem.bytes) + 2.0 * problem.link.delivery(control));
}

// (P-1) (g(s) + L) + g(s) (k-1)
Seconds segmented_time(const Problem& problem, std::size_t segments) {
    if (problem.nodes == 1) return Seconds(0);
    const Bytes size = segment_size(problem.bytes, segments);
    const auto followers = static_cast<double>(usable_segments(problem.bytes, segments) - 1);
    return hops(problem) * problem.link.delivery(size) + followers * problem.link.gap(size);
}

schedule::Schedule whole(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree(problem, root, 1, one_before);
}

schedule::Schedule by_rendezvous(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree_by_rendezvous(problem, root, one_before);
}

schedule::Schedule in_segments(const Problem& problem, std::size_t root, std::size_t segments) {
    return along_tree(problem, root, segments, one_before);
}

}  // namespace

Strategy chain() { return {whole_time, whole, false}; }
Strategy chain_rendezvous() { return {rendezvous_time, by_rendezvous, false}; }
Strategy chain_segmented() { return {segmented_time, in_segments, true}; }

}  // namespace espalier::plan::local
