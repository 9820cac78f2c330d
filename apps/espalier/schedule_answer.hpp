#pragma once

#include "network/grid_view.hpp"
#include "planning.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace espalier::cli {

/// A plan as its schedule states it.
class ScheduleAnswer final : public Answer {
public:
    /// `groups` are the nodes that its picture sets apart, in their order; none where they are
    /// alike.
    explicit ScheduleAnswer(schedule::Plan plan, std::vector<report::LaneGroup> groups = {})
        : plan_(std::move(plan)), groups_(std::move(groups)) {}

    [[nodiscard]] report::Headline headline() const override { return report::headline_of(plan_); }
    [[nodiscard]] std::size_t segments() const override;
    [[nodiscard]] std::string tables() const override;
    [[nodiscard]] const schedule::Plan& plan() const override { return plan_; }
    [[nodiscard]] report::TimelineOptions look() const override;

private:
    [[nodiscard]] std::string local_table() const;

    schedule::Plan plan_;
    std::vector<report::LaneGroup> groups_;
};

/// The nodes of each top-level cluster; none where every cluster has one.
[[nodiscard]] std::vector<report::LaneGroup> lane_groups(const network::GridView& view);

}  // namespace espalier::cli
