#include "plan/local/d_ary.hpp"

#include "plan/local/tree.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::plan::local {

namespace {

/// The last level of a complete tree: its depth, and how many positions lie before the last one in
/// it.
struct LastLevel {
    std::size_t depth = 0;
    std::size_t last = 0;
};

LastLevel last_level(std::size_t nodes, std::size_t degree) {
    LastLevel level{0, nodes - 1};
    for (std::size_t width = 1; level.last >= width; width *= degree) {
        level.last -= width;
        ++level.depth;
    }
    return level;
}

/// Child c (0 .. d-1) of a node waits for c + 1 sends, so a position on the last level waits for
/// the sum of its path's digits in base d, and one more a level. This is the greatest sum on that
/// level: that of the last position, or of one whose digit is one less somewhere and d - 1 ever
/// after.
std::size_t greatest_digit_sum(LastLevel level, std::size_t degree) {
    std::size_t greatest = 0;  // over what the lower digits may be
    std::size_t all_full = 0;  // their sum if each is d - 1
    for (std::size_t i = 0; i < level.depth; ++i) {
        const std::size_t digit = level.last % degree;
        greatest += digit;
        if (digit > 0) greatest = std::max(greatest, all_full + digit - 1);
        all_full += degree - 1;
        level.last /= degree;
    }
    return greatest;
}

}  // namespace

Seconds d_ary_time(const Problem& problem, std::size_t degree, std::size_t segments) {
    assert(degree >= 1 && degree < problem.nodes);
    const Bytes size = segment_size(problem.bytes, segments);
    const Seconds gap = problem.link.gap(size);
    const Seconds latency = problem.link.latency(size);
    const LastLevel level = last_level(problem.nodes, degree);
    const auto depth = static_cast<double>(level.depth);
    const Seconds on_last_level =
        (depth + static_cast<double>(greatest_digit_sum(level, degree))) * gap + depth * latency;
    const Seconds on_level_above = (depth - 1) * (static_cast<double>(degree) * gap + latency);
    // No node has more children than the root, so none falls behind it.
    const auto followers = static_cast<double>(usable_segments(problem.bytes, segments) - 1);
    return followers * static_cast<double>(degree) * gap + std::max(on_last_level, on_level_above);
}

std::size_t best_degree(const Problem& problem, std::size_t segments) {
    std::size_t best = 1;
    if (problem.nodes == 1) return best;
    Seconds least = d_ary_time(problem, best, segments);
    for (std::size_t degree = 2; degree < problem.nodes; ++degree) {
        const Seconds time = d_ary_time(problem, degree, segments);
        if (time < least) {
            least = time;
            best = degree;
        }
    }
    return best;
}

namespace {

Seconds time_at_best_degree(const Problem& problem, std::size_t segments) {
    if (problem.nodes == 1) return Seconds(0);
    return d_ary_time(problem, best_degree(problem, segments), segments);
}

schedule::Schedule make_at_best_degree(const Problem& problem, std::size_t root,
                                       std::size_t segments) {
    const std::size_t degree = best_degree(problem, segments);
    return along_tree(problem, root, segments,
                      [degree](std::size_t position) { return (position - 1) / degree; });
}

}  // namespace

Strategy d_ary() { return {time_at_best_degree, make_at_best_degree, true}; }

}  // namespace espalier::plan::local
