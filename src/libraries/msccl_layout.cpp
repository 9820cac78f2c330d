#include "libraries/msccl_layout.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace espalier::libraries {

namespace {

using schedule::Chunk;
using schedule::Kind;

/// The parts into which an operand or a block is divided where its pieces differ.
constexpr std::size_t usual_parts = 64;

/// An operand, or a block: whose it is, and for whom.
using Item = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

/// The chunks that are pieces of each item.
std::map<Item, std::vector<std::size_t>> items_of(const std::vector<Chunk>& chunks) {
    std::map<Item, std::vector<std::size_t>> items;
    for (std::size_t c = 0; c < chunks.size(); ++c)
        if (!chunks[c].control) items[{chunks[c].source, chunks[c].target}].push_back(c);
    return items;
}

/// So many parts for the pieces, in proportion to their bytes, and at least one for each.
std::vector<std::size_t> shares(const std::vector<Chunk>& chunks,
                                const std::vector<std::size_t>& pieces, std::size_t parts) {
    std::uint64_t bytes = 0;
    for (const std::size_t c : pieces) bytes += chunks[c].bytes.value;
    std::vector<std::size_t> found;
    std::uint64_t before = 0;
    std::size_t given = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        before += chunks[pieces[p]].bytes.value;
        const double end = bytes > 0 ? static_cast<double>(before) / static_cast<double>(bytes) : 1;
        const auto rounded =
            static_cast<std::size_t>(std::lround(end * static_cast<double>(parts)));
        const std::size_t most = parts - (pieces.size() - 1 - p);
        const std::size_t until =
            p + 1 == pieces.size() ? parts : std::clamp(rounded, given + 1, most);
        found.push_back(until - given);
        given = until;
    }
    return found;
}

}  // namespace

MscclLayout msccl_layout(const schedule::Schedule& schedule, const std::string& where) {
    const schedule::Collective& collective = schedule.collective;
    if (collective.sizes || collective.blocks)
        throw InputError(where, "blocks", "MSCCL's blocks have one size");
    const auto items = items_of(schedule.chunks);
    std::size_t pieces = 1;
    bool even = true;
    for (const auto& [item, chunks] : items) {
        even = even && chunks.size() == items.begin()->second.size() &&
               std::ranges::all_of(chunks, [&, first = chunks.front()](std::size_t c) {
                   return schedule.chunks[c].bytes == schedule.chunks[first].bytes;
               });
        pieces = std::max(pieces, chunks.size());
    }
    const std::size_t parts = even ? pieces : std::max(pieces, usual_parts);
    MscclLayout layout;
    layout.pieces.resize(schedule.chunks.size(), {0, 0, 0});
    for (const auto& [item, chunks] : items) {
        const auto given = shares(schedule.chunks, chunks, parts);
        std::size_t within = 0;
        for (std::size_t p = 0; p < chunks.size(); ++p) {
            // An input has a block for each target, an output one of each source.
            layout.pieces[chunks[p]] = {item.second.value_or(0) * parts + within,
                                        item.first.value_or(0) * parts + within, given[p]};
            within += given[p];
        }
    }
    const std::size_t ranks = schedule.nodes.size();
    const bool for_each = collective.kind == Kind::reduce_scatter;
    const bool of_each = collective.kind == Kind::allgather;
    const bool both = collective.kind == Kind::alltoall;
    layout.inputs = parts * (for_each || both ? ranks : 1);
    layout.outputs = parts * (of_each || both ? ranks : 1);
    layout.all = std::max(layout.inputs, layout.outputs);
    return layout;
}

}  // namespace espalier::libraries
