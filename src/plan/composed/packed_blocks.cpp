#include "plan/composed/packed_blocks.hpp"

#include "core/infinity.hpp"
#include "plan/composed/clusters.hpp"
#include "plan/composed/cuts.hpp"
#include "plan/composed/flow_listing.hpp"
#include "plan/composed/listing.hpp"
#include "plan/composed/mirrored.hpp"
#include "plan/composed/packing.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;
using schedule::Schedule;
using Schedules = std::vector<Schedule>;

/// A tree of each block is a tree for each rank: a search among those of more takes too long.
constexpr std::size_t most_ranks = 128;
/// Trees of one block. Where a node takes part in one message at a time, those of all blocks are
/// enough to keep it busy.
constexpr std::size_t most_parts_of_one_port = 1;
constexpr std::size_t most_parts_of_several = 4;
/// More transfers take long to list and to simulate, the more so where they slow each other down.
constexpr std::size_t most_transfers = 40'000;
constexpr std::size_t most_shared_transfers = 20'000;
/// Visits of nodes, of some nanoseconds each, that a search of trees takes.
constexpr std::uint64_t visits = 200'000'000;
constexpr double hottest = 0.01;
/// The parts of the limits after which no more trees are looked for, and none listed.
constexpr double searching = 0.5;
constexpr double listing = 0.7;
constexpr std::size_t most_listed = 2;
/// More messages at once than these are only slower.
constexpr std::size_t many_ports = 16;

/// Trees, those of a block one after the other, and the size of what travels on them.
struct Draft {
    Trees trees;
    Bytes segment;
    double estimate = infinity;  ///< in seconds
};

/// For an all-gather; in no good order.
class GatherPacker {
public:
    explicit GatherPacker(const Problem& problem)
        : problem_(problem),
          request_(*problem.request),
          blocks_(block_sizes(problem)),
          ranks_(blocks_.size()),
          meter_(problem.limits) {
        const std::size_t most = problem.ports == 1 ? most_transfers : most_shared_transfers;
        for (const std::size_t count : counts())
            if (const Bytes segment = schedule::segment_bytes(request_.bytes, count, 0);
                messages(segment) * (ranks_ - 1) <= most)
                segments_.push_back(segment);
    }

    Schedules run() {
        if (segments_.empty()) return {};
        std::vector<Draft> drafts;
        const std::size_t most =
            problem_.ports == 1 ? most_parts_of_one_port : most_parts_of_several;
        for (std::size_t parts = 1; parts <= most && meter_.used() < searching; parts *= 2) {
            std::optional<Draft> draft = started(parts);
            if (!draft) break;
            drafts.push_back(*std::move(draft));
        }
        for (Draft& draft : drafts)
            if (meter_.used() < searching) draft = improved(std::move(draft));
        std::ranges::stable_sort(drafts, {}, &Draft::estimate);
        drafts.resize(std::min(drafts.size(), most_listed));
        Schedules found;
        for (const Draft& draft : drafts) found.push_back(schedule_of(draft));
        return found;
    }

private:
    [[nodiscard]] std::vector<std::size_t> counts() const {
        std::vector<std::size_t> counts = segment_counts(request_, most_shared_transfers);
        if (request_.segmenting.mode == Segmenting::Mode::automatic)
            counts.insert(counts.begin(), 1);
        return counts;
    }
    /// A block of nothing is a message, too.
    [[nodiscard]] static std::size_t segments_of(std::uint64_t block, Bytes segment) {
        if (block == 0 || segment.value == 0) return 1;
        return (block + segment.value - 1) / segment.value;
    }
    [[nodiscard]] std::size_t messages(Bytes segment) const {
        std::size_t sum = 0;
        for (const std::uint64_t block : blocks_) sum += segments_of(block, segment);
        return sum;
    }
    /// Of a block's segments, which its trees carry in turn.
    [[nodiscard]] std::size_t messages(std::size_t tree, std::size_t parts, Bytes segment) const {
        const std::size_t part = tree % parts;
        const std::size_t all = segments_of(blocks_[tree / parts], segment);
        return all / parts + (part < all % parts ? 1 : 0);
    }
    [[nodiscard]] EdgeUses uses_of(Bytes segment) const {
        return {*problem_.fabric, segment, problem_.ports};
    }
    /// Its roots alone.
    [[nodiscard]] Forest empty_forest(const EdgeUses& uses, std::size_t parts,
                                      Bytes segment) const {
        Forest forest(uses, Forest::Ways::down,
                      problem_.ports > 1 ? Forest::Pace::by_depth : Forest::Pace::alike);
        for (std::size_t tree = 0; tree < ranks_ * parts; ++tree)
            forest.add(tree / parts, static_cast<double>(messages(tree, parts, segment)));
        return forest;
    }
    [[nodiscard]] std::size_t parts_of(const Draft& draft) const {
        return draft.trees.roots.size() / ranks_;
    }
    [[nodiscard]] Forest forest_of(const EdgeUses& uses, const Draft& draft) const {
        Forest forest = empty_forest(uses, parts_of(draft), draft.segment);
        forest.take(draft.trees);
        return forest;
    }

