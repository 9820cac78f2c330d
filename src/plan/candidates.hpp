#pragma once

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "plan/algorithm.hpp"
#include "plan/composed/problem.hpp"
#include "plan/overhead.hpp"
#include "plan/race.hpp"
#include "plan/tree_candidates.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::plan {

/// A plan that has not been simulated.
struct Candidate {
    std::string algorithm;
    std::size_t ports = 1;
    std::size_t segments = 1;  ///< the most that a chunk is cut into
    std::size_t messages = 0;
    /// A lower bound on its time or, for a long pipeline, an estimate; with what messages cost
    /// beside the makespan.
    Seconds optimistic;
    schedule::Schedule schedule;  ///< between ranks; of a tree, the broadcast between clusters
    const TreeCandidates* tree = nullptr;
    const simulate::Fabric* fabric = nullptr;  ///< that it is to be simulated on
    /// Whether some messages may slow others down, so that it takes longer to simulate.
    bool contended = false;
    double under_way = 0;  ///< messages at once, in the mean
    /// Where it takes longer, windows may be narrower in the next call of a row.
    Seconds least_restart{infinity};
    std::string costs = {};  ///< for which it was made; empty: the stated ones

    /// The cost of simulating the candidate, in steps.
    [[nodiscard]] std::uint64_t steps() const;
};

/// Makes the candidates of the algorithms that a request admits, for one number of ports.
class Candidates {
public:
    /// Plans are made for `problem`, whose costs bear that name, and then looked at as `stated`,
    /// the same problem with the stated costs (no name: both are the same). Both state their ports,
    /// and must outlive this, as `meter` must, which counts what it costs to look at candidates.
    Candidates(const composed::Problem& stated, const composed::Problem& problem, std::string costs,
               const MessageOverhead& overhead, Meter& meter)
        : stated_(stated),
          problem_(problem),
          costs_(std::move(costs)),
          overhead_(overhead),
          meter_(meter) {}

    /// The algorithms that a request admits; one of them stands for all trees, whose orders between
    /// clusters and strategies inside are combined.
    [[nodiscard]] std::vector<const Algorithm*> makers() const;
    /// Candidates of one of the makers, which spends from the meter. They must not outlive this.
    /// Throws InputError where a cost that it needs is not known.
    [[nodiscard]] std::vector<Candidate> make(const Algorithm& maker, Meter& meter);
    /// Steps of a maker that no limits spare it.
    [[nodiscard]] std::uint64_t least_work(const Algorithm& maker) const;
    /// The lower bound that a search between clusters proved of whole messages, at stated costs; 0:
    /// none.
    [[nodiscard]] Seconds found_bound() const;
    [[nodiscard]] bool knows_algorithm() const;

private:
    [[nodiscard]] bool is_auto() const;
    [[nodiscard]] bool admits(const Algorithm& algorithm) const;
    [[nodiscard]] std::vector<Candidate> make_trees(Meter& meter);
    [[nodiscard]] Candidate candidate(schedule::Schedule schedule, const Algorithm& algorithm);

    [[nodiscard]] TreeCandidates& add_trees(const composed::Problem& problem, Meter& meter);

    const composed::Problem& stated_;
    const composed::Problem& problem_;  ///< for which plans are made
    std::string costs_;                 ///< empty: the stated ones
    MessageOverhead overhead_;
    Meter& meter_;
    std::vector<std::unique_ptr<TreeCandidates>> trees_;
};

}  // namespace espalier::plan
