#include "plan/composed/packed.hpp"

#include "core/infinity.hpp"
#include "plan/composed/cuts.hpp"
#include "plan/composed/flow_listing.hpp"
#include "plan/composed/packing.hpp"
#include "plan/levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// All pairs of more ranks are not looked at.
constexpr std::size_t most_ranks = 512;
/// Where a node takes part in one message at a time, many trees get into each other's way.
constexpr std::size_t most_parts_of_one_port = 2;
constexpr std::size_t most_parts_of_several = 32;
/// More transfers take long to list and to simulate, the more so where they slow each other down.
constexpr std::size_t most_transfers = 80'000;
constexpr std::size_t most_shared_transfers = 31'000;
/// Schedules of more transfers are listed with few ports only.
constexpr std::size_t many_shared_transfers = 20'000;
/// Visits of nodes, of some nanoseconds each, that a search of trees takes.
constexpr std::uint64_t visits = 20'000'000;
constexpr std::uint64_t steps_a_node = 5'000;
/// Temperatures that searches from the best so far begin at, as parts of the estimate.
constexpr std::array heats{0.1, 0.03, 0.01, 0.003};
/// Searches, for nodes of one port and of several, and in how much of the time; the rest is for
/// listing, and for simulation.
constexpr std::size_t rounds_of_one_port = 4;
/// Where all hangs on one tree, they last so many times as long.
constexpr std::uint64_t longer_for_one_port = 3;
constexpr std::size_t rounds_of_several = 2;
/// The rounds that improve the first tree, from which all others are made, and the part of the
/// search for which they last at most.
constexpr std::size_t patient_rounds = 16;
constexpr double patience_for_one_port = 0.8;
constexpr double patience_for_several = 0.4;
constexpr double searching_for_one_port = 0.6;
constexpr double searching_for_several = 0.55;
constexpr double listing = 0.75;
constexpr std::size_t most_searched = 4;
constexpr std::size_t usual_segments = 64;
constexpr std::size_t most_listed = 2;
/// What twice as many parts are thought to add to an estimate: they get into each other's way.
constexpr double cost_of_twice_the_parts = 0.01;

/// Trees, into how many segments the message is cut, and about how long that takes, in seconds.
struct Draft {
    Trees trees;
    std::size_t segments = 1;
    double estimate = 0;
};

class Packer {
public:
    explicit Packer(const Problem& problem)
        : problem_(problem),
          request_(*problem.request),
          ranks_(problem.job->places.size()),
          ways_(request_.kind == Kind::broadcast ? Forest::Ways::down
                : request_.kind == Kind::reduce  ? Forest::Ways::up
                                                 : Forest::Ways::both),
          counts_(segment_counts(request_, std::max<std::size_t>(2, most_segments()))),
          searching_(problem.ports == 1 ? searching_for_one_port : searching_for_several),
          meter_(problem.limits) {}

    std::vector<Schedule> run() {
        if (counts_.empty()) return {};
        std::optional<Trees> trees = first_tree();
        if (!trees) return {};
        std::vector<Draft> drafts{improved_first(*std::move(trees))};
        const std::size_t most = std::min(
            problem_.ports == 1 ? most_parts_of_one_port : most_parts_of_several, counts_.back());
        for (std::size_t parts = 2; parts <= most && meter_.used() < searching_; parts *= 2)
            drafts.push_back(cut(started(drafts.back().trees)));
        // One tree, and the best of several, of which few are worth a search.
        sort_by_cost(drafts);
        for (std::size_t d = 1; d < drafts.size() && d <= most_searched; ++d)
            drafts[d] = improved(std::move(drafts[d].trees));
        sort_by_cost(drafts);
        return problem_.ports == 1 ? listed_for_one_port(drafts) : listed_for_several(drafts);
    }

private:
    [[nodiscard]] std::size_t trees_of_part() const { return ways_ == Forest::Ways::both ? 2 : 1; }
    [[nodiscard]] std::size_t parts_of(const Trees& trees) const {
        return trees.roots.size() / trees_of_part();
    }
    [[nodiscard]] double cost(const Draft& draft) const {
        const auto parts = static_cast<double>(parts_of(draft.trees));
        return draft.estimate * (1 + cost_of_twice_the_parts * std::log2(parts));
    }
    /// The first stays where it is.
    void sort_by_cost(std::vector<Draft>& drafts) const {
        std::stable_sort(drafts.begin() + 1, drafts.end(),
                         [this](const Draft& a, const Draft& b) { return cost(a) < cost(b); });
    }

