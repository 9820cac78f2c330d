#include "demands.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "node_matrix.hpp"
#include "planning.hpp"
#include "report/plan_text.hpp"
#include "schedule/demands.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::cli {

namespace {

using network::StatedCells;

/// Off the diagonal, takes over each value that is stated.
void read_stated(const std::string& path, const std::vector<std::string>& names, StatedCells cells,
                 const char* noun, double demands::Due::*field, Matrix<demands::Due>& dues) {
    const auto stated = read_stated_matrix(path, names, cells);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = 0; j < names.size(); ++j) {
            if (i == j || !stated(i, j)) continue;
            if (*stated(i, j) == 0)
                throw InputError(path, fmt::format("{} to {}", names[i], names[j]),
                                 fmt::format("a {} is positive; an empty cell says that there is "
                                             "none",
                                             noun));
            dues(i, j).*field = *stated(i, j);
        }
}

}  // namespace

Matrix<demands::Due> read_dues(const std::string& deadlines, const std::string& priorities,
                               const std::vector<std::string>& names) {
    using demands::Due;
    Matrix<Due> dues(names.size(), names.size());
    read_stated(deadlines, names, StatedCells::times, "deadline", &Due::deadline, dues);
    if (!priorities.empty())
        read_stated(priorities, names, StatedCells::numbers, "priority", &Due::priority, dues);
    return dues;
}

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
                                      report::percent_over(done, plan.critical_bound));
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

}  // namespace espalier::cli
