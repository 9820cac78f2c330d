#pragma once

#include "core/limits.hpp"
#include "core/meter.hpp"
#include "plan/algorithm.hpp"
#include "plan/levels.hpp"
#include "plan/race.hpp"
#include "simulate/fabric.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace espalier::plan {

/// Broadcasts and reductions along one tree, level by level: an order of sends between clusters and
/// a strategy inside each, for whole messages and for pipelines. A reduction is planned as a
/// broadcast on the transposed grid and read backwards (schedule::mirror); what is simulated is the
/// reduction.
class TreeCandidates {
public:
    /// A broadcast between clusters that could be the plan, and about how long it takes between the
    /// ranks, what its segments cost beside the makespan included: exactly where it is whole.
    struct Draft {
        schedule::Schedule broadcast;
        Seconds estimate;
    };

    /// The request states its ports, and how messages are cut. Each segment is taken to cost
    /// `overhead` beside what is simulated.
    TreeCandidates(const Job& job, Request request, const Site& site, Seconds overhead,
                   const Limits& limits);

    /// Throws InputError for names that are not in the table, and where a cost is not known.
    [[nodiscard]] std::vector<Draft> drafts();
    /// About how long a broadcast between clusters takes, as a draft says of its own.
    [[nodiscard]] Seconds estimate_of(const schedule::Schedule& broadcast);
    /// The plan that a draft stands for, simulated: between ranks, or between clusters where the
    /// inside of one is known by its time alone.
    [[nodiscard]] Ranked finish(const schedule::Schedule& broadcast) const;
    /// In steps, by drafts().
    [[nodiscard]] std::uint64_t spent() const { return meter_.spent(); }
    /// Whether messages of the plan that a draft stands for may slow each other down on the ranks'
    /// fabric.
    [[nodiscard]] bool is_contended(const schedule::Schedule& broadcast,
                                    const simulate::Fabric& fabric) const;
    /// What a search between the outermost clusters proved of whole messages; 0: nothing.
    [[nodiscard]] Seconds found_bound() const;

private:
    [[nodiscard]] bool local_name_given() const;
    [[nodiscard]] const Algorithm* chosen_local() const;
    [[nodiscard]] std::vector<const Algorithm*> chosen_orders() const;
    [[nodiscard]] std::vector<const Algorithm*> pipelining_strategies() const;
    [[nodiscard]] std::set<std::size_t> segment_counts() const;
    [[nodiscard]] std::size_t most_simulated() const;
    void add(std::vector<Draft>& drafts, schedule::Schedule schedule, const Algorithm& algorithm);
    [[nodiscard]] LevelPlanner::Order order_by(const Algorithm& algorithm);
    [[nodiscard]] std::vector<std::size_t> promising_segment_counts(const Algorithm& order);
    [[nodiscard]] schedule::Timeline seen_from_above(schedule::Schedule& schedule,
                                                     const schedule::Plan& ranks) const;
    [[nodiscard]] schedule::Schedule in_job_order(schedule::Schedule schedule) const;

    const Job& job_;
    Request request_;
    const Site& site_;
    Seconds overhead_;
    Meter meter_;
    LevelPlanner levels_;
    std::set<std::pair<std::vector<std::size_t>, std::string>> seen_;
    double found_bound_ = 0;
};

/// A tree over all ranks in their order, blind to where they sit. The request states its ports.
[[nodiscard]] schedule::Schedule make_rank_tree(const Job& job, const Request& request,
                                                const RankTree& tree);

}  // namespace espalier::plan
