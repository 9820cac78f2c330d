#include "plan/composed/packed.hpp"

#include "core/infinity.hpp"
#include "plan/composed/block_tree.hpp"
#include "plan/composed/cuts.hpp"
#include "plan/composed/flow_listing.hpp"
#include "plan/composed/listing.hpp"
#include "plan/composed/packing.hpp"
#include "plan/overhead.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// What goes from one root to all, or from all to it: the message, or one rank's block.
struct Cargo {
    std::size_t root = 0;
    std::uint64_t bytes = 0;
};

/// Trees, those of each cargo one after the other, and the size of what travels on them.
struct Draft {
    Trees trees;
    std::size_t size = 0;        ///< of segments, see Packer::segments_
    double estimate = infinity;  ///< in seconds
};

class Packer {
public:
    Packer(const Problem& problem, Meter& meter)
        : problem_(problem),
          request_(*problem.request),
          ranks_(problem.job->places.size()),
          directions_(directions_of(request_.kind)),
          meter_(meter) {
        if (has_blocks()) {
            for (const std::uint64_t bytes : block_sizes(problem))
                cargo_.push_back({cargo_.size(), bytes});
        } else {
            const std::size_t root = request_.kind == Kind::allreduce
                                         ? central_members(problem).front()->ranks().front()
                                         : request_.root;
            cargo_.push_back({root, request_.bytes.value});
        }
        const std::size_t edges = (ranks_ - 1) * cargo_.size() * trees_of_part();
        auto counts = segment_counts(problem, edges, meter);
        if (has_blocks() && request_.segmenting.mode == Segmenting::Mode::automatic)
            counts.insert(counts.begin(), 1);
        for (const std::size_t count : counts)
            segments_.push_back(schedule::segment_bytes(request_.bytes, count, 0));
    }

    std::vector<Schedule> run() {
        if (segments_.empty() || !affords_trees()) return {};
        std::vector<Schedule> found;
        for (const Draft& draft : searched())
            problem_.ports == 1 ? list_for_one_port(draft, found) : list_for_several(draft, found);
        return found;
    }

private:
    [[nodiscard]] static Forest::Directions directions_of(Kind kind) {
        if (kind == Kind::allreduce) return Forest::Directions::both;
        return schedule::combines(kind) ? Forest::Directions::up : Forest::Directions::down;
    }
    [[nodiscard]] bool has_blocks() const { return schedule::has_blocks(request_.kind); }
    [[nodiscard]] std::size_t trees_of_part() const {
        return directions_ == Forest::Directions::both ? 2 : 1;
    }
    [[nodiscard]] std::size_t parts_of(const Trees& trees) const {
        return trees.roots.size() / trees_of_part() / cargo_.size();
    }
    /// A block of nothing is a message, too.
    [[nodiscard]] static std::size_t segments_of(const Cargo& cargo, Bytes segment) {
        if (cargo.bytes == 0 || segment.value == 0) return 1;
        return (cargo.bytes + segment.value - 1) / segment.value;
    }
    /// Of a cargo's segments, which its parts carry in turn.
    [[nodiscard]] std::size_t messages(std::size_t lane, std::size_t parts, Bytes segment) const {
        const std::size_t part = lane % parts;
        const std::size_t all = segments_of(cargo_[lane / parts], segment);
        return all / parts + (part < all % parts ? 1 : 0);
    }
    [[nodiscard]] double overhead(Bytes segment) const {
        std::size_t sum = 0;
        for (const Cargo& cargo : cargo_) sum += segments_of(cargo, segment);
        return problem_.overhead * static_cast<double>(sum);
    }

    /// To look at all pairs of ranks, and for each tree once more.
    [[nodiscard]] bool affords_trees() const {
        const std::uint64_t trees = cargo_.size() * trees_of_part();
        return meter_.affords(
            static_cast<double>(ranks_ * ranks_ * steps_a_look + trees * steps_of_growing(ranks_)));
    }

    [[nodiscard]] const EdgeUses& uses_of(Bytes segment) {
        const auto known = uses_.find(segment.value);
        if (known != uses_.end()) return known->second;
        meter_.spend(ranks_ * ranks_ * steps_a_look);
        return uses_.try_emplace(segment.value, *problem_.fabric, segment, problem_.ports)
            .first->second;
    }
    /// Its roots alone. Where nodes have several ports, some trees may be faster than others.
    [[nodiscard]] Forest empty_forest(std::size_t parts, std::size_t size) {
        const Bytes segment = segments_[size];
        const bool several = problem_.ports > 1 && cargo_.size() * parts > 1;
        Forest forest(uses_of(segment), directions_,
                      several ? Forest::Pace::by_depth : Forest::Pace::alike);
        for (std::size_t lane = 0; lane < cargo_.size() * parts; ++lane)
            forest.add(cargo_[lane / parts].root,
                       static_cast<double>(messages(lane, parts, segment)));
        return forest;
    }
    [[nodiscard]] Forest forest_of(const Trees& trees, std::size_t size) {
        Forest forest = empty_forest(parts_of(trees), size);
        forest.take(trees);
        return forest;
    }
    [[nodiscard]] static Trees read(const Forest& forest) {
        Trees trees;
        forest.write(trees);
        return trees;
    }

