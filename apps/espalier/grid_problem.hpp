#pragma once

#include "network/grid_view.hpp"
#include "plan/job.hpp"
#include "planning.hpp"

namespace espalier::cli {

/// A collective on a grid, or on a pairwise network, each of whose nodes counts as a cluster.
class GridProblem final : public PlanningProblem {
public:
    explicit GridProblem(Setting setting);

    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;
    void warn_of_assumptions() const override;

private:
    [[nodiscard]] std::size_t read_root() const;
    [[nodiscard]] Bytes read_bytes() const;
    [[nodiscard]] plan::Segmenting segmenting(const std::string& algorithm) const;
    void require_local() const;

    network::GridNetwork grid_;
    network::GridView view_;
    plan::Job job_;
    plan::JobRequest request_;
};

}  // namespace espalier::cli
