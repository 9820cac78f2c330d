#include "testbed/trace.hpp"

#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::testbed {

namespace {

constexpr Seconds longest_trace(1e8);
constexpr Seconds shortest_period(1e-3);
constexpr std::array<const char*, 5> quantities{"rate", "cross", "latency", "jitter", "loss"};

Seconds read_time(const JsonValue& value) {
    const Seconds time = parse_seconds(value.string(), value.file() + ": " + value.field());
    if (time > longest_trace) value.fail("more than three years");
    return time;
}

/// The values of a quantity: one, or one for each slice of time.
std::vector<JsonValue> values_of(const JsonValue& quantity) {
    return quantity.is_array() ? quantity.array() : std::vector{quantity};
}

void read_steps(const JsonValue& entry, const Targets& targets, std::vector<Trace::Step>& steps) {
    entry.allow_only(
        {"at", "every", "what", "reset", "rate", "cross", "latency", "jitter", "loss"});
    const JsonValue what = entry.at("what");
    std::vector<std::string> names;
    for (const JsonValue& name : what.array()) names.push_back(name.string());
    Change named = targets.find(names, what.file(), what.field());
    const auto reset = entry.find("reset");
    named.reset = reset && reset->boolean();

    std::vector<std::pair<const char*, std::vector<JsonValue>>> given;
    std::size_t slices = named.reset ? 1 : 0;
    for (const char* quantity : quantities)
        if (const auto value = entry.find(quantity)) {
            given.emplace_back(quantity, values_of(*value));
            const std::size_t count = given.back().second.size();
            if (slices > 1 && count > 1 && count != slices)
                value->fail("as many values as of the other quantities were expected");
            slices = std::max(slices, count);
        }
    if (slices == 0) entry.fail("it changes nothing");
    const auto every = entry.find("every");
    if (slices > 1 && !every) entry.fail("every is missing: there are several values");
    const Seconds interval = every ? read_time(*every) : Seconds(0);
    const Seconds at = read_time(entry.at("at"));
    if (at + static_cast<double>(slices) * interval > longest_trace)
        entry.fail("more than three years");

    for (std::size_t slice = 0; slice < slices; ++slice) {
        Change change = named;
        change.reset = named.reset && slice == 0;
        for (const auto& [quantity, values] : given)
            if (slice < values.size())
                set_quantity(change, quantity, values[slice].string(), what.file(),
                             values[slice].field());
        steps.push_back({at + static_cast<double>(slice) * interval, std::move(change)});
    }
}

}  // namespace

Trace parse_trace(const std::string& text, const std::string& source, const Topology& topology) {
    Json storage;
    const JsonValue document = JsonValue::parse(source, text, storage);
    if (!document.is_object()) document.fail("not an object");
    require_format(document, "espalier-testbed-trace");
    document.allow_only({"format", "version", "changes", "repeat"});
    const Targets targets(topology);
    Trace trace;
    for (const JsonValue& entry : document.at("changes").array())
        read_steps(entry, targets, trace.steps);
    if (trace.steps.empty()) document.at("changes").fail("no change");
    std::ranges::stable_sort(trace.steps, {}, &Trace::Step::at);
    if (const auto repeat = document.find("repeat")) {
        trace.repeat = read_time(*repeat);
        if (*trace.repeat < shortest_period || *trace.repeat <= trace.steps.back().at)
            repeat->fail("a time after the last change, and at least 1 ms, was expected");
    }
    return trace;
}

Trace read_trace(const std::string& path, const Topology& topology) {
    return parse_trace(read_file(path), path, topology);
}

}  // namespace espalier::testbed
