#include "report/diagram.hpp"

#include "report/columns_svg.hpp"
#include "report/dependences_svg.hpp"
#include "report/plan_text.hpp"
#include "schedule/demands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

using schedule::Plan;

/// By how much a transfer misses the deadline of a chunk that it brings to its receiver; nullopt if
/// it misses none.
std::optional<Seconds> lateness(const Plan& plan, std::size_t transfer) {
    const schedule::Transfer& what = plan.schedule.transfers[transfer];
    const Seconds end = plan.timeline.transfers[transfer].end;
    std::optional<Seconds> most;
    for (std::size_t c = what.chunk; c < what.chunk + what.chunks; ++c) {
        const schedule::Chunk& chunk = plan.schedule.chunks[c];
        if (!chunk.deadline || chunk.target != what.to ||
            !schedule::is_late(end.value, chunk.deadline->value))
            continue;
        const Seconds over = end - *chunk.deadline;
        most = std::max(most.value_or(over), over);
    }
    return most;
}

}  // namespace

std::string_view name_of(View view) {
    switch (view) {
        case View::lanes:
            return "lanes";
        case View::columns:
            return "columns";
        case View::receive_columns:
            return "receive-columns";
        case View::both:
            return "both";
        case View::dependences:
            return "dependences";
    }
    return {};
}

std::optional<View> find_view(std::string_view name) {
    for (const View view : all_views)
        if (name_of(view) == name) return view;
    return std::nullopt;
}

View usual_view(schedule::Kind kind) {
    return kind == schedule::Kind::alltoall ? View::columns : View::lanes;
}

bool Analysis::any_late() const {
    return std::ranges::any_of(late, [](const auto& over) { return over.has_value(); });
}

Analysis analyse(const Plan& plan) {
    simulate::Dependences dependences(plan.schedule, plan.timeline);
    simulate::CriticalPath path = critical_path(plan.schedule, plan.timeline, dependences);
    Analysis analysis{std::move(dependences), std::move(path), {}, {}};
    analysis.step.resize(plan.schedule.transfers.size());
    for (std::size_t s = 0; s < analysis.path.steps.size(); ++s)
        analysis.step[analysis.path.steps[s].transfer] = s;
    for (std::size_t t = 0; t < plan.schedule.transfers.size(); ++t)
        analysis.late.push_back(lateness(plan, t));
    return analysis;
}

std::string explain_transfer(const Plan& plan, const Analysis& analysis, std::size_t transfer,
                             const std::string& time_unit) {
    std::string text = describe_transfer(plan, transfer, time_unit);
    if (const auto place = analysis.step[transfer]) {
        const auto& step = analysis.path.steps[*place];
        text += "\non the critical path";
        if (step.bond) text += fmt::format(", waits for {}", words_for(*step.bond));
        if (step.idle.value > 0)
            text += fmt::format(", after {} in which nothing holds it back",
                                format_time(step.idle, time_unit));
    }
    if (const auto& late = analysis.late[transfer])
        text += fmt::format("\nmisses its deadline by {}", format_time(*late, time_unit));
    return text;
}

std::vector<Seconds> barrier_times(const Plan& plan) {
    std::vector<Seconds> times;
    Seconds latest(0);
    std::size_t seen = 0;
    for (const std::size_t barrier : plan.schedule.barriers) {
        for (; seen < barrier; ++seen) latest = std::max(latest, plan.timeline.transfers[seen].end);
        times.push_back(latest);
    }
    return times;
}

std::string diagram_svg(const Plan& plan, View view, const TimelineOptions& options) {
    if (view == View::lanes) return timeline_svg(plan, options);
    const Analysis analysis = analyse(plan);
    if (view == View::dependences) return dependences_svg(plan, analysis, options);
    return columns_svg(plan, analysis, view, options);
}

}  // namespace espalier::report
