#include "plan/local/scatter_collect.hpp"

#include "plan/local/tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace espalier::plan::local {

namespace {

/// The blocks first .. last - 1.
struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
    [[nodiscard]] bool contains(std::size_t block) const { return first <= block && block < last; }
};

/// The blocks that each position holds after the scatter. Position i owns block i; there are fewer
/// blocks than nodes only if the message has fewer bytes.
class Scattering {
public:
    Scattering(std::size_t nodes, Bytes bytes)
        : nodes_(nodes), blocks_(usable_segments(bytes, nodes)) {}

    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    /// The blocks of a position's whole subtree: as many as the position's lowest set bit, cut at
    /// the end.
    [[nodiscard]] Range held_by(std::size_t position) const {
        if (position == 0) return {0, blocks_};
        const std::size_t width = position & (~position + 1);
        return {std::min(position, blocks_), std::min(position + width, blocks_)};
    }
    /// The farthest child's distance, a power of two; each next child is at half of it.
    [[nodiscard]] std::size_t farthest_child(std::size_t position) const {
        return position == 0 ? std::bit_ceil(nodes_) / 2 : (position & (~position + 1)) / 2;
    }

private:
    std::size_t nodes_;
    std::size_t blocks_;
};

/// The largest subtree first, all its blocks in one message.
template <typename Add>
void scatter(const Scattering& scattering, std::size_t nodes, const Add& add) {
    for (std::size_t parent = 0; parent < nodes; ++parent)
        for (std::size_t away = scattering.farthest_child(parent); away > 0; away /= 2) {
            const std::size_t child = parent + away;
            if (child >= nodes) continue;
            const Range range = scattering.held_by(child);
            if (range.first < range.last) add(parent, child, range);
        }
}

/// Adds the steps that collect the blocks round the ring: in step t position i passes block i - t
/// (mod P) on to i + 1. Nothing goes back to the root.
template <typename Add>
void collect(const Scattering& scattering, std::size_t nodes, const Add& add) {
    for (std::size_t step = 0; step + 1 < nodes; ++step)
        for (std::size_t position = 0; position + 1 < nodes; ++position) {
            const std::size_t block = (position + nodes - step) % nodes;
            if (block < scattering.blocks() && !scattering.held_by(position + 1).contains(block))
                add(position, position + 1, Range{block, block + 1});
        }
}

// (log2 P + P - 1) L + 2 ((P-1)/P) g(m); L where it depends on size is that of a block.
Seconds printed_time(const Problem& problem, std::size_t) {
    const auto nodes = static_cast<double>(problem.nodes);
    const Bytes block = segment_size(problem.bytes, problem.nodes);
    return (std::log2(nodes) + nodes - 1) * problem.link.latency(block) +
           2 * (nodes - 1) / nodes * problem.link.gap(problem.bytes);
}

schedule::Schedule make(const Problem& problem, std::size_t root, std::size_t) {
    schedule::Schedule schedule = without_transfers(problem, root, 1);
    if (problem.nodes == 1) return schedule;
    const Scattering scattering(problem.nodes, problem.bytes);
    const std::uint64_t share = problem.bytes.value / scattering.blocks();
    const std::uint64_t longer = problem.bytes.value % scattering.blocks();
    schedule.chunks.clear();
    for (std::size_t block = 0; block < scattering.blocks(); ++block) {
        schedule::Chunk chunk;
        chunk.bytes = Bytes(share + (block < longer ? 1 : 0));
        schedule.chunks.push_back(chunk);
    }
    const auto add = [&](std::size_t from, std::size_t to, Range blocks) {
        schedule::Transfer transfer;
        transfer.from = node_at(problem, root, from);
        transfer.to = node_at(problem, root, to);
        transfer.chunk = blocks.first;
        transfer.chunks = blocks.last - blocks.first;
        schedule.transfers.push_back(transfer);
    };
    scatter(scattering, problem.nodes, add);
    collect(scattering, problem.nodes, add);
    return schedule;
}

}  // namespace

Strategy scatter_collect() { return {printed_time, make, false}; }

}  // namespace espalier::plan::local
