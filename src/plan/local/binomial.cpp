#include "plan/local/binomial.hpp"

#include "plan/local/tree.hpp"

#include <bit>

namespace espalier::plan::local {

namespace {

constexpr Bytes control{1};

// Position i receives in the round of its highest bit, from the position without that bit. So a
// last round that is not full adds leaves only, and the nodes of one round are the first ones.
std::size_t without_highest_bit(std::size_t position) {
    return position - std::bit_floor(position);
}

double ceil_log2(std::size_t nodes) { return static_cast<double>(std::bit_width(nodes - 1)); }
double floor_log2(std::size_t nodes) { return static_cast<double>(std::bit_width(nodes) - 1); }

// ceil(log2 P) L + floor(log2 P) g(m)
Seconds whole_time(const Problem& problem, std::size_t) {
    return ceil_log2(problem.nodes) * problem.link.latency(problem.bytes) +
           floor_log2(problem.nodes) * problem.link.gap(problem.bytes);
}

// ceil(log2 P) (2 g(1) + 3 L) + floor(log2 P) g(m)
Seconds rendezvous_time(const Problem& problem, std::size_t) {
    return ceil_log2(problem.nodes) * (2.0 * problem.link.delivery(control)) +
           whole_time(problem, 1);
}

// ceil(log2 P) L + floor(log2 P) g(s) k
Seconds segmented_time(const Problem& problem, std::size_t segments) {
    const Bytes size = segment_size(problem.bytes, segments);
    const auto count = static_cast<double>(usable_segments(problem.bytes, segments));
    return ceil_log2(problem.nodes) * problem.link.latency(size) +
           floor_log2(problem.nodes) * count * problem.link.gap(size);
}

schedule::Schedule whole(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree(problem, root, 1, without_highest_bit);
}

schedule::Schedule by_rendezvous(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree_by_rendezvous(problem, root, without_highest_bit);
}

schedule::Schedule in_segments(const Problem& problem, std::size_t root, std::size_t segments) {
    return along_tree(problem, root, segments, without_highest_bit);
}

}  // namespace

Strategy binomial() { return {whole_time, whole, false}; }
Strategy binomial_rendezvous() { return {rendezvous_time, by_rendezvous, false}; }
Strategy binomial_segmented() { return {segmented_time, in_segments, true}; }

}  // namespace espalier::plan::local