    /// Where messages slow each other down, they take longer to simulate.
    [[nodiscard]] std::size_t most_segments() const {
        return (problem_.ports == 1 ? most_transfers : most_shared_transfers) / edges();
    }
    [[nodiscard]] std::size_t edges() const { return (ranks_ - 1) * trees_of_part(); }
    [[nodiscard]] Bytes segment(std::size_t count) const {
        return schedule::segment_bytes(request_.bytes, count, 0);
    }
    [[nodiscard]] EdgeUses uses_of(std::size_t segments) const {
        return {*problem_.fabric, segment(segments), problem_.ports};
    }
    /// Its roots alone. Where nodes have several ports, some trees may be faster than others.
    [[nodiscard]] Forest empty_forest(const EdgeUses& uses, const Trees& trees,
                                      std::size_t segments) const {
        const std::size_t parts = parts_of(trees);
        Forest forest(
            uses, ways_,
            problem_.ports > 1 && parts > 1 ? Forest::Pace::by_depth : Forest::Pace::alike);
        for (std::size_t part = 0; part < parts; ++part)
            forest.add(trees.roots[part * trees_of_part()],
                       static_cast<double>(segments) / static_cast<double>(parts));
        return forest;
    }
    [[nodiscard]] Forest forest_of(const EdgeUses& uses, const Trees& trees,
                                   std::size_t segments) const {
        Forest forest = empty_forest(uses, trees, segments);
        forest.take(trees);
        return forest;
    }
    [[nodiscard]] static Trees read(const Forest& forest) {
        Trees trees;
        forest.write(trees);
        return trees;
    }

    [[nodiscard]] std::optional<Trees> first_tree() {
        const std::size_t segments = *std::ranges::min_element(counts_, {}, [](std::size_t count) {
            return std::max(count, usual_segments) - std::min(count, usual_segments);
        });
        const EdgeUses uses = uses_of(segments);
        Forest forest(uses, ways_);
        const std::size_t root = request_.kind == Kind::allreduce
                                     ? central_members(problem_, 1).front()->ranks().front()
                                     : request_.root;
        forest.add(root, static_cast<double>(segments));
        for (std::size_t t = 0; t < forest.trees(); ++t)
            if (!grow(forest, t)) return std::nullopt;
        return read(forest);
    }

    /// Twice as many trees, each for half of what one carried: two of each, or all grown one after
    /// the other, if that looks better.
    [[nodiscard]] Trees started(const Trees& trees) {
        Draft both = cut(doubled(trees));
        const EdgeUses uses = uses_of(both.segments);
        Forest forest = empty_forest(uses, both.trees, both.segments);
        for (std::size_t t = 0; t < forest.trees(); ++t) (void)grow(forest, t);
        if (problem_.ports > 1) balance(forest, meter_);
        return forest.estimate() < both.estimate ? read(forest) : both.trees;
    }

    /// Two of each.
    [[nodiscard]] static Trees doubled(const Trees& trees) {
        Trees both = trees;
        both.roots.insert(both.roots.end(), trees.roots.begin(), trees.roots.end());
        both.parents.insert(both.parents.end(), trees.parents.begin(), trees.parents.end());
        return both;
    }

    /// The best of some searches, each from the best so far.
    [[nodiscard]] Draft improved(Trees trees) {
        const bool alone = problem_.ports == 1 && parts_of(trees) == 1;
        return improved(std::move(trees), alone ? rounds_of_one_port : rounds_of_several,
                        searching_);
    }
    [[nodiscard]] Draft improved(Trees trees, std::size_t rounds, double until) {
        Draft best = cut(std::move(trees));
        for (std::size_t round = 0; round < rounds && meter_.used() < until; ++round) {
            Draft next = cut(annealed(best, round));
            if (next.estimate < best.estimate) best = std::move(next);
        }
        return best;
    }
    [[nodiscard]] Draft improved_first(Trees trees) {
        const double patience = problem_.ports == 1 ? patience_for_one_port : patience_for_several;
        return improved(std::move(trees), patient_rounds, searching_ * patience);
    }

    [[nodiscard]] Trees annealed(const Draft& draft, std::size_t round) {
        const EdgeUses uses = uses_of(draft.segments);
        Forest forest = forest_of(uses, draft.trees, draft.segments);
        Random random(parts_of(draft.trees) * 100 + round);
        const bool alone = problem_.ports == 1 && parts_of(draft.trees) == 1;
        const std::uint64_t steps =
            std::min(steps_a_node * ranks_, visits / (forest.trees() * ranks_));
        anneal(forest, ways_ == Forest::Ways::both, steps * (alone ? longer_for_one_port : 1),
               heats[round % heats.size()], random, meter_);
        return read(forest);
    }

    /// Into as many segments as look best.
    [[nodiscard]] Draft cut(Trees trees) const {
        Draft best{std::move(trees), 0, infinity};
        for (const std::size_t count : counts_) {
            if (count < parts_of(best.trees)) continue;
            const EdgeUses uses = uses_of(count);
            Forest forest = forest_of(uses, best.trees, count);
            const double time = forest.estimate() + problem_.overhead * static_cast<double>(count);
            if (time >= best.estimate) continue;
            best.estimate = time;
            best.segments = count;
        }
        return best;
    }

