#include "schedule/schedule.hpp"

#include <algorithm>
#include <stdexcept>

namespace espalier::schedule {

namespace {

const LocalPart* part_of(const Schedule& schedule, std::size_t node) {
    for (const LocalPart& part : schedule.local)
        if (part.node == node) return &part;
    return nullptr;
}

/// The leaf of `group` (counted inside it) that is its coordinator: the root of its local schedule.
std::size_t coordinator(const Group& group, const LocalPart* part) {
    if (group.members.empty()) return 0;
    if (part == nullptr || part->schedule == nullptr)
        throw std::invalid_argument("group '" + group.name + "' has no schedule of its own");
    const Schedule& inner = *part->schedule;
    if (inner.collective.nodes != group.members.size())
        throw std::invalid_argument("the schedule inside '" + group.name +
                                    "' does not fit its members");
    const std::size_t root = inner.collective.root;
    std::size_t first = 0;
    for (std::size_t m = 0; m < root; ++m) first += group.members[m].ranks();
    return first + coordinator(group.members[root], part_of(inner, root));
}

/// Adds the ends of all chunks, as bytes from the beginning of the message.
void add_ends(const Schedule& schedule, std::vector<std::uint64_t>& ends) {
    std::uint64_t end = 0;
    for (const Chunk& chunk : schedule.chunks)
        if (!chunk.control) ends.push_back(end += chunk.bytes.value);
    for (const LocalPart& part : schedule.local)
        if (part.schedule) add_ends(*part.schedule, ends);
}

/// Splices schedules of all levels into one between ranks. Where levels cut the message differently
/// (a scatter inside one cluster), its chunks are the common refinement, and a transfer carries a
/// range of them.
class Expansion {
public:
    Expansion(const Schedule& top, const std::vector<Group>& groups) {
        result_.collective = top.collective;
        result_.ports = top.ports;
        result_.algorithm = top.algorithm;
        result_.network = top.network;
        result_.epoch = top.epoch;
        result_.reception = top.reception;
        refine(top);
        std::vector<std::size_t> coordinators;
        std::size_t first = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            coordinators.push_back(first + coordinator(groups[g], part_of(top, g)));
            first += groups[g].ranks();
            name_leaves(groups[g]);
        }
        if (first != groups.size() && (top.collective.sizes || top.collective.blocks))
            throw std::invalid_argument("groups of several ranks have no blocks of their own");
        result_.collective.nodes = first;
        result_.collective.root = coordinators.at(top.collective.root);
        relabel(coordinators);
        splice(top, groups, 0);
    }

    Schedule take() {
        if (!result_.barriers.empty() && stepped_ != result_.transfers.size()) refuse_steps();
        return std::move(result_);
    }

private:
    void refine(const Schedule& top) {
        labelled_ = std::any_of(top.chunks.begin(), top.chunks.end(),
                                [](const Chunk& chunk) { return chunk.source || chunk.target; });
        if (labelled_) {
            result_.chunks = top.chunks;
            return;
        }
        add_ends(top, ends_);
        std::sort(ends_.begin(), ends_.end());
        ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
        if (ends_.size() > 1 && ends_.front() == 0) ends_.erase(ends_.begin());
        std::uint64_t begin = 0;
        for (const std::uint64_t end : ends_) {
            result_.chunks.push_back({Bytes(end - begin), 1, {}, {}, false});
            begin = end;
        }
        if (top.chunks.size() == result_.chunks.size())
            for (std::size_t c = 0; c < top.chunks.size(); ++c)
                result_.chunks[c].segments = top.chunks[c].segments;
    }

    /// Labels of chunks name groups before, ranks after; a label of a group can only mean one rank.
    void relabel(const std::vector<std::size_t>& coordinators) {
        for (Chunk& chunk : result_.chunks) {
            if (chunk.source) chunk.source = coordinators.at(*chunk.source);
            if (chunk.target) chunk.target = coordinators.at(*chunk.target);
        }
    }

    void name_leaves(const Group& group) {
        if (group.members.empty()) result_.nodes.push_back(group.name);
        for (const Group& member : group.members) name_leaves(member);
    }

