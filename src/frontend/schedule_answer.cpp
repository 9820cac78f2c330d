#include "frontend/schedule_answer.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "report/transfer_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::frontend {

std::size_t ScheduleAnswer::segments() const {
    std::size_t most = 1;
    for (const auto& chunk : plan_.schedule.chunks) most = std::max(most, chunk.segments);
    return most;
}

std::string ScheduleAnswer::tables() const {
    std::string text;
    // What fills a screen is read by cluster.
    constexpr std::size_t rows_of_a_screen = 24;
    const std::size_t transfers = plan_.schedule.transfers.size();
    if (transfers > rows_of_a_screen && !groups_.empty())
        text += "\n" + report::transfer_summary(plan_, groups_);
    else if (transfers > 0)
        text += "\n" + report::transfer_table(plan_, "");
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
    const TimeColumn time = report::time_column(plan_, "");
    Table table(
        {{"inside"}, {"strategy"}, {time.title("start"), right}, {time.title("end"), right}});
    const auto& parts = plan_.schedule.local;
    for (std::size_t p = 0; p < std::min(parts.size(), report::readable_rows); ++p)
        table.add({plan_.schedule.nodes[parts[p].node],
                   parts[p].strategy.empty() ? "-" : parts[p].strategy,
                   time.cell(plan_.timeline.local[p].start),
                   time.cell(plan_.timeline.local[p].end)});
    return table.text() + report::more_rows(parts.size());
}

std::vector<report::LaneGroup> lane_groups(const network::GridView& view) {
    if (view.nodes() == view.grid().size()) return {};
    std::vector<report::LaneGroup> groups;
    for (const network::Cluster& cluster : view.grid().clusters)
        groups.push_back({cluster.name, cluster.size});
    return groups;
}

std::vector<report::LaneGroup> lane_groups(const std::vector<std::string>& nodes) {
    std::vector<report::LaneGroup> groups;
    for (const std::string& node : nodes) {
        const std::size_t dash = std::min(node.rfind('-'), node.size());
        const std::string cluster = node.substr(0, dash);
        const bool goes_on = !groups.empty() && groups.back().name == cluster;
        if (!goes_on) groups.push_back({cluster, 0});
        if (node.substr(dash) != fmt::format("-{}", groups.back().nodes)) return {};
        ++groups.back().nodes;
    }
    if (groups.size() < 2 || groups.size() == nodes.size()) groups.clear();
    return groups;
}

}  // namespace espalier::frontend
