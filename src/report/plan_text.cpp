#include "report/plan_text.hpp"

#include "core/prose.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier::report {

namespace {

/// The preposition before the root: data flows from it, or to it.
std::string_view root_word(schedule::Kind kind) {
    return kind == schedule::Kind::reduce || kind == schedule::Kind::gather ? "to" : "from";
}

std::string interval(Seconds from, Seconds to, const std::string& unit) {
    return fmt::format("{} to {}", format_time(from, unit), format_time(to, unit));
}

/// Whether the plan's bound is about schedules that send messages whole, and leaves room below it
/// for others.
bool is_for_whole_messages(const Headline& headline) {
    constexpr double rounding = 1e-9;
    return headline.scope == schedule::BoundScope::whole_message &&
           headline.any_bound < headline.lower_bound * (1 - rounding);
}

/// Per cent that are written out.
constexpr double most_percent = 1e6;

/// A share of 1 as percent, with two digits, rounded up.
std::string percent_at_most(double share) {
    const double percent = 100 * share;
    if (percent < 0.001) return "0.001%";
    // 1.2 as a difference of times may come out as 1.2000000001.
    const double step = std::pow(10, std::floor(std::log10(percent)) - 1);
    const double rounded = step * std::ceil(percent / step - 1e-6);
    if (rounded > most_percent) return fmt::format("{:.2g}%", rounded);
    return fmt::format("{:.{}f}%", rounded,
                       std::max(0, 1 - static_cast<int>(std::floor(std::log10(rounded) + 1e-9))));
}

}  // namespace

Headline headline_of(const schedule::Plan& plan, const std::string& time_unit) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Collective& what = schedule.collective;
    Headline headline;
    headline.kind = what.kind;
    if (time_unit.empty()) headline.bytes = what.bytes;
    if (has_root(what.kind) && what.root < schedule.nodes.size())
        headline.root = schedule.nodes[what.root];
    headline.algorithm = schedule.algorithm;
    headline.nodes = schedule.nodes.size();
    headline.ports = schedule.ports;
    headline.makespan = plan.timeline.makespan;
    headline.lower_bound = plan.lower_bound;
    headline.scope = plan.scope;
    headline.optimal = plan.optimal;
    headline.any_bound = plan.any_bound;
    headline.time_unit = time_unit;
    return headline;
}

std::string format_time(Seconds time, const std::string& unit) {
    return unit.empty() ? format_seconds(time) : fmt::format("{:.6g} {}", time.value, unit);
}

std::string title_of(const Headline& headline) {
    std::string title = capitalised(name_of(headline.kind));
    if (headline.bytes.value > 0) title += " of " + format_bytes(headline.bytes);
    if (!headline.root.empty())
        title += fmt::format(" {} {}", root_word(headline.kind), headline.root);
    if (!headline.algorithm.empty()) title += ", by " + headline.algorithm;
    return title;
}

std::string distance_from_best(const Headline& headline) {
    const bool whole = is_for_whole_messages(headline);
    if (headline.optimal)
        return whole ? "proven optimal where messages are sent whole" : "proven optimal";
    if (!(headline.lower_bound.value > 0)) return {};
    if (headline.makespan / headline.lower_bound < 1 - 1e-9) return "below its lower bound";
    return fmt::format("{} over the best {}", percent_over(headline.makespan, headline.lower_bound),
                       whole ? "that sends messages whole" : "possible");
}

std::string percent_of(double part) {
    const double percent = 100 * part;
    if (std::abs(percent) > most_percent) return fmt::format("{:.2g}%", percent);
    return fmt::format("{:.1f}%", std::abs(percent) < 0.05 ? 0 : percent);
}

std::string percent_over(Seconds time, Seconds least) {
    return "at most " + percent_at_most(std::max(0.0, time / least - 1));
}

std::string explain_robust(const schedule::Robust& robust) {
    const std::string distance =
        robust.lower_bound.value > 0
            ? fmt::format(", {} over the best possible",
                          percent_over(robust.makespan, robust.lower_bound))
            : "";
    return fmt::format("p{} of the makespan {}{}, over what costs may be\n", robust.percentile,
                       format_seconds(robust.makespan), distance);
}

std::string verdict_of(const Headline& headline) {
    const std::string makespan = "makespan " + format_time(headline.makespan, headline.time_unit);
    const std::string distance = distance_from_best(headline);
    return distance.empty() ? makespan : makespan + ", " + distance;
}

std::string bounds_of(const Headline& headline) {
    const auto time = [&](Seconds bound) { return format_time(bound, headline.time_unit); };
    const bool whole = is_for_whole_messages(headline);
    const Seconds any = whole ? headline.any_bound : headline.lower_bound;
    const bool same = time(any) == time(headline.lower_bound);
    std::string text;
    // Of an optimal plan the makespan says it.
    if (whole && !headline.optimal && headline.lower_bound > Seconds(0) && !same)
        text = "none that sends messages whole takes less than " + time(headline.lower_bound);
    if (any > Seconds(0) && (whole || !headline.optimal))
        text +=
            fmt::format("{} takes less than {}",
                        text.empty() ? "no schedule of any kind" : ", none of any kind", time(any));
    return text;
}

std::string size_of(const Headline& headline) {
    return fmt::format("{} {}, {}", headline.nodes, headline.nodes == 1 ? "node" : "nodes",
                       to_string(headline.ports));
}

std::string subtitle_of(const Headline& headline) {
    const std::string bounds = bounds_of(headline);
    return fmt::format("{}{}{} · {}", verdict_of(headline), bounds.empty() ? "" : "; ", bounds,
                       size_of(headline));
}

std::string describe_transfer(const schedule::Plan& plan, std::size_t transfer,
                              const std::string& time_unit) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Transfer& what = schedule.transfers[transfer];
    const schedule::Timeline::Times& times = plan.timeline.transfers[transfer];
    const schedule::Chunk& chunk = schedule.chunks[what.chunk];
    const std::size_t segments = schedule.segments_of(what);
    std::string out = fmt::format("{} to {}", schedule.nodes[what.from], schedule.nodes[what.to]);
    if (time_unit.empty())
        out += ": " + format_bytes(schedule.bytes_of(what), schedule.collective.bytes);
    if (what.chunks > 1)
        out += fmt::format(", chunks {} to {}", what.chunk, what.chunk + what.chunks - 1);
    else if (schedule.chunks.size() > 1)
        out += fmt::format(", chunk {}", what.chunk);
    if (segments > 1) out += fmt::format(", in {} segments", segments);
    if (what.op == schedule::Op::combine) out += ", combined on receipt";
    if (chunk.control) out += ", control";
    return out + "\nsend " + interval(times.start, times.sent, time_unit) + "\nreceive " +
           interval(times.arrival, times.end, time_unit);
}

std::string describe_local(const schedule::Plan& plan, std::size_t part,
                           const std::string& time_unit) {
    const schedule::LocalPart& what = plan.schedule.local[part];
    const schedule::Timeline::Span& times = plan.timeline.local[part];
    return fmt::format("inside {}{}{}\n{}", plan.schedule.nodes[what.node],
                       what.strategy.empty() ? "" : ": ", what.strategy,
                       interval(times.start, times.end, time_unit));
}

}  // namespace espalier::report
