#include "runtime/logic/chunk_shares.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace espalier::runtime {

namespace {

__extension__ using Wide = __int128;

using schedule::Chunk;
using schedule::Kind;

/// The source and the target of a chunk, as far as they tell one item from another; the root if the
/// chunk does not say.
std::pair<std::size_t, std::size_t> item_of(const Chunk& chunk,
                                            const schedule::Collective& collective) {
    const Kind kind = collective.kind;
    const bool by_source =
        kind == Kind::gather || kind == Kind::allgather || kind == Kind::alltoall;
    const bool by_target =
        kind == Kind::scatter || kind == Kind::reduce_scatter || kind == Kind::alltoall;
    return {by_source ? chunk.source.value_or(collective.root) : 0,
            by_target ? chunk.target.value_or(collective.root) : 0};
}

}  // namespace

RankProgram::Chunk ChunkShare::chunk() const {
    return {static_cast<std::uint32_t>(source),
            static_cast<std::uint32_t>(target),
            begin,
            end,
            of,
            empty};
}

std::vector<ChunkShare> shares_of(const schedule::Schedule& schedule) {
    const schedule::Collective& collective = schedule.collective;
    const bool none = collective.kind == Kind::barrier;
    struct Item {
        std::uint64_t bytes = 0;
        std::uint64_t unit = 0;  ///< of all boundaries the greatest common divisor
        bool met = false;
    };
    std::map<std::pair<std::size_t, std::size_t>, Item> items;
    for (const Chunk& chunk : schedule.chunks) {
        if (chunk.control) continue;
        Item& item = items[item_of(chunk, collective)];
        item.bytes += chunk.bytes.value;
        item.unit = std::gcd(item.unit, item.bytes);
    }
    std::vector<ChunkShare> shares;
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> ends;
    for (const Chunk& chunk : schedule.chunks) {
        if (chunk.control) {
            shares.push_back({.empty = true});
            continue;
        }
        const auto key = item_of(chunk, collective);
        Item& item = items[key];
        ChunkShare share{.source = key.first, .target = key.second, .empty = none};
        if (item.bytes == 0) {
            share.begin = item.met ? 1 : 0;
        } else {
            std::uint64_t& end = ends[key];
            share.begin = end / item.unit;
            end += chunk.bytes.value;
            share.end = end / item.unit;
            share.of = item.bytes / item.unit;
        }
        item.met = true;
        shares.push_back(share);
    }
    return shares;
}

std::pair<std::size_t, std::size_t> ShareRun::overlapping(std::size_t segment,
                                                          const ShareRun& other) const {
    if (other.segments == 1) return {0, 1};
    if (begin == other.begin && end == other.end && segments == other.segments)
        return {segment, segment + 1};
    if (begin == end || other.begin == other.end) return {0, other.segments};
    // Where this segment begins and ends, in shares / segments; and by how many of the other's
    // segments that lies past the other's beginning.
    const Wide mine = static_cast<Wide>(end - begin);
    const Wide count = static_cast<Wide>(segments);
    const Wide past = (static_cast<Wide>(begin) - static_cast<Wide>(other.begin)) * count;
    const Wide first =
        (past + mine * static_cast<Wide>(segment)) * static_cast<Wide>(other.segments);
    const Wide last =
        (past + mine * static_cast<Wide>(segment + 1)) * static_cast<Wide>(other.segments);
    const Wide length = count * static_cast<Wide>(other.end - other.begin);
    const auto limit = static_cast<Wide>(other.segments);
    const Wide from = first <= 0 ? 0 : std::min(first / length, limit);
    const Wide to = last <= 0 ? 0 : std::min((last + length - 1) / length, limit);
    return {static_cast<std::size_t>(from), static_cast<std::size_t>(std::max(from, to))};
}

}  // namespace espalier::runtime
