#include "schedule/json.hpp"

#include "core/json_reader.hpp"
#include "core/json_text.hpp"

#include <span>

namespace espalier::schedule {

namespace {

Json chunk_json(const Schedule& schedule, std::size_t id) {
    const Chunk& chunk = schedule.chunks[id];
    Json object{{"id", id}, {"bytes", chunk.bytes.value}, {"segments", chunk.segments}};
    if (chunk.source) object["source"] = schedule.nodes[*chunk.source];
    if (chunk.target) object["target"] = schedule.nodes[*chunk.target];
    if (chunk.control) object["control"] = true;
    if (chunk.deadline) object["deadline"] = chunk.deadline->value;
    if (chunk.priority != 1) object["priority"] = chunk.priority;
    return object;
}

Json transfer_json(const Plan& plan, std::size_t t) {
    const Schedule& schedule = plan.schedule;
    const Transfer& transfer = schedule.transfers[t];
    Json object{{"from", schedule.nodes[transfer.from]},
                {"to", schedule.nodes[transfer.to]},
                {"chunk", transfer.chunk},
                {"op", transfer.op == Op::copy ? "copy" : "combine"}};
    if (transfer.chunks != 1) object["chunks"] = transfer.chunks;
    if (transfer.segments) object["segments"] = *transfer.segments;
    if (transfer.after) object["after"] = *transfer.after;
    if (!plan.timeline.transfers.empty()) {
        object["start"] = plan.timeline.transfers[t].start.value;
        object["end"] = plan.timeline.transfers[t].end.value;
    }
    return object;
}

Json blocks_json(std::span<const Bytes> blocks) {
    Json list = Json::array();
    for (const Bytes size : blocks) list.push_back(size.value);
    return list;
}

Json sizes_json(const Matrix<Bytes>& sizes) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < sizes.rows(); ++i) rows.push_back(blocks_json(sizes.row(i)));
    return rows;
}

Json missed_json(const Schedule& schedule, const std::vector<Missed>& missed) {
    Json list = Json::array();
    for (const auto& [c, end] : missed) {
        const Chunk& chunk = schedule.chunks[c];
        Json entry{{"chunk", c}};
        if (chunk.source) entry["from"] = schedule.nodes[*chunk.source];
        if (chunk.target) entry["to"] = schedule.nodes[*chunk.target];
        entry["deadline"] = chunk.deadline->value;
        entry["end"] = end.value;
        entry["late_by"] = (end - *chunk.deadline).value;
        entry["priority"] = chunk.priority;
        list.push_back(std::move(entry));
    }
    return list;
}

/// The fields before the transfers.
Json head_json(const Plan& plan) {
    const Schedule& schedule = plan.schedule;
    Json document{{"format", "espalier-schedule"},
                  {"version", 1},
                  {"collective", name_of(schedule.collective.kind)},
                  {"nodes", schedule.nodes}};
    if (has_root(schedule.collective.kind))
        document["root"] = schedule.nodes[schedule.collective.root];
    document["bytes"] = schedule.collective.bytes.value;
    if (schedule.collective.sizes) document["sizes"] = sizes_json(*schedule.collective.sizes);
    if (schedule.collective.blocks) document["blocks"] = blocks_json(*schedule.collective.blocks);
    if (schedule.collective.ordered) document["ordered"] = true;
    if (!schedule.network.empty()) document["network"] = schedule.network;
    document["ports"] = to_string(schedule.ports);
    if (schedule.reception.mode != Reception::Mode::serial)
        document["reception"] = to_string(schedule.reception);
    if (!schedule.barriers.empty()) document["barriers"] = schedule.barriers;
    if (!schedule.algorithm.empty()) document["algorithm"] = schedule.algorithm;
    if (schedule.epoch != 0) document["epoch"] = schedule.epoch;
    document["chunks"] = Json::array();
    for (std::size_t c = 0; c < schedule.chunks.size(); ++c)
        document["chunks"].push_back(chunk_json(schedule, c));
    document["makespan"] = plan.timeline.makespan.value;
    document["lower_bound"] = plan.lower_bound.value;
    document["bound_scope"] = name_of(plan.scope);
    if (plan.any_bound > Seconds(0)) document["any_lower_bound"] = plan.any_bound.value;
    document["optimal"] = plan.optimal;
    if (plan.robust) document["robust"] = to_json(*plan.robust);
    add_demands(document, plan);
    return document;
}

Json local_json(const Plan& plan) {
    const Schedule& schedule = plan.schedule;
    Json list = Json::array();
    for (std::size_t p = 0; p < schedule.local.size(); ++p) {
        const LocalPart& part = schedule.local[p];
        Json object{{"node", schedule.nodes[part.node]}, {"strategy", part.strategy}};
        if (part.segments != 1) object["segments"] = part.segments;
        if (part.phase == LocalPart::Phase::before) object["phase"] = "before";
        object["start"] = plan.timeline.local[p].start.value;
        object["end"] = plan.timeline.local[p].end.value;
        list.push_back(std::move(object));
    }
    return list;
}

}  // namespace

std::string_view word_for_deadlines(const std::vector<Missed>& missed, double missed_bound) {
    if (missed.empty()) return "met";
    return missed_bound > 0 ? "impossible" : "missed";
}

void add_demands(Json& document, const Plan& plan) {
    const Schedule& schedule = plan.schedule;
    const bool timed = plan.timeline.transfers.size() == schedule.transfers.size();
    if (schedule.critical) {
        document["critical"] = schedule.nodes[*schedule.critical];
        if (timed) document["critical_done"] = critical_done(schedule, plan.timeline).value;
        if (plan.critical_bound > Seconds(0))
            document["critical_lower_bound"] = plan.critical_bound.value;
    }
    if (!has_deadlines(schedule)) return;
    if (timed) {
        const auto missed = missed_deadlines(schedule, plan.timeline);
        document["deadlines"] = word_for_deadlines(missed, plan.missed_bound);
        document["missed"] = missed_json(schedule, missed);
    }
    if (plan.missed_bound > 0) document["missed_lower_bound"] = plan.missed_bound;
}

Json to_json(const Robust& robust) {
    Json object{{"percentile", robust.percentile}, {"makespan", robust.makespan.value}};
    if (robust.lower_bound > Seconds(0)) object["lower_bound"] = robust.lower_bound.value;
    return object;
}

Json to_json(const Plan& plan) {
    Json document = head_json(plan);
    Json transfers = Json::array();
    for (std::size_t t = 0; t < plan.schedule.transfers.size(); ++t)
        transfers.push_back(transfer_json(plan, t));
    document["transfers"] = std::move(transfers);
    if (!plan.schedule.local.empty()) document["local"] = local_json(plan);
    return document;
}

std::string to_json_text(const Plan& plan) {
    std::string text = begin_text(head_json(plan));
    append_list(text, "transfers", plan.schedule.transfers.size(),
                [&](std::size_t t) { return transfer_json(plan, t); });
    if (!plan.schedule.local.empty()) append_field(text, "local", local_json(plan));
    return end_text(std::move(text));
}

}  // namespace espalier::schedule
