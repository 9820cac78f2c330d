#include "plan/composed/ordered.hpp"

#include "plan/composed/cuts.hpp"
#include "plan/composed/level_tree.hpp"
#include "plan/composed/runs.hpp"

#include <algorithm>
#include <utility>

namespace espalier::plan::composed {

namespace {

using schedule::Kind;

/// How runs that follow one another are joined around one of them: each sends to that itself, the
/// nearer ones collect from those beyond, or each from the next one beyond.
enum class Joining { direct, binomial, chain };

class Builder {
public:
    Builder(Tree& tree, Joining outer) : tree_(tree), outer_(outer) {}

    /// All of a run at the rank `root` of it. Children that are combined last come first.
    void collect(const Run& run, std::size_t root) {
        if (run.members.empty()) {
            std::vector<std::size_t> ranks(run.last - run.first + 1);
            for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r] = run.first + r;
            join(ranks, root - run.first, inner());
            return;
        }
        std::vector<std::size_t> coordinators;
        std::size_t middle = 0;
        for (std::size_t m = 0; m < run.members.size(); ++m) {
            const Run& member = run.members[m];
            const bool has_root = member.first <= root && root <= member.last;
            if (has_root) middle = m;
            coordinators.push_back(has_root ? root : member.first);
        }
        join(coordinators, middle, run.alike ? inner() : outer_);
        for (std::size_t m = 0; m < run.members.size(); ++m)
            collect(run.members[m], coordinators[m]);
    }

private:
    /// Among ranks that are alike.
    [[nodiscard]] Joining inner() const {
        return outer_ == Joining::chain ? Joining::chain : Joining::binomial;
    }

    /// `ranks` coordinate runs that follow one another; all to the one in the `middle`.
    void join(const std::vector<std::size_t>& ranks, std::size_t middle, Joining joining) {
        join_side(ranks, middle, ranks.size() - 1, joining);
        join_side(ranks, middle, 0, joining);
    }

    /// Those from next to `near` to `far`, whichever side that is: blocks of 1, 2, 4, … each
    /// around the one that is nearest, the farthest block first.
    void join_side(const std::vector<std::size_t>& ranks, std::size_t near, std::size_t far,
                   Joining joining) {
        const bool right = far > near;
        const std::size_t count = right ? far - near : near - far;
        const auto at = [&](std::size_t distance) {
            return right ? near + distance : near - distance;
        };
        std::vector<std::pair<std::size_t, std::size_t>> blocks;  // distances, nearest and farthest
        for (std::size_t begin = 1; begin <= count;) {
            std::size_t end = begin;
            if (joining == Joining::binomial) end = std::min(2 * begin - 1, count);
            if (joining == Joining::chain) end = count;
            blocks.emplace_back(begin, end);
            begin = end + 1;
        }
        std::ranges::reverse(blocks);
        for (const auto& [begin, end] : blocks) tree_.add(ranks[at(0)], ranks[at(begin)]);
        for (const auto& [begin, end] : blocks)
            if (end > begin) join_side(ranks, at(begin), at(end), joining);
    }

    Tree& tree_;
    Joining outer_;
};

/// In an all-reduce, the first of each cluster may be the centre.
std::vector<std::size_t> centres(const Problem& problem, const Run& all) {
    if (problem.request->kind == Kind::reduce) return {problem.request->root};
    std::vector<std::size_t> found;
    for (const Run& member : all.members) found.push_back(member.first);
    if (found.empty()) found.push_back(all.first);
    return found;
}

}  // namespace

std::vector<schedule::Schedule> in_rank_order(const Problem& problem, Meter& meter) {
    std::vector<schedule::Schedule> found;
    // Others serve an operator that needs no order better.
    if (!problem.request->ordered && problem.request->algorithm == "auto") return found;
    const Run all = runs_of(*problem.site);
    for (const std::size_t centre : centres(problem, all))
        for (const Joining joining : {Joining::direct, Joining::binomial, Joining::chain}) {
            if (!found.empty() && meter.over()) return found;
            Lane lane;
            lane.up.emplace(problem.job->places.size(), centre);
            Builder(*lane.up, joining).collect(all, centre);
            if (problem.request->kind == Kind::allreduce)
                lane.down = level_tree(problem, centre, problem.request->bytes, Direction::down);
            for (auto& schedule : along(problem, lane, meter)) found.push_back(std::move(schedule));
        }
    return found;
}

}  // namespace espalier::plan::composed
