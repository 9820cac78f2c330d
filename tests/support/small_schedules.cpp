#include "support/small_schedules.hpp"

#include <algorithm>
#include <string>

namespace espalier::testing {

namespace {

using schedule::Chunk;
using schedule::Collective;
using schedule::Kind;
using schedule::Op;
using schedule::Schedule;
using schedule::Transfer;

/// Whose contributions each node has of each chunk, as bits.
class Knowledge {
public:
    Knowledge(const Collective& collective, const std::vector<Chunk>& chunks)
        : collective_(&collective), chunks_(&chunks), held_(chunks.size(), collective.nodes, 0) {
        for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk)
            for (std::size_t node = 0; node < collective.nodes; ++node) {
                const std::size_t source = chunks[chunk].source.value_or(collective.root);
                if (combines() || node == source) held_(chunk, node) = 1U << node;
            }
    }

    [[nodiscard]] bool is_done() const {
        for (std::size_t chunk = 0; chunk < chunks_->size(); ++chunk)
            for (std::size_t node = 0; node < collective_->nodes; ++node)
                if (needs(chunk, node) && held_(chunk, node) != whole(chunk)) return false;
        return true;
    }

    /// All that would tell somebody something new.
    [[nodiscard]] std::vector<Transfer> moves() const {
        std::vector<Transfer> found;
        for (std::size_t chunk = 0; chunk < chunks_->size(); ++chunk)
            for (std::size_t from = 0; from < collective_->nodes; ++from)
                for (std::size_t to = 0; to < collective_->nodes; ++to) {
                    const unsigned has = held_(chunk, from);
                    const unsigned had = held_(chunk, to);
                    if ((has & ~had) == 0) continue;
                    const bool apart = (has & had) == 0 && had != 0;
                    if (apart || (has & had) == had)
                        found.push_back({from, to, chunk, apart ? Op::combine : Op::copy});
                }
        return found;
    }
    void make(const Transfer& move) { held_(move.chunk, move.to) |= held_(move.chunk, move.from); }

private:
    [[nodiscard]] bool combines() const { return schedule::combines(collective_->kind); }
    [[nodiscard]] bool needs(std::size_t chunk, std::size_t node) const {
        switch (collective_->kind) {
            case Kind::reduce:
            case Kind::gather:
                return node == collective_->root;
            default:
                return node == (*chunks_)[chunk].target.value_or(node);
        }
    }
    [[nodiscard]] unsigned whole(std::size_t chunk) const {
        return combines() ? (1U << collective_->nodes) - 1
                          : 1U << (*chunks_)[chunk].source.value_or(collective_->root);
    }

    const Collective* collective_;
    const std::vector<Chunk>* chunks_;
    Matrix<unsigned> held_;
};

Schedule empty_schedule(const Collective& collective, const std::vector<Chunk>& chunks,
                        schedule::Ports ports) {
    Schedule schedule;
    schedule.collective = collective;
    for (std::size_t node = 0; node < collective.nodes; ++node)
        schedule.nodes.push_back("n" + std::to_string(node));
    schedule.chunks = chunks;
    schedule.ports = ports;
    return schedule;
}

}  // namespace

std::vector<Chunk> pieces_of(const Collective& collective, std::size_t pieces) {
    std::vector<Chunk> chunks;
    const auto add = [&](Bytes bytes, std::optional<std::size_t> source,
                         std::optional<std::size_t> target) {
        for (std::size_t piece = 0; piece < pieces; ++piece)
            chunks.push_back({schedule::segment_bytes(bytes, pieces, piece), 1, source, target});
    };
    const auto one_for_each = [&](bool from) {
        for (std::size_t node = 0; node < collective.nodes; ++node)
            if (!schedule::has_root(collective.kind) || node != collective.root)
                from ? add(collective.block(node), node, std::nullopt)
                     : add(collective.block(node), std::nullopt, node);
    };
    switch (collective.kind) {
        case Kind::scatter:
        case Kind::reduce_scatter:
            one_for_each(false);
            break;
        case Kind::gather:
        case Kind::allgather:
            one_for_each(true);
            break;
        case Kind::alltoall:
            for (std::size_t from = 0; from < collective.nodes; ++from)
                for (std::size_t to = 0; to < collective.nodes; ++to)
                    if (from != to) add(collective.block(from, to), from, to);
            break;
        default:
            add(collective.bytes, std::nullopt, std::nullopt);
    }
    return chunks;
}

void for_every_schedule(const Collective& collective, const std::vector<Chunk>& chunks,
                        schedule::Ports ports, std::size_t most,
                        const std::function<void(const Schedule&)>& use) {
    Schedule schedule = empty_schedule(collective, chunks, ports);
    const auto extend = [&](auto& self, const Knowledge& known) -> void {
        if (known.is_done()) return use(schedule);
        if (schedule.transfers.size() == most) return;
        for (const Transfer& move : known.moves()) {
            Knowledge next = known;
            next.make(move);
            schedule.transfers.push_back(move);
            self(self, next);
            schedule.transfers.pop_back();
        }
    };
    extend(extend, Knowledge(collective, chunks));
}

Schedule random_schedule(Random& random, const Collective& collective,
                         const std::vector<Chunk>& chunks, schedule::Ports ports) {
    // Each chunk by itself, and then all mixed.
    std::vector<std::vector<Transfer>> paths;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        const std::vector<Chunk> alone{chunks[chunk]};
        auto& path = paths.emplace_back();
        Knowledge known(collective, alone);
        while (!known.is_done()) {
            const auto moves = known.moves();
            if (moves.empty()) {
                // What is left overlaps, so that nothing can be combined any more.
                known = Knowledge(collective, alone);
                path.clear();
                continue;
            }
            path.push_back(moves[random.below(moves.size())]);
            known.make(path.back());
            path.back().chunk = chunk;
        }
        std::ranges::reverse(path);
    }
    Schedule schedule = empty_schedule(collective, chunks, ports);
    std::erase_if(paths, [](const auto& path) { return path.empty(); });
    while (!paths.empty()) {
        auto& path = paths[random.below(paths.size())];
        schedule.transfers.push_back(path.back());
        path.pop_back();
        std::erase_if(paths, [](const auto& left) { return left.empty(); });
    }
    return schedule;
}

}  // namespace espalier::testing
