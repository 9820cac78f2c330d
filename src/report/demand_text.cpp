#include "report/demand_text.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "report/plan_text.hpp"
#include "report/transfer_table.hpp"
#include "schedule/demands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace espalier::report {

std::string demand_lines(const schedule::Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    const std::string_view scope = plan.scope == schedule::BoundScope::any
                                       ? "no schedule of any kind"
                                       : "no schedule of whole messages without relays";
    std::string text;
    if (schedule.critical) {
        const Seconds done = critical_done(schedule, plan.timeline);
        text += fmt::format("critical node {} is done at {}", schedule.nodes[*schedule.critical],
                            format_seconds(done));
        if (plan.critical_bound.value > 0)
            text += done <= plan.critical_bound * (1 + 1e-9)
                        ? fmt::format("; {} has it done sooner", scope)
                        : fmt::format(", {} over its lower bound",
                                      percent_over(done, plan.critical_bound));
        text += '\n';
    }
    if (!has_deadlines(schedule)) return text;
    const auto missed = missed_deadlines(schedule, plan.timeline);
    const auto deadlines = static_cast<std::size_t>(std::ranges::count_if(
        schedule.chunks, [](const schedule::Chunk& chunk) { return chunk.deadline.has_value(); }));
    if (missed.empty())
        return text + (deadlines == 1 ? std::string("the one deadline is met\n")
                                      : fmt::format("all {} deadlines are met\n", deadlines));
    const double total = total_priority(schedule, missed);
    text += fmt::format("{} of {} deadlines {} missed, of priority {:g}", missed.size(), deadlines,
                        missed.size() == 1 ? "is" : "are", total);
    if (plan.missed_bound > 0) {
        text += fmt::format("; proven: {} meets them all", scope);
        text += plan.missed_bound >= total * (1 - 1e-9)
                    ? ", nor misses less"
                    : fmt::format(", nor misses less than {:g}", plan.missed_bound);
    }
    return text + '\n';
}

std::string missed_table(const schedule::Plan& plan) {
    const schedule::Schedule& schedule = plan.schedule;
    const auto missed = missed_deadlines(schedule, plan.timeline);
    if (missed.empty()) return {};
    using enum Table::Align;
    Table table({{"missed: from"},
                 {"to"},
                 {"priority", right},
                 {"deadline", right},
                 {"end", right},
                 {"late by", right}});
    for (std::size_t m = 0; m < std::min(missed.size(), readable_rows); ++m) {
        const schedule::Chunk& chunk = schedule.chunks[missed[m].chunk];
        const auto name = [&](std::optional<std::size_t> node) {
            return node ? schedule.nodes[*node] : std::string("-");
        };
        table.add({name(chunk.source), name(chunk.target), fmt::format("{:g}", chunk.priority),
                   format_seconds(*chunk.deadline), format_seconds(missed[m].end),
                   format_seconds(missed[m].end - *chunk.deadline)});
    }
    return "\n" + table.text() + more_rows(missed.size());
}

}  // namespace espalier::report
