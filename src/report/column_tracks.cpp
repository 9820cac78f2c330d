#include "report/column_tracks.hpp"

#include <algorithm>

namespace espalier::report {

namespace {

std::vector<std::size_t> assign(const std::vector<std::vector<Bar*>>& by_node, double tolerance) {
    std::vector<std::size_t> counts;
    for (const std::vector<Bar*>& bars : by_node)
        counts.push_back(std::max<std::size_t>(1, assign_tracks(bars, 0, tolerance)));
    return counts;
}

}  // namespace

ColumnTracks column_tracks(const schedule::Plan& plan) {
    TimelineLayout lanes = lay_out(plan);
    ColumnTracks tracks{
        std::move(lanes.sends), std::move(lanes.receives), std::move(lanes.local), {}, {}};
    const std::size_t nodes = plan.schedule.nodes.size();
    std::vector<std::vector<Bar*>> outgoing(nodes);
    std::vector<std::vector<Bar*>> incoming(nodes);
    for (Bar& bar : tracks.sends) outgoing[bar.lane].push_back(&bar);
    for (Bar& bar : tracks.local) outgoing[bar.lane].push_back(&bar);
    for (Bar& bar : tracks.receives) incoming[bar.lane].push_back(&bar);
    const double tolerance = plan.timeline.makespan.value * 1e-9;
    tracks.send_tracks = assign(outgoing, tolerance);
    tracks.receive_tracks = assign(incoming, tolerance);
    return tracks;
}

}  // namespace espalier::report
