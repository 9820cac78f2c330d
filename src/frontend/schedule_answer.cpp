#include "frontend/schedule_answer.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "report/transfer_table.hpp"

#include <algorithm>

namespace espalier::frontend {

std::size_t ScheduleAnswer::segments() const {
    std::size_t most = 1;
    for (const auto& chunk : plan_.schedule.chunks) most = std::max(most, chunk.segments);
    return most;
}

std::string ScheduleAnswer::tables() const {
    std::string text;
    if (!plan_.schedule.transfers.empty()) text += "\n" + report::transfer_table(plan_, "");
    if (!plan_.schedule.local.empty()) text += "\n" + local_table();
    return text;
}

report::TimelineOptions ScheduleAnswer::look() const {
    report::TimelineOptions look;
    look.groups = groups_;
    return look;
}

std::string ScheduleAnswer::local_table() const {
    using enum Table::Align;
    Table table({{"inside"}, {"strategy"}, {"start", right}, {"end", right}});
    const auto& parts = plan_.schedule.local;
    for (std::size_t p = 0; p < std::min(parts.size(), report::readable_rows); ++p)
        table.add({plan_.schedule.nodes[parts[p].node],
                   parts[p].strategy.empty() ? "-" : parts[p].strategy,
                   format_seconds(plan_.timeline.local[p].start),
                   format_seconds(plan_.timeline.local[p].end)});
    return table.text() + report::more_rows(parts.size());
}

std::vector<report::LaneGroup> lane_groups(const network::GridView& view) {
    if (view.nodes() == view.grid().size()) return {};
    std::vector<report::LaneGroup> groups;
    for (const network::Cluster& cluster : view.grid().clusters)
        groups.push_back({cluster.name, cluster.size});
    return groups;
}

}  // namespace espalier::frontend