    /// Many trees get into each other's way.
    [[nodiscard]] double cost(const Draft& draft) const {
        return draft.estimate * (1 + packing_knobs.cost_of_twice_the_parts *
                                         std::log2(static_cast<double>(parts_of(draft.trees))));
    }

    /// The best trees of each number that a short search finds, and a long search from the best of
    /// them, which come first. Twice as many are tried until some numbers in a row are no better
    /// than those before. The other half of the meter is for listing.
    [[nodiscard]] std::vector<Draft> searched() {
        std::vector<Draft> drafts;
        (void)meter_.lend(0.5, [&](Meter& search) {
            const std::size_t most = segments_of({0, request_.bytes.value}, segments_.back());
            const std::size_t patience = problem_.ports == 1 ? 1 : packing_knobs.patience;
            double least = infinity;
            for (std::size_t parts = 1, worse = 0; parts <= most && worse < patience; parts *= 2) {
                if (!drafts.empty() && search.over()) break;
                std::optional<Draft> draft = search.lend(packing_knobs.one_number, [&](Meter& own) {
                    return drafted(parts, drafts.empty() ? nullptr : &drafts.back(), own);
                });
                if (!draft) break;
                worse = cost(*draft) < least ? 0 : worse + 1;
                least = std::min(least, cost(*draft));
                drafts.push_back(*std::move(draft));
            }
            if (drafts.empty()) return false;
            std::ranges::stable_sort(drafts, {},
                                     [this](const Draft& draft) { return cost(draft); });
            drafts.front() = improved(drafts.front(), search);
            return true;
        });
        return drafts;
    }

    [[nodiscard]] std::optional<Draft> drafted(std::size_t parts, const Draft* before,
                                               Meter& meter) {
        std::optional<Draft> draft = started(parts, before, meter);
        if (!draft) return draft;
        return improved(*draft, meter);
    }

    /// Trees grown one after the other, and then balanced; or two of each that there were, if those
    /// look better.
    [[nodiscard]] std::optional<Draft> started(std::size_t parts, const Draft* before,
                                               Meter& meter) {
        const std::size_t size = before ? before->size : segments_.size() / 2;
        Forest forest = empty_forest(parts, size);
        for (std::size_t tree = 0; tree < forest.trees(); ++tree)
            if (!grow(forest, tree, meter)) return std::nullopt;
        if (forest.trees() > trees_of_part()) {
            Meter half(meter.share(0.5));
            balance(forest, half);
            meter.spend(half.spent());
        }
        Draft grown = cut(read(forest), size);
        if (!before) return grown;
        Draft both = cut(doubled(before->trees), size);
        return grown.estimate < both.estimate ? grown : both;
    }

    /// Two of each, side by side.
    [[nodiscard]] Trees doubled(const Trees& trees) const {
        Trees both;
        const std::size_t of_cargo = trees.roots.size() / cargo_.size();
        for (std::size_t tree = 0; tree < 2 * trees.roots.size(); ++tree) {
            const std::size_t from = tree / (2 * of_cargo) * of_cargo + tree % of_cargo;
            both.roots.push_back(trees.roots[from]);
            both.parents.push_back(trees.parents[from]);
        }
        return both;
    }

    [[nodiscard]] Draft improved(const Draft& draft, Meter& meter) {
        Forest forest = forest_of(draft.trees, draft.size);
        improve(forest, random_, meter);
        Draft next = cut(read(forest), draft.size);
        return next.estimate < draft.estimate ? next : draft;
    }

    /// Into segments of the size that looks best: half as long, or twice, as long as that is
    /// better.
    [[nodiscard]] Draft cut(Trees trees, std::size_t size) {
        const double time_of_size = estimate(trees, size);
        Draft best{std::move(trees), size, time_of_size};
        const auto move_on = [&](auto next) {
            while (true) {
                const double time = estimate(best.trees, next(best.size));
                if (time >= best.estimate) return;
                best.size = next(best.size);
                best.estimate = time;
            }
        };
        move_on([](std::size_t at) { return at + 1; });
        move_on([](std::size_t at) { return at - 1; });
        return best;
    }
    [[nodiscard]] double estimate(const Trees& trees, std::size_t size) {
        if (size >= segments_.size()) return infinity;
        return forest_of(trees, size).estimate() + overhead(segments_[size]);
    }

