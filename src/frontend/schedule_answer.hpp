#pragma once

#include "frontend/problem.hpp"
#include "network/grid_view.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::frontend {

/// A plan as its schedule states it.
class ScheduleAnswer final : public Answer {
public:
    /// `groups` are the nodes that its picture sets apart, in their order; none where they are
    /// alike. `considered` are the candidates of the race that it won, `presumption` is the race's.
    ScheduleAnswer(schedule::Plan plan, std::vector<report::LaneGroup> groups, std::string remarks,
                   std::vector<plan::Considered> considered,
                   std::optional<plan::Presumption> presumption)
        : plan_(std::move(plan)),
          groups_(std::move(groups)),
          remarks_(std::move(remarks)),
          considered_(std::move(considered)),
          presumption_(std::move(presumption)) {}

    [[nodiscard]] report::Headline headline() const override { return report::headline_of(plan_); }
    [[nodiscard]] std::size_t segments() const override;
    [[nodiscard]] std::string tables() const override;
    [[nodiscard]] const schedule::Plan& plan() const override { return plan_; }
    [[nodiscard]] report::TimelineOptions look() const override;
    [[nodiscard]] std::string remarks() const override { return remarks_; }
    [[nodiscard]] std::span<const plan::Considered> considered() const override {
        return considered_;
    }
    [[nodiscard]] const plan::Presumption* presumption() const override {
        return presumption_ ? &*presumption_ : nullptr;
    }

private:
    [[nodiscard]] std::string local_table() const;

    schedule::Plan plan_;
    std::vector<report::LaneGroup> groups_;
    std::string remarks_;
    std::vector<plan::Considered> considered_;
    std::optional<plan::Presumption> presumption_;
};

/// The nodes of each top-level cluster; none where every cluster has one.
[[nodiscard]] std::vector<report::LaneGroup> lane_groups(const network::GridView& view);
/// The same by names of nodes, `cluster-0` and on; none where they are others.
[[nodiscard]] std::vector<report::LaneGroup> lane_groups(const std::vector<std::string>& nodes);

}  // namespace espalier::frontend
