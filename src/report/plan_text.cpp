#include "report/plan_text.hpp"

#include "core/text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace espalier::report {

namespace {

std::string capitalised(std::string_view word) {
    std::string out(word);
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return out;
}

/// Which way the data flows through the root.
std::string_view root_word(schedule::Kind kind) {
    return kind == schedule::Kind::reduce || kind == schedule::Kind::gather ? "to" : "from";
}

std::string interval(Seconds from, Seconds to) {
    return fmt::format("{} to {}", format_seconds(from), format_seconds(to));
}

}  // namespace

std::string title_of(const schedule::Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Collective& what = schedule.collective;
    std::string title = capitalised(name_of(what.kind));
    if (what.bytes.value > 0) title += " of " + format_bytes(what.bytes);
    if (has_root(what.kind) && what.root < schedule.nodes.size())
        title += fmt::format(" {} {}", root_word(what.kind), schedule.nodes[what.root]);
    if (!schedule.algorithm.empty()) title += ", by " + schedule.algorithm;
    return title;
}

std::string distance_from_bound(const schedule::Plan& plan) {
    if (!(plan.lower_bound.value > 0)) return {};
    const double over = plan.timeline.makespan / plan.lower_bound - 1;
    const std::string bound =
        fmt::format("the lower bound of {}{}", format_seconds(plan.lower_bound),
                    plan.scope == schedule::BoundScope::whole_message ? " for whole messages" : "");
    const std::string proof = plan.optimal ? ", proven optimal" : "";
    if (std::abs(over) < 5e-4) return "at " + bound + proof;
    if (over < 0) return fmt::format("{:.2g}% below {}", -100 * over, bound);
    if (over >= 2) return fmt::format("{:.3g} times {}{}", 1 + over, bound, proof);
    return fmt::format("{:.{}f}% over {}{}", 100 * over, over < 0.1 ? 1 : 0, bound, proof);
}

std::string subtitle_of(const schedule::Plan& plan) {
    std::string out = "makespan " + format_seconds(plan.timeline.makespan);
    if (const std::string distance = distance_from_bound(plan); !distance.empty())
        out += ", " + distance;
    else if (plan.optimal)
        out += ", proven optimal";
    const std::size_t nodes = plan.schedule.nodes.size();
    return fmt::format("{} · {} {} · {}", out, nodes, nodes == 1 ? "node" : "nodes",
                       to_string(plan.schedule.ports));
}

std::string describe_transfer(const schedule::Plan& plan, std::size_t transfer) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Transfer& what = schedule.transfers[transfer];
    const schedule::Timeline::Times& times = plan.timeline.transfers[transfer];
    const schedule::Chunk& chunk = schedule.chunks[what.chunk];
    const std::size_t segments = schedule.segments_of(what);
    std::string out = fmt::format("{} to {}: {}", schedule.nodes[what.from],
                                  schedule.nodes[what.to], format_bytes(chunk.bytes));
    if (schedule.chunks.size() > 1) out += fmt::format(", chunk {}", what.chunk);
    if (segments > 1) out += fmt::format(", in {} segments", segments);
    if (what.op == schedule::Op::combine) out += ", combined on receipt";
    if (chunk.control) out += ", control";
    return out + "\nsend " + interval(times.start, times.sent) + "\nreceive " +
           interval(times.arrival, times.end);
}

std::string describe_local(const schedule::Plan& plan, std::size_t part) {
    const schedule::LocalPart& what = plan.schedule.local[part];
    const schedule::Timeline::Span& times = plan.timeline.local[part];
    return fmt::format("inside {}{}{}\n{}", plan.schedule.nodes[what.node],
                       what.strategy.empty() ? "" : ": ", what.strategy,
                       interval(times.start, times.end));
}

}  // namespace espalier::report