    /// Trees grown one after the other, and then past each other; the smaller the segments the
    /// better they fit, so they are looked for with small ones.
    [[nodiscard]] std::optional<Draft> started(std::size_t parts) {
        const Bytes segment = segments_.back();
        const EdgeUses uses = uses_of(segment);
        Forest forest = empty_forest(uses, parts, segment);
        for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
            if (meter_.over() || !grow(forest, tree)) return std::nullopt;
            meter_.spend(ranks_ * ranks_);
        }
        balance(forest, meter_);
        Draft draft;
        forest.write(draft.trees);
        return cut(std::move(draft));
    }

    [[nodiscard]] Draft improved(Draft draft) {
        const EdgeUses uses = uses_of(draft.segment);
        Forest forest = forest_of(uses, draft);
        Random random(forest.trees());
        // One that is stopped while it is hot leaves trees worse than they were.
        const std::uint64_t work = std::min(visits, meter_.work_left() / 4);
        anneal(forest, false, work / (forest.trees() * ranks_), hottest, random, meter_);
        Draft next;
        forest.write(next.trees);
        next = cut(std::move(next));
        return next.estimate < draft.estimate ? next : draft;
    }

    /// Into segments of the size that looks best.
    [[nodiscard]] Draft cut(Draft draft) const {
        draft.estimate = infinity;
        Draft best = draft;
        for (const Bytes segment : segments_) {
            draft.segment = segment;
            const EdgeUses uses = uses_of(segment);
            draft.estimate = forest_of(uses, draft).estimate() +
                             problem_.overhead * static_cast<double>(messages(segment));
            if (draft.estimate < best.estimate) best = draft;
        }
        return best;
    }

    /// A chunk for each segment of each block.
    [[nodiscard]] Schedule schedule_of(const Draft& draft) const {
        const std::size_t parts = parts_of(draft);
        const EdgeUses uses = uses_of(draft.segment);
        Forest forest = forest_of(uses, draft);
        std::vector<Tree> trees;
        std::vector<std::size_t> count;
        for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
            trees.push_back(forest.tree(tree));
            count.push_back(messages(tree, parts, draft.segment));
        }
        std::vector<std::size_t> listed(forest.trees(), 0);
        Schedule schedule = empty_schedule(problem_);
        for (const std::size_t tree : spread_turns(forest, count)) {
            const std::size_t rank = tree / parts;
            const std::size_t segment = listed[tree]++ * parts + tree % parts;
            const Bytes block(blocks_[rank]);
            spread(schedule, trees[tree], schedule.chunks.size());
            schedule.chunks.push_back(
                {schedule::segment_bytes(block, segments_of(block.value, draft.segment), segment),
                 1, rank, std::nullopt});
        }
        return schedule;
    }

    const Problem& problem_;
    const Request& request_;
    std::vector<std::uint64_t> blocks_;
    std::size_t ranks_;
    std::vector<Bytes> segments_;  ///< descending
    Meter meter_;
};

Schedules all_packed(const Problem& problem) { return GatherPacker(problem).run(); }

/// In the order in which they start when each goes as soon as it can, from few ports and from many,
/// as long as there is time.
Schedules listed(const Problem& problem, Schedules drafts, const Meter& meter) {
    if (problem.ports == 1) {
        for (Schedule& draft : drafts) (void)list_greedily(draft, *problem.fabric);
        return drafts;
    }
    Schedules found;
    for (const std::size_t ports :
         std::set{std::min(few_ports, problem.ports), std::min(many_ports, problem.ports)})
        for (const Schedule& draft : drafts) {
            if (!found.empty() && meter.used() > listing) return found;
            Schedule& flowing = found.emplace_back(draft);
            flowing.ports.count = ports;
            list_as_they_flow(flowing, *problem.fabric);
            flowing.reception.mode = schedule::Reception::Mode::interleaved;
        }
    return found;
}

}  // namespace

std::vector<Schedule> packed_blocks(const Problem& problem) {
    const Request& request = *problem.request;
    const std::size_t ranks = problem.job->places.size();
    if (request.direct || ranks < 2 || ranks > most_ranks) return {};
    const Meter meter(problem.limits);
    Schedules drafts =
        request.kind == Kind::reduce_scatter ? mirrored(problem, all_packed) : all_packed(problem);
    return listed(problem, std::move(drafts), meter);
}

}  // namespace espalier::plan::composed
