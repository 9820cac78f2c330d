#pragma once

#include "core/json.hpp"
#include "core/units.hpp"
#include "frontend/problem.hpp"
#include "schedule/timeline.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace espalier::frontend {

/// Every algorithm that applies to a problem, side by side.
struct Comparison {
    struct Row {
        std::string algorithm;
        std::string chosen;  ///< what `auto` took; empty: what was asked for
        Seconds makespan;
        Seconds lower_bound;
        schedule::BoundScope scope = schedule::BoundScope::whole_message;
        Seconds any_bound;  ///< beside one for whole messages; 0: not known
        bool optimal = false;
        std::size_t segments = 1;
        Seconds took;  ///< to plan
        std::string time_unit;
        std::optional<schedule::Robust> robust;

        /// What plans are compared by.
        [[nodiscard]] Seconds time() const { return robust ? robust->makespan : makespan; }
    };
    /// An algorithm that gave no plan, and why.
    struct Skipped {
        std::string algorithm;
        std::string reason;
    };
    /// What was planned; in a study, the study says it.
    struct Subject {
        std::string collective;
        std::string network;         ///< its name
        std::optional<Bytes> bytes;  ///< none: the collective, or the network, has no sizes
        std::string root;            ///< empty: none, or what is usual
        std::string command = {};    ///< that compared; empty: not said
        std::string problem = {};    ///< its words that `espalier plan` takes, too
    };
    std::vector<Row> rows;  ///< the fastest first
    std::vector<Skipped> skipped;
    std::optional<Subject> subject;

    struct Bound {
        Seconds time;  ///< 0: not known
        schedule::BoundScope scope = schedule::BoundScope::whole_message;
    };
    /// The greatest bound that holds for all rows: one for whole messages says nothing of those
    /// that are cut.
    [[nodiscard]] Bound common_bound() const;
    /// The bound that holds for schedules of any kind, whatever the rows' own bounds are about. 0:
    /// not known.
    [[nodiscard]] Seconds any_bound() const;
    /// The same of the percentile by which plans were compared.
    [[nodiscard]] Bound robust_bound(schedule::BoundScope scope) const;
};

/// Told at the beginning of each algorithm, and a few times a second: whose turn it is, how many
/// have had theirs with it, and how many there are. What it throws ends the comparison.
using Turn = std::function<void(const std::string& algorithm, std::size_t begun, std::size_t all)>;

/// Plans by each algorithm that the problem shows, or by those of `only` if it has any, each in a
/// process of its own that is ended where it does not keep the limit. Throws InputError where none
/// can take the problem.
[[nodiscard]] Comparison compare(const PlanningProblem& problem, Seconds limit, const Turn& turn,
                                 const std::vector<std::string>& only = {});

/// Format `espalier-comparison`, version 1. Throws InputError.
[[nodiscard]] Comparison read_comparison(const JsonValue& document);
/// The same as it is written.
[[nodiscard]] Json to_json(const Comparison& comparison);

}  // namespace espalier::frontend
