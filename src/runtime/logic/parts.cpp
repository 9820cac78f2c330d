#include "runtime/logic/parts.hpp"

#include <algorithm>

namespace espalier::runtime {

namespace {

using schedule::Schedule;
using schedule::Transfer;

/// A plan of more messages than that takes too long to be told and to be followed.
constexpr std::size_t most_messages = 1 << 16;

std::uint64_t ceiling(std::uint64_t of, std::uint64_t by) { return (of + by - 1) / by; }

/// Pieces of its largest segment; 1 where it is not worth while.
std::size_t pieces_of(const Schedule& schedule, const simulate::Fabric& fabric,
                      const Transfer& transfer, Bytes eager) {
    const std::size_t segments = schedule.segments_of(transfer);
    const Bytes largest = schedule::segment_bytes(schedule.bytes_of(transfer), segments, 0);
    if (largest <= eager || eager.value == 0) return 1;
    const std::uint64_t pieces = ceiling(largest.value, eager.value);
    const auto shortest = fabric.cost(transfer.from, transfer.to, Bytes(1));
    const double costs = static_cast<double>(pieces - 1) * shortest.gap.value;
    return costs < 2 * shortest.latency.value ? static_cast<std::size_t>(pieces) : 1;
}

}  // namespace

Parts::Parts(const Schedule& schedule, const Transfer& transfer, Bytes most) {
    std::uint64_t bytes = 0;
    for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
        const std::uint64_t more = schedule.chunks[c].bytes.value;
        const auto segments =
            static_cast<std::size_t>(std::max<std::uint64_t>(1, ceiling(more, most.value)));
        const bool joins = !listed_.empty() && segments == 1 && listed_.back().segments == 1 &&
                           bytes + more <= most.value;
        bytes = joins ? bytes + more : more;
        if (joins)
            ++listed_.back().chunks;
        else
            for (std::size_t s = 0; s < segments; ++s) listed_.push_back({c, 1, s, segments});
    }
    // They are all of one segment.
    pieces_ = listed_.size();
}

Parts::Part Parts::operator[](std::size_t index) const {
    if (!listed_.empty()) return listed_[index];
    Part part = whole_;
    part.segment = index;
    return part;
}

std::pair<std::size_t, std::size_t> Parts::with(std::size_t chunk) const {
    if (listed_.empty()) return {0, count()};
    const auto first = std::ranges::lower_bound(
        listed_, chunk, {}, [](const Part& part) { return part.chunk + part.chunks - 1; });
    const auto place = static_cast<std::size_t>(first - listed_.begin());
    return {place, place + first->segments};
}

Bytes bytes_of(const Schedule& schedule, const Parts::Part& part) {
    Bytes all;
    for (std::size_t c = part.chunk; c < part.chunk + part.chunks; ++c)
        all += schedule.chunks[c].bytes;
    return schedule::segment_bytes(all, part.segments, part.segment);
}

std::vector<Parts> parts_of(const Schedule& schedule, const simulate::Fabric& fabric,
                            const std::vector<char>& is_run, Bytes eager) {
    std::vector<std::size_t> pieces;
    std::size_t messages = 0;
    for (const Transfer& transfer : schedule.transfers) {
        pieces.push_back(pieces_of(schedule, fabric, transfer, eager));
        messages += schedule.segments_of(transfer) * pieces.back();
    }
    const bool cut = messages <= most_messages;
    std::vector<Parts> parts;
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const Transfer& transfer = schedule.transfers[t];
        if (cut && pieces[t] > 1 && is_run[t] == 0)
            parts.emplace_back(schedule, transfer, eager);
        else
            parts.emplace_back(transfer, schedule.segments_of(transfer), cut ? pieces[t] : 1);
    }
    return parts;
}

}  // namespace espalier::runtime
