#include "report/plan_text.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier::report {

namespace {

std::string capitalised(std::string_view word) {
    std::string out(word);
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return out;
}

/// The preposition before the root: data flows from it, or to it.
std::string_view root_word(schedule::Kind kind) {
    return kind == schedule::Kind::reduce || kind == schedule::Kind::gather ? "to" : "from";
}

std::string interval(Seconds from, Seconds to, const std::string& unit) {
    return fmt::format("{} to {}", format_time(from, unit), format_time(to, unit));
}

/// The scope of a bound, in words for brackets.
std::string_view scope_words(schedule::BoundScope scope) {
    return scope == schedule::BoundScope::whole_message ? "whole messages" : "any schedule";
}

/// A share of 1 as percent, with two digits, rounded up.
std::string percent_at_most(double share) {
    const double percent = 100 * share;
    if (percent < 0.001) return "0.001%";
    // 1.2 as a difference of times may come out as 1.2000000001.
    const double step = std::pow(10, std::floor(std::log10(percent)) - 1);
    const double rounded = step * std::ceil(percent / step - 1e-6);
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
    if (headline.optimal) return fmt::format("proven optimal ({})", scope_words(headline.scope));
    if (!(headline.lower_bound.value > 0)) return {};
    const std::string scope = fmt::format("the best possible ({})", scope_words(headline.scope));
    if (headline.makespan / headline.lower_bound < 1 - 1e-9) return "below its lower bound";
    return fmt::format("{} over {}", percent_over(headline.makespan, headline.lower_bound), scope);
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

std::string subtitle_of(const Headline& headline) {
    std::string out = "makespan " + format_time(headline.makespan, headline.time_unit);
    if (const std::string distance = distance_from_best(headline); !distance.empty())
        out += ", " + distance;
    constexpr double rounding = 1e-9;
    const bool is_known = headline.any_bound > Seconds(0);
    const bool is_lower = headline.any_bound < headline.lower_bound * (1 - rounding);
    if (is_known && is_lower)
        out += fmt::format("; no schedule of any kind is under {}",
                           format_time(headline.any_bound, headline.time_unit));
    if (headline.lower_bound.value > 0)
        out += fmt::format(" · lower bound {}{}",
                           format_time(headline.lower_bound, headline.time_unit),
                           is_known && !is_lower ? " (any schedule)" : "");
    return fmt::format("{} · {} {} · {}", out, headline.nodes,
                       headline.nodes == 1 ? "node" : "nodes", to_string(headline.ports));
}

std::string describe_transfer(const schedule::Plan& plan, std::size_t transfer,
                              const std::string& time_unit) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Transfer& what = schedule.transfers[transfer];
    const schedule::Timeline::Times& times = plan.timeline.transfers[transfer];
    const schedule::Chunk& chunk = schedule.chunks[what.chunk];
    const std::size_t segments = schedule.segments_of(what);
    std::string out = fmt::format("{} to {}", schedule.nodes[what.from], schedule.nodes[what.to]);
    if (time_unit.empty()) out += ": " + format_bytes(schedule.bytes_of(what));
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
