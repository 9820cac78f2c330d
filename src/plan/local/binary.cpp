#include "plan/local/binary.hpp"

#include "plan/local/tree.hpp"

#include <bit>

namespace espalier::plan::local {

namespace {

// at most ceil(log2 P) (2 g(m) + L)
Seconds bound(const Problem& problem, std::size_t) {
    const auto levels = static_cast<double>(std::bit_width(problem.nodes - 1));
    return levels * (2.0 * problem.link.gap(problem.bytes) + problem.link.latency(problem.bytes));
}

schedule::Schedule whole(const Problem& problem, std::size_t root, std::size_t) {
    return along_tree(problem, root, 1, [](std::size_t position) { return (position - 1) / 2; });
}

}  // namespace

Strategy binary() { return {bound, whole, false}; }

}  // namespace espalier::plan::local
