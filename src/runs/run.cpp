#include "runs/run.hpp"

#include "core/json_reader.hpp"

#include <algorithm>
#include <functional>

namespace espalier::runs {

namespace {

std::string text_of(const JsonValue& of, const std::string& name) {
    const auto value = of.find(name);
    return value && value->raw().is_string() ? value->raw().get<std::string>() : "";
}

std::optional<Seconds> seconds_of(const JsonValue& of, const std::string& name) {
    const auto value = of.find(name);
    return value ? std::optional(Seconds(value->number())) : std::nullopt;
}

Call read_call(const JsonValue& from) {
    Call call{.collective = from.at("collective").string(),
              .ranks = from.at("communicator_size").count(),
              .root = from.at("root").count(),
              .bytes = Bytes(from.at("bytes").count()),
              .calls = from.at("calls").count(),
              .algorithm = from.at("algorithm").string(),
              .reason = text_of(from, "reason"),
              .choice = text_of(from, "choice"),
              .predicted = seconds_of(from, "predicted_s"),
              .bound = seconds_of(from, "lower_bound_s"),
              .taken = seconds_of(from, "taken_s")};
    if (const auto measured = from.find("measured_s")) {
        call.median = Seconds(measured->at("median").number());
        // Files of older versions do not say it.
        call.sum =
            seconds_of(*measured, "sum").value_or(call.median * static_cast<double>(call.calls));
    }
    if (const auto exact = from.find("exact")) call.exact = exact->boolean();
    call.planning = seconds_of(from, "planning_s").value_or(Seconds(0));
    if (const auto gain = from.find("gain"))
        call.gain = {Seconds(gain->at("planned_s").number()),
                     Seconds(gain->at("native_s").number()), gain->at("measured").boolean()};
    return call;
}

}  // namespace

Seconds Run::in_collectives() const {
    Seconds all(0);
    for (const Call& call : calls) all += call.sum;
    return all;
}

Run read_run(const JsonValue& document) {
    require_format(document, "espalier-run");
    Run run{.program = text_of(document, "program"),
            .mpi = document.at("mpi").string(),
            .ranks = document.at("ranks").count(1),
            .network_file = text_of(document, "network_file"),
            .network_fingerprint = text_of(document, "network"),
            .network_from = text_of(document, "network_from"),
            .network_measured_in = seconds_of(document, "network_measured_in_s"),
            .start = seconds_of(document, "start_s").value_or(Seconds(0)),
            .elapsed = seconds_of(document, "elapsed_s"),
            .left_to_mpi = text_of(document, "left_to_mpi")};
    if (const auto hosts = document.find("hosts"))
        for (const JsonValue& host : hosts->array()) run.hosts.push_back(host.string());
    for (const JsonValue& call : document.at("calls").array()) run.calls.push_back(read_call(call));
    std::ranges::stable_sort(run.calls, std::ranges::greater{}, &Call::sum);
    if (const auto passed = document.find("passed_through"))
        for (const auto& [name, calls] : passed->fields()) run.passed[name] = calls.count();
    return run;
}

}  // namespace espalier::runs
