#include "report/timeline_layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace espalier::report {

namespace {

constexpr double most_lane_height = 36;
constexpr double lanes_of_a_page = 640;  // pixels that few nodes share
constexpr double track_height = 12;
constexpr double around_tracks = 6;
constexpr double most_grown_height = 200;
constexpr double padding_share = 0.1;
constexpr double most_lane_padding = 4;

/// Above the bars of a lane, and below them.
double padding_of(const Lane& lane) {
    return std::min(most_lane_padding, padding_share * lane.height);
}

void check(const schedule::Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    if (plan.timeline.transfers.size() != schedule.transfers.size() ||
        plan.timeline.local.size() != schedule.local.size())
        throw std::invalid_argument("the timeline does not have the transfers of its schedule");
    for (const schedule::Transfer& transfer : schedule.transfers)
        if (transfer.from >= schedule.nodes.size() || transfer.to >= schedule.nodes.size() ||
            transfer.chunk >= schedule.chunks.size())
            throw std::invalid_argument("a transfer names a node or chunk that is not there");
    for (const schedule::LocalPart& part : schedule.local)
        if (part.node >= schedule.nodes.size())
            throw std::invalid_argument("a local part names a node that is not there");
}

std::size_t arrange(const std::vector<Bar*>& incoming, const std::vector<Bar*>& outgoing,
                    double tolerance) {
    std::vector<Bar*> all = incoming;
    all.insert(all.end(), outgoing.begin(), outgoing.end());
    if (const std::size_t tracks = assign_tracks(all, 0, tolerance); tracks <= 1) return 1;
    const std::size_t above = assign_tracks(incoming, 0, tolerance);
    return above + assign_tracks(outgoing, above, tolerance);
}

}  // namespace

std::size_t assign_tracks(std::vector<Bar*> bars, std::size_t first, double tolerance) {
    std::ranges::stable_sort(bars, {}, &Bar::start);
    std::vector<double> free_at;
    for (Bar* bar : bars) {
        const auto track = std::ranges::find_if(
            free_at, [&](double time) { return time <= bar->start + tolerance; });
        bar->track = first + static_cast<std::size_t>(track - free_at.begin());
        if (track == free_at.end())
            free_at.push_back(bar->end);
        else
            *track = std::max(*track, bar->end);
    }
    return free_at.size();
}

double TimelineLayout::height_of(const Bar& bar) const {
    const Lane& lane = lanes[bar.lane];
    return (lane.height - 2 * padding_of(lane)) / static_cast<double>(lane.tracks);
}

double TimelineLayout::top_of(const Bar& bar) const {
    return lanes[bar.lane].top + padding_of(lanes[bar.lane]) +
           static_cast<double>(bar.track) * height_of(bar);
}

TimelineLayout lay_out(const schedule::Plan& plan) {
    check(plan);
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Timeline& timeline = plan.timeline;
    TimelineLayout layout;
    layout.lanes.resize(schedule.nodes.size());
    for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
        const schedule::Transfer& transfer = schedule.transfers[i];
        const schedule::Timeline::Times& times = timeline.transfers[i];
        layout.sends.push_back(
            {Bar::Kind::send, i, transfer.from, times.start.value, times.sent.value});
        layout.receives.push_back(
            {Bar::Kind::receive, i, transfer.to, times.arrival.value, times.end.value});
    }
    for (std::size_t i = 0; i < schedule.local.size(); ++i)
        layout.local.push_back({Bar::Kind::local, i, schedule.local[i].node,
                                timeline.local[i].start.value, timeline.local[i].end.value});

    std::vector<std::vector<Bar*>> incoming(layout.lanes.size());
    std::vector<std::vector<Bar*>> outgoing(layout.lanes.size());
    for (Bar& bar : layout.receives) incoming[bar.lane].push_back(&bar);
    for (Bar& bar : layout.sends) outgoing[bar.lane].push_back(&bar);
    for (Bar& bar : layout.local) outgoing[bar.lane].push_back(&bar);

    const double base =
        std::min(most_lane_height, lanes_of_a_page / static_cast<double>(layout.lanes.size()));
    const double tolerance = timeline.makespan.value * 1e-9;
    for (std::size_t node = 0; node < layout.lanes.size(); ++node) {
        Lane& lane = layout.lanes[node];
        lane.tracks = arrange(incoming[node], outgoing[node], tolerance);
        const double wanted = static_cast<double>(lane.tracks) * track_height + around_tracks;
        lane.height = std::max(base, std::min(wanted, most_grown_height));
        lane.top = layout.height;
        layout.height += lane.height;
    }
    return layout;
}

}  // namespace espalier::report
