#include "report/viewer_html.hpp"

#include "core/json_reader.hpp"
#include "report/column_tracks.hpp"
#include "report/dependences_svg.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"
#include "report/plan_text.hpp"
#include "report/svg.hpp"
#include "report/viewer_files.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace espalier::report {

namespace {

using schedule::Plan;
using simulate::Bond;

/// The word for a bond in the viewer's scripts.
std::string_view word_of(Bond bond) {
    switch (bond) {
        case Bond::receiver:
            return "receiver";
        case Bond::sender:
            return "sender";
        case Bond::data:
            return "data";
        case Bond::answer:
            return "answer";
        case Bond::barrier:
            return "barrier";
        case Bond::buffer:
            return "buffer";
        case Bond::turn:
            return "turn";
        case Bond::inside:
            return "inside";
    }
    return {};
}
constexpr std::array all_bonds{Bond::receiver, Bond::sender, Bond::data, Bond::answer,
                               Bond::barrier,  Bond::buffer, Bond::turn, Bond::inside};

template <typename Values, typename Get>
Json list_of(const Values& values, Get get) {
    Json list = Json::array();
    for (const auto& value : values) list.push_back(get(value));
    return list;
}

/// Column by column, and without those that say nothing: a large exchange has many transfers.
Json transfers_json(const Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    const auto& times = plan.timeline.transfers;
    Json out;
    out["from"] = list_of(schedule.transfers, [](const auto& t) { return t.from; });
    out["to"] = list_of(schedule.transfers, [](const auto& t) { return t.to; });
    out["bytes"] =
        list_of(schedule.transfers, [&](const auto& t) { return schedule.bytes_of(t).value; });
    if (std::ranges::any_of(schedule.transfers,
                            [&](const auto& t) { return schedule.segments_of(t) > 1; }))
        out["segments"] =
            list_of(schedule.transfers, [&](const auto& t) { return schedule.segments_of(t); });
    out["start"] = list_of(times, [](const auto& t) { return t.start.value; });
    out["end"] = list_of(times, [](const auto& t) { return t.end.value; });
    if (std::ranges::any_of(times, [](const auto& t) { return t.sent != t.end; }))
        out["sent"] = list_of(times, [](const auto& t) { return t.sent.value; });
    if (std::ranges::any_of(times, [](const auto& t) { return t.arrival != t.start; }))
        out["arrival"] = list_of(times, [](const auto& t) { return t.arrival.value; });
    return out;
}

Json path_json(const simulate::CriticalPath& path) {
    return list_of(path.steps, [](const auto& step) {
        return Json{{"transfer", step.transfer},
                    {"kind", step.bond ? word_of(*step.bond) : ""},
                    {"bond", step.bond ? words_for(*step.bond) : ""},
                    {"begins", step.begins.value},
                    {"ends", step.ends.value},
                    {"idle", step.idle.value}};
    });
}

void add_tracks(Json& out, const char* name, const std::vector<Bar>& bars) {
    if (std::ranges::any_of(bars, [](const Bar& bar) { return bar.track > 0; }))
        out[name] = list_of(bars, [](const Bar& bar) { return bar.track; });
}

void add_graph(Json& out, const simulate::Dependences& graph) {
    Json first = Json::array({0});
    Json needs = Json::array();
    Json bonds = Json::array();
    for (std::size_t t = 0; t < graph.size(); ++t) {
        for (const simulate::Dependence& need : graph.of(t)) {
            needs.push_back(need.transfer);
            bonds.push_back(std::ranges::find(all_bonds, need.bond) - all_bonds.begin());
        }
        first.push_back(needs.size());
    }
    out["depth"] = depths(graph);
    out["needFirst"] = std::move(first);
    out["needs"] = std::move(needs);
    out["needBond"] = std::move(bonds);
    out["bonds"] = list_of(all_bonds, [](Bond bond) {
        const BondStroke& stroke = stroke_of(bond);
        return Json{{"words", stroke.words}, {"colour", stroke.colour}, {"dashes", stroke.dashes}};
    });
}

Json indices_where(const Plan& plan, bool (*holds)(const Plan&, const schedule::Transfer&)) {
    Json list = Json::array();
    for (std::size_t t = 0; t < plan.schedule.transfers.size(); ++t)
        if (holds(plan, plan.schedule.transfers[t])) list.push_back(t);
    return list;
}

Json data_of(const Plan& plan, const Analysis& analysis, View view,
             const TimelineOptions& options) {
    const ColumnTracks tracks = column_tracks(plan);
    Json out{{"unit", options.time_unit},
             {"view", name_of(view)},
             {"makespan", plan.timeline.makespan.value},
             {"bound", plan.lower_bound.value},
             {"nodes", plan.schedule.nodes}};
    out["transfers"] = transfers_json(plan);
    add_tracks(out, "sendTrack", tracks.sends);
    add_tracks(out, "receiveTrack", tracks.receives);
    out["sendTracks"] = tracks.send_tracks;
    out["receiveTracks"] = tracks.receive_tracks;
    out["combine"] = indices_where(
        plan, [](const Plan&, const auto& t) { return t.op == schedule::Op::combine; });
    out["control"] = indices_where(
        plan, [](const Plan& p, const auto& t) { return p.schedule.chunks[t.chunk].control; });
    out["local"] = list_of(tracks.local, [&](const Bar& bar) {
        return Json{{"node", bar.lane},
                    {"track", bar.track},
                    {"start", bar.start},
                    {"end", bar.end},
                    {"strategy", plan.schedule.local[bar.index].strategy}};
    });
    out["barriers"] = list_of(barrier_times(plan), [](Seconds time) { return time.value; });
    out["path"] = path_json(analysis.path);
    if (analysis.path.local_first) out["localFirst"] = *analysis.path.local_first;
    if (analysis.path.local_last) out["localLast"] = *analysis.path.local_last;
    out["groups"] = list_of(options.groups, [](const LaneGroup& group) {
        return Json{{"name", group.name}, {"nodes", group.nodes}};
    });
    Json late = Json::array();
    for (std::size_t t = 0; t < analysis.late.size(); ++t)
        if (analysis.late[t]) late.push_back(Json::array({t, analysis.late[t]->value}));
    out["late"] = std::move(late);
    add_graph(out, analysis.dependences);
    return out;
}

/// The data as text that may stand inside a script element: no name can end the element.
std::string inside_script(const Json& data) {
    std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
        text.replace(at, 1, "\\u003c");
    return text;
}

/// Fills the places `%name%` of a template, in one pass: what is filled in is not looked at.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& places) {
    std::string out;
    while (!text.empty()) {
        const auto place = std::ranges::find_if(places, [&](const auto& candidate) {
            return text.starts_with(fmt::format("%{}%", candidate.first));
        });
        if (place != places.end()) {
            out += place->second;
            text.remove_prefix(place->first.size() + 2);
            continue;
        }
        const std::size_t next = std::min(text.find('%', 1), text.size());
        out += text.substr(0, next);
        text.remove_prefix(next);
    }
    return out;
}

}  // namespace

std::string diagram_html(const Plan& plan, const Analysis& analysis, View view,
                         const TimelineOptions& options) {
    options.check_groups(plan.schedule.nodes.size());
    const Headline headline = headline_of(plan, options.time_unit);
    const std::string title = options.title.empty() ? title_of(headline) : options.title;
    return filled(viewer_html,
                  {{"title", escape_xml(title)},
                   {"subtitle", escape_xml(subtitle_of(headline))},
                   {"style", page_style()},
                   {"origin", options.origin.empty() ? "" : origin(options.origin)},
                   {"data", inside_script(data_of(plan, analysis, view, options))},
                   {"script", fmt::format("(() => {{\n\"use strict\";\n{}\n{}\n{}\n{}\n{}}})();\n",
                                          viewer_model, viewer_viewport, viewer_draw, viewer_marks,
                                          viewer_page)}});
}

}  // namespace espalier::report