    struct Range {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    /// The refined chunks that each chunk of `level` covers; a control chunk gets one of its own.
    std::vector<Range> ranges_of(const Schedule& level) {
        std::vector<Range> ranges;
        std::uint64_t begin = 0;
        for (const Chunk& chunk : level.chunks) {
            if (chunk.control) {
                ranges.push_back({result_.chunks.size(), 1});
                result_.chunks.push_back(chunk);
            } else if (labelled_) {
                ranges.push_back({ranges.size(), 1});
            } else if (ends_.back() == 0) {
                ranges.push_back({0, 1});
            } else {
                const std::uint64_t end = begin + chunk.bytes.value;
                const auto from =
                    std::upper_bound(ends_.begin(), ends_.end(), begin) - ends_.begin();
                const auto to = std::lower_bound(ends_.begin(), ends_.end(), end) - ends_.begin();
                const bool empty = begin == end;
                ranges.push_back({static_cast<std::size_t>(from),
                                  empty ? 0 : static_cast<std::size_t>(to - from) + 1});
                begin = end;
            }
        }
        return ranges;
    }

    void splice(const Schedule& level, const std::vector<Group>& groups, std::size_t first_leaf) {
        std::vector<std::size_t> first;
        std::vector<std::size_t> coordinators;
        std::size_t leaf = first_leaf;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            first.push_back(leaf);
            coordinators.push_back(leaf + coordinator(groups[g], part_of(level, g)));
            leaf += groups[g].ranks();
        }
        splice_parts(level, groups, first, LocalPart::Phase::before);
        splice_transfers(level, coordinators);
        splice_parts(level, groups, first, LocalPart::Phase::after);
    }

    void splice_parts(const Schedule& level, const std::vector<Group>& groups,
                      const std::vector<std::size_t>& first, LocalPart::Phase phase) {
        for (const LocalPart& part : level.local) {
            if (part.phase != phase) continue;
            if (!part.schedule)
                throw std::invalid_argument("a local part is known by its time alone");
            if (!groups[part.node].members.empty())
                splice(*part.schedule, groups[part.node].members, first[part.node]);
        }
    }

    void splice_transfers(const Schedule& level, const std::vector<std::size_t>& coordinators) {
        const auto ranges = ranges_of(level);
        // Where each transfer of the level went; a transfer of nothing goes nowhere.
        std::vector<std::optional<std::size_t>> position(level.transfers.size());
        if (!level.barriers.empty() && !result_.transfers.empty()) refuse_steps();
        auto barrier = level.barriers.begin();
        for (std::size_t t = 0; t < level.transfers.size(); ++t) {
            for (; barrier != level.barriers.end() && *barrier == t; ++barrier)
                if (result_.barriers.empty() || result_.barriers.back() < result_.transfers.size())
                    result_.barriers.push_back(result_.transfers.size());
            Transfer transfer = level.transfers[t];
            const std::size_t segments = level.segments_of(transfer);
            const Range head = ranges[transfer.chunk];
            std::size_t count = 0;
            for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c)
                count += ranges[c].count;
            if (count == 0) continue;
            transfer.from = coordinators[transfer.from];
            transfer.to = coordinators[transfer.to];
            transfer.chunk = head.first;
            transfer.chunks = ends_.size() == 1 && ends_.back() == 0 ? 1 : count;
            transfer.segments.reset();
            if (result_.segments_of(transfer) != segments) transfer.segments = segments;
            if (transfer.after) transfer.after = position[*transfer.after];
            position[t] = result_.transfers.size();
            result_.transfers.push_back(transfer);
        }
        if (!level.barriers.empty()) stepped_ = result_.transfers.size();
    }

    /// A barrier between groups would stop what goes on inside them as well.
    [[noreturn]] static void refuse_steps() {
        throw std::invalid_argument("steps with barriers have no room for local parts");
    }

    Schedule result_;
    std::size_t stepped_ = 0;  ///< the transfers up to the end of a level with barriers
    bool labelled_ = false;
    std::vector<std::uint64_t> ends_;
};

}  // namespace

Schedule expand(const Schedule& over_groups, const std::vector<Group>& groups) {
    if (over_groups.nodes.size() != groups.size())
        throw std::invalid_argument("the schedule does not fit the groups");
    return Expansion(over_groups, groups).take();
}

}  // namespace espalier::schedule
