#include "runtime/logic/run_report.hpp"

#include "core/json_reader.hpp"
#include "core/statistics.hpp"
#include "plan/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace espalier::runtime {

namespace {

constexpr std::size_t most_samples = 10'000;

constexpr std::string_view of_neighbours = "neighbor-";

Json describe(const RunReport::Expectation& expectation) {
    Json entry = Json::object();
    if (!expectation.reason.empty()) {
        entry["reason"] = expectation.reason;
    } else {
        entry["planned_bytes"] = expectation.planned_bytes.value;
        if (expectation.predicted) entry["predicted_s"] = expectation.predicted->value;
        if (expectation.bound) entry["lower_bound_s"] = expectation.bound->value;
        entry["segments"] = expectation.segments;
        entry["ports"] = expectation.ports;
        entry["staging_bytes"] = expectation.staging_bytes;
    }
    if (!expectation.choice.empty()) entry["choice"] = expectation.choice;
    if (expectation.bound || !expectation.choice.empty()) {
        entry["agreements"] = expectation.agreements;
        entry["gatherings"] = expectation.gatherings;
        entry["changes"] = expectation.changes;
        entry["planning_s"] = expectation.planning.value;
        entry["preparing_s"] = expectation.preparing.value;
    }
    if (expectation.taken) entry["taken_s"] = expectation.taken->value;
    if (expectation.gain)
        entry["gain"] = {{"planned_s", expectation.gain->planned.value},
                         {"native_s", expectation.gain->own.value},
                         {"measured", expectation.gain->measured}};
    if (expectation.considered) entry["candidates"] = plan::to_json(*expectation.considered);
    return entry;
}

}  // namespace

std::string RunReport::name_of(const Call& call) {
    using schedule::Kind;
    const std::string name = std::string(call.among_neighbours ? of_neighbours : "") +
                             std::string(schedule::name_of(call.kind));
    if (call.kind == Kind::reduce_scatter) return call.uneven ? name : name + "-block";
    return call.uneven ? name + "v" : name;
}

std::optional<RunReport::Call> RunReport::find_call(const std::string& name) {
    using schedule::Kind;
    std::string_view rest = name;
    Call call;
    call.among_neighbours = rest.starts_with(of_neighbours);
    if (call.among_neighbours) rest.remove_prefix(of_neighbours.size());
    const auto is = [&](std::string_view kind) {
        const auto found = schedule::find_kind(kind);
        if (found) call.kind = *found;
        const bool is_exchange = found == Kind::allgather || found == Kind::alltoall;
        if (!found || (call.among_neighbours && !is_exchange)) return false;
        return (!call.uneven || is_exchange || schedule::has_blocks(*found)) &&
               name_of(call) == name;
    };
    const bool is_block = rest.ends_with("-block");
    if (is(is_block ? rest.substr(0, rest.rfind('-')) : rest)) return call;
    call.uneven = true;
    if (is(rest) || (rest.ends_with('v') && is(rest.substr(0, rest.size() - 1)))) return call;
    return std::nullopt;
}

Json RunReport::call_json(const Call& call, std::size_t calls, const Expectation& known) {
    Json entry{{"collective", name_of(call)},
               {"communicator_size", call.communicator_size},
               {"root", call.root},
               {"bytes", call.bytes.value},
               {"calls", calls},
               {"algorithm", call.algorithm}};
    entry.update(describe(known));
    return entry;
}

void RunReport::add(const Call& call, const State& state,
                    const std::function<Expectation()>& describe, Seconds elapsed) {
    Record& record = records_[call];
    if (record.calls == 0 || record.state != state) {
        record.expectation = describe();
        record.state = state;
    }
    ++record.calls;
    if (std::isfinite(elapsed.value)) record.sum += elapsed;
    if (record.elapsed.size() < most_samples) record.elapsed.push_back(elapsed.value);
}

runs::Run RunReport::so_far(const Heading& heading) const {
    runs::Run run{.program = heading.program,
                  .mpi = heading.mpi,
                  .ranks = heading.ranks,
                  .network_file = heading.network,
                  .network_fingerprint = heading.fingerprint,
                  .network_from = heading.start.origin,
                  .network_measured_in = heading.start.measured_in,
                  .hosts = heading.hosts,
                  .start = heading.start.took,
                  .left_to_mpi = heading.left_to_mpi};
    if (std::isfinite(heading.elapsed.value)) run.elapsed = heading.elapsed;
    for (const auto& [call, record] : records_) {
        const Expectation& known = record.expectation;
        const bool planned = known.reason.empty();
        run.calls.push_back({.collective = name_of(call),
                             .ranks = call.communicator_size,
                             .root = call.root,
                             .bytes = call.bytes,
                             .calls = record.calls,
                             .algorithm = call.algorithm,
                             .reason = known.reason,
                             .choice = known.choice,
                             .predicted = planned ? known.predicted : std::nullopt,
                             .bound = planned ? known.bound : std::nullopt,
                             .taken = known.taken,
                             .sum = record.sum,
                             .planning = known.planning,
                             .gain = known.gain});
    }
    std::ranges::stable_sort(run.calls, std::ranges::greater{}, &runs::Call::sum);
    for (const auto& [name, calls] : passed_) run.passed[name] = calls;
    return run;
}

Json RunReport::heading_json(const Heading& heading) {
    Json report{{"format", "espalier-run"}, {"version", 1}};
    report["program"] = heading.program;
    report["mpi"] = heading.mpi;
    report["network"] = heading.fingerprint.empty() ? Json(nullptr) : Json(heading.fingerprint);
    report["network_file"] = heading.network;
    report["network_from"] = heading.start.origin;
    if (const auto measured = heading.start.measured_in)
        report["network_measured_in_s"] = measured->value;
    report["start_s"] = heading.start.took.value;
    if (std::isfinite(heading.elapsed.value)) report["elapsed_s"] = heading.elapsed.value;
    report["ranks"] = heading.ranks;
    if (!heading.hosts.empty()) report["hosts"] = heading.hosts;
    if (!heading.left_to_mpi.empty()) report["left_to_mpi"] = heading.left_to_mpi;
    return report;
}

Json RunReport::to_json(const Heading& heading) const {
    Json calls = Json::array();
    for (const auto& [call, record] : records_) {
        Json entry = call_json(call, record.calls, record.expectation);
        entry["measured_s"] = {{"min", minimum(record.elapsed)},
                               {"median", median(record.elapsed)},
                               {"sum", record.sum.value}};
        calls.push_back(std::move(entry));
    }
    Json report = heading_json(heading);
    report["measured_is"] =
        "rank 0's own time in the call, min and median of at most the first 10000 calls; "
        "predicted_s is until the "
        "last rank is done";
    report["calls"] = std::move(calls);
    report["passed_through"] = passed_;
    return report;
}

}  // namespace espalier::runtime
