#pragma once

#include "frontend/problem.hpp"

#include "network.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::python {

/// A plan as Python holds it: an answer, with what it refers to, or what a file states.
class PyPlan {
public:
    /// `problem` must be what `answer` is an answer to; null where it needs none.
    PyPlan(std::shared_ptr<const frontend::PlanningProblem> problem,
           std::shared_ptr<const frontend::Answer> answer, std::string name)
        : problem_(std::move(problem)), answer_(std::move(answer)), name_(std::move(name)) {}

    [[nodiscard]] const frontend::Answer& answer() const { return *answer_; }
    [[nodiscard]] const schedule::Plan& plan() const { return answer_->plan(); }
    [[nodiscard]] const schedule::Schedule& schedule() const { return plan().schedule; }
    /// What errors call it: its file, say.
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string json() const;

private:
    std::shared_ptr<const frontend::PlanningProblem> problem_;
    std::shared_ptr<const frontend::Answer> answer_;
    std::string name_;
};

/// A plan that stands by itself, in seconds unless its network has a unit of its own.
[[nodiscard]] PyPlan plain_plan(schedule::Plan plan, std::string name, std::string time_unit);

/// The collective and the options that `plan()` and `compare()` share, from their arguments; errors
/// name the network as `network` does. Throws TypeError for an argument that there is not.
[[nodiscard]] frontend::ProblemOptions problem_options(const PyNetwork& network,
                                                       const std::string& collective,
                                                       const py::kwargs& words);

void add_plan_type(py::module_& module);
void add_checks(py::module_& module);

}  // namespace espalier::python
