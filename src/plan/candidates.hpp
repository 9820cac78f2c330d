#pragma once

#include "core/error.hpp"
#include "core/meter.hpp"
#include "plan/algorithm.hpp"
#include "plan/composed/problem.hpp"
#include "plan/overhead.hpp"
#include "plan/race.hpp"
#include "plan/tree_candidates.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// A plan that has not been simulated.
struct Candidate {
    std::string algorithm;
    std::size_t ports = 1;
    std::size_t segments = 1;  ///< the most that a chunk is cut into
    std::size_t messages = 0;
    /// What it takes at least, or, for a long pipeline, about; what messages cost beside the
    /// makespan included.
    Seconds optimistic;
    schedule::Schedule schedule;  ///< between ranks; of a tree, the broadcast between clusters
    const TreeCandidates* tree = nullptr;
    const simulate::Fabric* fabric = nullptr;  ///< that it is to be simulated on
};

/// Makes the candidates of all algorithms that a request admits, for one number of ports.
class Candidates {
public:
    /// `problem` states its ports, and must outlive this.
    Candidates(const composed::Problem& problem, Seconds segment_overhead,
               const MessageOverhead& overhead);

    /// Within the problem's limits; the first algorithm that makes any is not stopped by them.
    [[nodiscard]] std::vector<Candidate> make();
    /// Algorithms that made none, and why.
    [[nodiscard]] const std::vector<Considered>& failures() const { return failures_; }
    /// What a search between clusters proved of whole messages; 0: nothing.
    [[nodiscard]] Seconds found_bound() const;
    [[nodiscard]] bool knows_algorithm() const;
    /// Why the first algorithm that could not plan could not; nullopt: all could.
    [[nodiscard]] const std::optional<InputError>& refusal() const { return refusal_; }
    /// In steps.
    [[nodiscard]] std::uint64_t spent() const { return meter_.spent(); }

private:
    [[nodiscard]] bool is_auto() const;
    [[nodiscard]] bool admits(const Algorithm& algorithm) const;
    [[nodiscard]] std::uint64_t least_work(const Algorithm& algorithm) const;
    [[nodiscard]] Limits share_of_one(std::size_t left) const;
    void make_by(const Algorithm& algorithm, const Limits& limits);
    void make_trees(const Limits& limits);
    void add(schedule::Schedule schedule, const Algorithm& algorithm);

    const composed::Problem& problem_;
    Seconds segment_overhead_;
    MessageOverhead overhead_;
    Meter meter_;
    std::unique_ptr<TreeCandidates> trees_;
    std::vector<Candidate> found_;
    std::vector<Considered> failures_;
    std::optional<InputError> refusal_;
};

}  // namespace espalier::plan