    [[nodiscard]] std::vector<Lane> lanes_of(const Forest& forest) const {
        std::vector<Lane> lanes(forest.trees() / trees_of_part());
        std::size_t tree = 0;
        for (Lane& lane : lanes) {
            if (ways_ != Forest::Ways::down) lane.up = forest.tree(tree++);
            if (ways_ != Forest::Ways::up) lane.down = forest.tree(tree++);
        }
        return lanes;
    }

    /// Segments in turn on all trees.
    [[nodiscard]] Turns turns_of(Forest& forest, std::size_t segments) const {
        const std::size_t trees = forest.trees();
        if (ways_ == Forest::Ways::both) return in_turns(trees / 2, segments);
        std::vector<std::size_t> messages(trees, segments / trees);
        for (std::size_t tree = 0; tree < segments % trees; ++tree) ++messages[tree];
        return spread_turns(forest, messages);
    }

    /// Lists tell what they take, where messages only queue.
    [[nodiscard]] std::vector<Schedule> listed_for_one_port(
        const std::vector<Draft>& drafts) const {
        std::vector<Listed> listed;
        for (const Draft& draft : drafts) {
            const EdgeUses uses = uses_of(draft.segments);
            const auto lanes = lanes_of(forest_of(uses, draft.trees, draft.segments));
            for (const std::size_t count : {draft.segments / 2, draft.segments}) {
                if (std::ranges::count(counts_, count) == 0 || count < lanes.size()) continue;
                listed.push_back(list_on(problem_, lanes, in_turns(lanes.size(), count)));
                listed.back().time += problem_.overhead * static_cast<double>(count);
            }
        }
        std::ranges::stable_sort(listed, {}, &Listed::time);
        listed.resize(std::min(listed.size(), most_listed));
        std::vector<Schedule> found;
        for (Listed& one : listed) found.push_back(std::move(one.schedule));
        return found;
    }

    /// A node that may have many messages under way at once does better with fewer, whose data is
    /// there the sooner, as long as all whom it serves get theirs; how many, only the simulation of
    /// what they share tells.
    [[nodiscard]] std::vector<Schedule> listed_for_several(std::vector<Draft> drafts) const {
        drafts.resize(std::min(drafts.size(), most_listed));
        std::ranges::stable_sort(drafts, {}, [this](const Draft& draft) { return cost(draft); });
        std::vector<Schedule> found;
        for (const Draft& draft : drafts) {
            if (!found.empty() && meter_.used() > listing) break;
            const EdgeUses uses = uses_of(draft.segments);
            Forest forest = forest_of(uses, draft.trees, draft.segments);
            const auto lanes = lanes_of(forest);
            const Turns turns = turns_of(forest, draft.segments);
            std::set<std::size_t> counts{std::min(few_ports, problem_.ports)};
            if (draft.segments * edges() <= many_shared_transfers)
                counts.insert(std::min(std::max(widest(lanes), few_ports), problem_.ports));
            for (const std::size_t ports : counts) {
                Problem fewer = problem_;
                fewer.ports = ports;
                found.push_back(list_on(fewer, lanes, turns).schedule);
                if (lanes.size() == 1) continue;
                // Of several trees, what arrives first comes in first.
                list_as_they_flow(found.back(), *problem_.fabric);
                found.back().reception.mode = schedule::Reception::Mode::interleaved;
            }
        }
        return found;
    }

    /// The most messages of all parts that one rank sends.
    [[nodiscard]] std::size_t widest(const std::vector<Lane>& lanes) const {
        std::vector<std::size_t> sends(ranks_, 0);
        for (const Lane& lane : lanes) {
            if (lane.up)
                for (std::size_t rank = 0; rank < ranks_; ++rank)
                    if (rank != lane.up->root) ++sends[rank];
            if (lane.down)
                for (std::size_t rank = 0; rank < ranks_; ++rank)
                    sends[rank] += lane.down->children[rank].size();
        }
        return *std::ranges::max_element(sends);
    }

    const Problem& problem_;
    const Request& request_;
    std::size_t ranks_;
    Forest::Ways ways_;
    std::vector<std::size_t> counts_;
    double searching_;  ///< the part of its limits that searches may use
    Meter meter_;
};

}  // namespace

std::vector<Schedule> packed_messages(const Problem& problem) {
    const std::size_t ranks = problem.job->places.size();
    const bool ordered = problem.request->ordered && schedule::combines(problem.request->kind);
    if (ordered || ranks < 2 || ranks > most_ranks) return {};
    return Packer(problem).run();
}

}  // namespace espalier::plan::composed
