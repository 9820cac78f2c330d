#pragma once

#include "demands/exchange_plan.hpp"
#include "frontend/all_nodes.hpp"
#include "frontend/problem.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <string>
#include <vector>

namespace espalier::frontend {

/// A total exchange between the nodes of a network; in a grid, those of all clusters.
class ExchangeProblem final : public PlanningProblem {
public:
    explicit ExchangeProblem(Setting setting);

    [[nodiscard]] bool shows(const AlgorithmEntry& algorithm) const override;
    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;

    /// The fabric between the network's nodes, and their names. The problem must outlive both.
    [[nodiscard]] const simulate::Fabric& fabric() const { return nodes_.fabric(); }
    [[nodiscard]] const std::vector<std::string>& names() const { return nodes_.names(); }
    [[nodiscard]] const demands::ExchangeRequest& request() const { return request_; }

private:
    void refuse_what_does_not_apply() const;
    [[nodiscard]] schedule::Collective read_sizes() const;
    [[nodiscard]] schedule::Reception read_reception() const;
    void read_demands();
    [[nodiscard]] std::shared_ptr<const schedule::Schedule> read_refined() const;

    AllNodes nodes_;
    demands::ExchangeRequest request_;
};

/// The sizes of the blocks that each node (row) has for each other (column), by their names. Throws
/// InputError naming what was asked for if it is no matrix of whole numbers of bytes, or of other
/// nodes.
[[nodiscard]] std::shared_ptr<const Matrix<Bytes>> read_exchange_sizes(
    const BlockSizes& asked, const std::vector<std::string>& names);

}  // namespace espalier::frontend
