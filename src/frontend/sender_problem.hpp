#pragma once

#include "frontend/problem.hpp"
#include "sender/paper_search.hpp"
#include "sender/plan.hpp"

#include <optional>

namespace espalier::frontend {

/// A broadcast or a reduction of a unit message on a network of senders.
class SenderProblem final : public PlanningProblem {
public:
    explicit SenderProblem(Setting setting);

    void require_algorithm(const std::string& name) const override;
    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;

private:
    void refuse_what_does_not_apply() const;
    [[nodiscard]] std::optional<std::size_t> read_root() const;
    void read_techniques();

    std::optional<std::size_t> root_;
    sender::Techniques techniques_;
};

}  // namespace espalier::frontend
