#include "plan/local/shapes.hpp"

#include "plan/local/tree.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace espalier::plan::local {

namespace {

/// The numbers of latencies and of gaps that Table 1 prints for a whole message.
struct Counts {
    double latencies = 0;
    double gaps = 0;
};

struct Flat {
    static std::size_t parent(std::size_t) { return 0; }
    static Counts counts(std::size_t nodes) { return {1, static_cast<double>(nodes - 1)}; }
};

struct Chain {
    static std::size_t parent(std::size_t position) { return position - 1; }
    static Counts counts(std::size_t nodes) {
        return {static_cast<double>(nodes - 1), static_cast<double>(nodes - 1)};
    }
};

/// Position i receives in the round of its highest bit, from the position without that bit. So a
/// last round that is not full adds leaves only, and the nodes of one round are the first ones.
struct Binomial {
    static std::size_t parent(std::size_t position) { return position - std::bit_floor(position); }
    static Counts counts(std::size_t nodes) {
        return {static_cast<double>(std::bit_width(nodes - 1)),
                static_cast<double>(std::bit_width(nodes) - 1)};
    }
};

struct Binary {
    static std::size_t parent(std::size_t position) { return (position - 1) / 2; }
    /// Upper bounds: the last level may be incomplete.
    static Counts counts(std::size_t nodes) {
        const auto levels = static_cast<double>(std::bit_width(nodes - 1));
        return {levels, 2 * levels};
    }
};

struct StemBinary {
    static std::size_t parent(std::size_t position) { return position == 1 ? 0 : position / 2; }
};

template <typename Shape>
Seconds whole_time(const Problem& problem, std::size_t) {
    if (problem.nodes == 1) return Seconds(0);
    const auto [latencies, gaps] = Shape::counts(problem.nodes);
    return latencies * problem.link.latency(problem.bytes) + gaps * problem.link.gap(problem.bytes);
}

/// Each hop begins with a handshake: a request and an answer of one byte.
template <typename Shape>
Seconds rendezvous_time(const Problem& problem, std::size_t) {
    if (problem.nodes == 1) return Seconds(0);
    return whole_time<Shape>(problem, 1) +
           Shape::counts(problem.nodes).latencies *
               (2.0 * problem.link.delivery(schedule::control_bytes));
}

/// The printed formula of a segmented tree: every segment takes the gaps of a whole message.
template <typename Shape>
Seconds segmented_time(const Problem& problem, std::size_t segments) {
    if (problem.nodes == 1) return Seconds(0);
    const Bytes size = segment_size(problem.bytes, segments);
    const auto count = static_cast<double>(usable_segments(problem.bytes, segments));
    const auto [latencies, gaps] = Shape::counts(problem.nodes);
    return latencies * problem.link.latency(size) + gaps * count * problem.link.gap(size);
}

/// A pipeline: (P-1) (g(s) + L) + g(s) (k-1).
template <>
Seconds segmented_time<Chain>(const Problem& problem, std::size_t segments) {
    if (problem.nodes == 1) return Seconds(0);
    const Bytes size = segment_size(problem.bytes, segments);
    const auto followers = static_cast<double>(usable_segments(problem.bytes, segments) - 1);
    return static_cast<double>(problem.nodes - 1) * problem.link.delivery(size) +
           followers * problem.link.gap(size);
}

/// Exact where k divides m: the first segment reaches the last leaf, then one follows every period,
/// in which the busiest node sends to its children.
template <>
Seconds segmented_time<StemBinary>(const Problem& problem, std::size_t segments) {
    if (problem.nodes == 1) return Seconds(0);
    const std::size_t used = usable_segments(problem.bytes, segments);
    const Bytes size = segment_size(problem.bytes, used);
    const Seconds gap = problem.link.gap(size);
    const Seconds latency = problem.link.latency(size);
    std::vector<double> reached(problem.nodes, 0);  // when each position holds the first segment
    std::vector<double> sends(problem.nodes, 0);
    for (std::size_t position = 1; position < problem.nodes; ++position) {
        const std::size_t from = StemBinary::parent(position);
        reached[position] = reached[from] + (++sends[from]) * gap.value + latency.value;
    }
    const double period = *std::ranges::max_element(sends);
    return Seconds(*std::ranges::max_element(reached)) +
           gap * (period * static_cast<double>(used - 1));
}

template <typename Shape>
Strategy whole() {
    return {whole_time<Shape>,
            [](const Problem& problem, std::size_t root, std::size_t) {
                return along_tree(problem, root, 1, Shape::parent);
            },
            false};
}

template <typename Shape>
Strategy by_rendezvous() {
    return {rendezvous_time<Shape>,
            [](const Problem& problem, std::size_t root, std::size_t) {
                return along_tree_by_rendezvous(problem, root, Shape::parent);
            },
            false};
}

template <typename Shape>
Strategy in_segments() {
    return {segmented_time<Shape>,
            [](const Problem& problem, std::size_t root, std::size_t segments) {
                return along_tree(problem, root, segments, Shape::parent);
            },
            true};
}

}  // namespace

Strategy flat() { return whole<Flat>(); }
Strategy flat_rendezvous() { return by_rendezvous<Flat>(); }
Strategy flat_segmented() { return in_segments<Flat>(); }
Strategy chain() { return whole<Chain>(); }
Strategy chain_rendezvous() { return by_rendezvous<Chain>(); }
Strategy chain_segmented() { return in_segments<Chain>(); }
Strategy binomial() { return whole<Binomial>(); }
Strategy binomial_rendezvous() { return by_rendezvous<Binomial>(); }
Strategy binomial_segmented() { return in_segments<Binomial>(); }
Strategy binary() { return whole<Binary>(); }
Strategy stem_binary() { return in_segments<StemBinary>(); }

}  // namespace espalier::plan::local
