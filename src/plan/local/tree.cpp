#include "plan/local/tree.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan::local {

namespace {

constexpr std::size_t data_chunk = 0;
constexpr std::size_t control_chunk = 1;

std::vector<std::vector<std::size_t>> children_of(std::size_t nodes, const ParentOf& parent_of) {
    std::vector<std::vector<std::size_t>> children(nodes);
    for (std::size_t position = 1; position < nodes; ++position) {
        assert(parent_of(position) < position);
        children[parent_of(position)].push_back(position);
    }
    return children;
}

}  // namespace

std::size_t usable_segments(Bytes bytes, std::size_t segments) {
    return std::clamp<std::size_t>(segments, 1, std::max<std::size_t>(1, bytes.value));
}

std::size_t best_segments(std::size_t most, const std::function<Seconds(std::size_t)>& time) {
    std::size_t best = 1;
    Seconds least = time(best);
    // Compared with half of it, so that doubling can't overflow.
    for (std::size_t segments = 1; segments <= most / 2;) {
        segments *= 2;
        const Seconds found = time(segments);
        if (!(found < least)) continue;
        least = found;
        best = segments;
    }
    return best;
}

Bytes segment_size(Bytes bytes, std::size_t segments) {
    const std::size_t usable = usable_segments(bytes, segments);
    return Bytes(bytes.value / usable + (bytes.value % usable == 0 ? 0 : 1));
}

std::size_t node_at(const Problem& problem, std::size_t root, std::size_t position) {
    assert(root < problem.nodes && position < problem.nodes);
    return (root + position) % problem.nodes;
}

schedule::Schedule without_transfers(const Problem& problem, std::size_t root,
                                     std::size_t segments) {
    assert(root < problem.nodes);
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::broadcast;
    schedule.collective.nodes = problem.nodes;
    schedule.collective.root = root;
    schedule.collective.bytes = problem.bytes;
    schedule.nodes.reserve(problem.nodes);
    for (std::size_t node = 0; node < problem.nodes; ++node)
        schedule.nodes.push_back(std::to_string(node));
    schedule::Chunk message;
    message.bytes = problem.bytes;
    message.segments = usable_segments(problem.bytes, segments);
    schedule.chunks.push_back(message);
    return schedule;
}

schedule::Schedule along_tree(const Problem& problem, std::size_t root, std::size_t segments,
                              const ParentOf& parent_of) {
    schedule::Schedule schedule = without_transfers(problem, root, segments);
    schedule.transfers.reserve(problem.nodes - 1);
    for (std::size_t position = 1; position < problem.nodes; ++position) {
        schedule::Transfer transfer;
        transfer.from = node_at(problem, root, parent_of(position));
        transfer.to = node_at(problem, root, position);
        transfer.chunk = data_chunk;
        schedule.transfers.push_back(transfer);
    }
    return schedule;
}

schedule::Schedule along_tree_by_rendezvous(const Problem& problem, std::size_t root,
                                            const ParentOf& parent_of) {
    schedule::Schedule schedule = without_transfers(problem, root, 1);
    if (problem.nodes == 1) return schedule;
    schedule::Chunk control;
    control.bytes = schedule::control_bytes;
    control.control = true;
    schedule.chunks.push_back(control);

    const auto add = [&](std::size_t from, std::size_t to, std::size_t chunk,
                         std::optional<std::size_t> after) {
        schedule::Transfer transfer;
        transfer.from = node_at(problem, root, from);
        transfer.to = node_at(problem, root, to);
        transfer.chunk = chunk;
        transfer.after = after;
        schedule.transfers.push_back(transfer);
        return schedule.transfers.size() - 1;
    };

    const auto children = children_of(problem.nodes, parent_of);
    std::vector<std::optional<std::size_t>> delivery(problem.nodes);  // the transfer of the data
    for (std::size_t parent = 0; parent < problem.nodes; ++parent) {
        const auto& below = children[parent];
        std::vector<std::size_t> handshake;
        for (const std::size_t child : below)
            handshake.push_back(add(parent, child, control_chunk, delivery[parent]));
        for (std::size_t i = 0; i < below.size(); ++i)
            handshake[i] = add(below[i], parent, control_chunk, handshake[i]);
        for (std::size_t i = 0; i < below.size(); ++i)
            delivery[below[i]] = add(parent, below[i], data_chunk, handshake[i]);
    }
    return schedule;
}

}  // namespace espalier::plan::local