    [[nodiscard]] std::vector<Lane> lanes_of(const Forest& forest) const {
        std::vector<Lane> lanes(forest.trees() / trees_of_part());
        std::size_t tree = 0;
        for (Lane& lane : lanes) {
            if (directions_ != Forest::Directions::down) lane.up = forest.tree(tree++);
            if (directions_ != Forest::Directions::up) lane.down = forest.tree(tree++);
        }
        return lanes;
    }

    /// In the order in which segments leave: those of a lane evenly spread over the time until its
    /// last one has to.
    [[nodiscard]] std::vector<Piece> pieces_of(Forest& forest, std::size_t parts,
                                               std::size_t size) const {
        const Bytes segment = segments_[size];
        const double over = forest.estimate();
        std::vector<std::pair<double, Piece>> leaving;
        for (std::size_t lane = 0; lane < cargo_.size() * parts; ++lane) {
            const Cargo& cargo = cargo_[lane / parts];
            const std::size_t all = segments_of(cargo, segment);
            const std::size_t own = messages(lane, parts, segment);
            double depth = 0;
            for (std::size_t tree = 0; tree < trees_of_part(); ++tree)
                depth += forest.depth(lane * trees_of_part() + tree);
            for (std::size_t m = 0; m < own; ++m) {
                schedule::Chunk chunk{
                    schedule::segment_bytes(Bytes(cargo.bytes), all, m * parts + lane % parts)};
                if (has_blocks())
                    (directions_ == Forest::Directions::up ? chunk.target : chunk.source) =
                        cargo.root;
                const double part = (static_cast<double>(m) + 0.5) / static_cast<double>(own);
                leaving.push_back({part * (over - depth), {lane, chunk}});
            }
        }
        std::ranges::stable_sort(leaving, {}, [](const auto& entry) { return entry.first; });
        std::vector<Piece> pieces;
        for (auto& [time, piece] : leaving) pieces.push_back(piece);
        return pieces;
    }

    /// In segments of the size that looks best, and of twice that.
    void list_for_one_port(const Draft& draft, std::vector<Schedule>& found) {
        const std::size_t parts = parts_of(draft.trees);
        for (const std::size_t size : {draft.size, draft.size - 1}) {
            if (size >= segments_.size() || (!found.empty() && meter_.over())) return;
            Forest forest = forest_of(draft.trees, size);
            const auto pieces = pieces_of(forest, parts, size);
            found.push_back(list_on(problem_, lanes_of(forest), pieces, meter_).schedule);
        }
    }

    /// A node that may have many messages under way at once does better with fewer, whose data is
    /// there the sooner, as long as all whom it serves get theirs; how many, only the simulation of
    /// what they share tells.
    void list_for_several(const Draft& draft, std::vector<Schedule>& found) {
        Forest forest = forest_of(draft.trees, draft.size);
        const auto lanes = lanes_of(forest);
        const auto pieces = pieces_of(forest, parts_of(draft.trees), draft.size);
        Problem fewer = problem_;
        for (std::size_t ports = packing_knobs.few_ports;; ports *= packing_knobs.few_ports) {
            if (!found.empty() && meter_.over()) return;
            fewer.ports = std::min(ports, problem_.ports);
            if (lanes.size() == 1) {
                found.push_back(list_on(fewer, lanes, pieces, meter_).schedule);
            } else {
                // Of several trees, what arrives first comes in first.
                found.push_back(list_as_they_flow(fewer, lanes, pieces, meter_).schedule);
            }
            if (ports >= problem_.ports) return;
        }
    }

    const Problem& problem_;
    const Request& request_;
    std::size_t ranks_;
    Forest::Directions directions_;
    Meter& meter_;
    Random random_{1};
    std::vector<Cargo> cargo_;
    std::vector<Bytes> segments_;             ///< sizes that may be tried, descending
    std::map<std::uint64_t, EdgeUses> uses_;  ///< by bytes of a segment
};

}  // namespace

std::vector<Schedule> packed(const Problem& problem, Meter& meter) {
    const Request& request = *problem.request;
    const bool ordered = request.ordered && schedule::combines(request.kind);
    if (ordered || request.direct || problem.job->places.size() < 2) return {};
    return Packer(problem, meter).run();
}

}  // namespace espalier::plan::composed
