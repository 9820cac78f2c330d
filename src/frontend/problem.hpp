#pragma once

#include "frontend/known_algorithms.hpp"
#include "frontend/problem_options.hpp"
#include "network/network.hpp"
#include "plan/explanation.hpp"
#include "report/plan_text.hpp"
#include "report/timeline_svg.hpp"
#include "schedule/collective.hpp"
#include "schedule/timeline.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace espalier::frontend {

/// A plan as the commands need it: what is said of it at once, and the rest when asked for.
class Answer {
public:
    Answer() = default;
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
    virtual ~Answer() = default;

    [[nodiscard]] virtual report::Headline headline() const = 0;
    /// The most that a chunk is cut into.
    [[nodiscard]] virtual std::size_t segments() const = 0;
    /// Tables of who does what when, with no more rows than people read.
    [[nodiscard]] virtual std::string tables() const = 0;
    /// The plan that goes into a schedule file.
    [[nodiscard]] virtual const schedule::Plan& plan() const = 0;
    /// The arrangement of its picture.
    [[nodiscard]] virtual report::TimelineOptions look() const { return {}; }
    /// Lines on how it was found, each ended by a line end.
    [[nodiscard]] virtual std::string remarks() const { return {}; }
    /// The candidates of the race that it won; none where one algorithm alone was asked.
    [[nodiscard]] virtual std::span<const plan::Considered> considered() const { return {}; }
    /// What it depends on that nobody measured; nullptr: nothing.
    [[nodiscard]] virtual const plan::Presumption* presumption() const { return nullptr; }
    /// The text of a certificate file. Throws InputError naming `--certificate` where the plan
    /// has no proof.
    [[nodiscard]] virtual std::string certificate() const;
};

/// The text of a schedule file: the schedule, what it depends on that nobody measured, and the
/// candidates if they are asked for.
[[nodiscard]] std::string answer_json(const Answer& answer, bool explained);

/// A collective operation to be planned on the network of a file. Its maker throws InputError for
/// all that does not fit together, before any planning.
class PlanningProblem {
public:
    /// The facts that are known once the network was read.
    struct Setting {
        ProblemOptions options;
        schedule::Kind kind;
        network::Network network;
        std::vector<const AlgorithmEntry*> algorithms;
    };

    PlanningProblem(const PlanningProblem&) = delete;
    PlanningProblem& operator=(const PlanningProblem&) = delete;
    virtual ~PlanningProblem() = default;

    /// The algorithms of the table that apply to this network.
    [[nodiscard]] const std::vector<const AlgorithmEntry*>& algorithms() const {
        return algorithms_;
    }
    /// Throws InputError naming `--algorithm` for a name that is neither `auto` nor among them.
    virtual void require_algorithm(const std::string& name) const;
    /// Whether a comparison shows it: not what is for demands that nobody makes.
    [[nodiscard]] virtual bool shows(const AlgorithmEntry& algorithm) const {
        return algorithm.family != Family::demands;
    }
    [[nodiscard]] virtual std::unique_ptr<Answer> plan(const std::string& algorithm) const = 0;
    /// Where the network can't answer for what was asked for: a line each.
    [[nodiscard]] virtual std::vector<std::string> assumptions() const { return {}; }

protected:
    explicit PlanningProblem(Setting setting);

    [[nodiscard]] const ProblemOptions& options() const { return options_; }
    [[nodiscard]] schedule::Kind kind() const { return kind_; }
    [[nodiscard]] const network::Network& network() const { return network_; }
    [[nodiscard]] std::size_t ports() const { return ports_.value_or(1); }
    /// The number of ports that was asked for; nullopt if the planner shall choose.
    [[nodiscard]] std::optional<std::size_t> stated_ports() const { return ports_; }
    [[nodiscard]] Limits limits() const { return limits_; }

private:
    ProblemOptions options_;
    schedule::Kind kind_;
    network::Network network_;
    std::vector<const AlgorithmEntry*> algorithms_;
    std::optional<std::size_t> ports_;
    Limits limits_;
};

class ExchangeProblem;

/// A total exchange whose messages go straight to their receivers. Throws as make_problem() does.
[[nodiscard]] std::unique_ptr<ExchangeProblem> make_exchange(const ProblemOptions& options);

/// The problem that the options pose; the table says which families have algorithms for this
/// collective on a network of this model.
[[nodiscard]] std::unique_ptr<PlanningProblem> make_problem(const ProblemOptions& options);

/// `; did you mean ecef?` where one of them, or `auto`, has a name like this; else empty.
[[nodiscard]] std::string suggestion(const std::string& name,
                                     const std::vector<const AlgorithmEntry*>& algorithms);

/// `auto` and the names, with commas between them.
[[nodiscard]] std::string names_of(const std::vector<const AlgorithmEntry*>& algorithms);

}  // namespace espalier::frontend
