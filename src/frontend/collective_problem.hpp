#pragma once

#include "frontend/problem.hpp"
#include "network/grid_view.hpp"
#include "plan/race.hpp"

#include <memory>
#include <string>

namespace espalier::frontend {

/// A collective between the nodes of a network, as plan::race() plans it. In a grid the nodes are
/// those of all clusters; what is shown is the plan between them, or, where it is a tree, between
/// the clusters. Of a pairwise network or one of links each node is a cluster of its own.
class CollectiveProblem final : public PlanningProblem {
public:
    /// `exchange`, of a total exchange, plans by the names of planners for demands.
    CollectiveProblem(Setting setting, std::unique_ptr<PlanningProblem> exchange);

    [[nodiscard]] bool shows(const AlgorithmEntry& algorithm) const override;
    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;
    [[nodiscard]] std::vector<std::string> assumptions() const override;

private:
    void refuse_what_does_not_apply() const;
    void require_local() const;
    [[nodiscard]] plan::Request read_request() const;
    void read_sizes(plan::Request& request) const;
    [[nodiscard]] Limits budget(const std::string& algorithm) const;
    /// The plan between ranks, or between clusters, as it was asked for.
    [[nodiscard]] schedule::Plan shown(plan::Ranked found) const;

    std::unique_ptr<PlanningProblem> exchange_;
    network::GridNetwork grid_;
    network::GridView view_;
    plan::Job job_;
    plan::Request request_;
};

}  // namespace espalier::frontend
