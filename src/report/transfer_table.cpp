#include "report/transfer_table.hpp"

#include "core/matrix.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier::report {

std::string more_rows(std::size_t rows) {
    if (rows <= readable_rows) return {};
    return fmt::format("  … and {} more; -o SCHEDULE.json writes them all\n", rows - readable_rows);
}

std::string transfer_table(const schedule::Plan& plan, const std::string& time_unit) {
    const schedule::Schedule& schedule = plan.schedule;
    const bool sizes = time_unit.empty();
    using enum Table::Align;
    std::vector<Table::Column> columns{{"from"}, {"to"}};
    if (sizes) columns.insert(columns.end(), {{"bytes", right}, {"segments", right}});
    const TimeColumn time = time_column(plan, time_unit);
    columns.insert(columns.end(), {{time.title("start"), right}, {time.title("end"), right}});
    Table table(std::move(columns));
    const std::size_t rows = std::min(schedule.transfers.size(), readable_rows);
    for (std::size_t t = 0; t < rows; ++t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        const auto& times = plan.timeline.transfers[t];
        std::vector<std::string> cells{schedule.nodes[transfer.from], schedule.nodes[transfer.to]};
        if (sizes) {
            cells.push_back(format_bytes(schedule.bytes_of(transfer), schedule.collective.bytes));
            cells.push_back(fmt::format("{}", schedule.segments_of(transfer)));
        }
        cells.push_back(time.cell(times.start));
        cells.push_back(time.cell(times.end));
        table.add(std::move(cells));
    }
    return table.text() + more_rows(schedule.transfers.size());
}

TimeColumn time_column(const schedule::Plan& plan, const std::string& time_unit) {
    constexpr std::size_t digits = 5;
    return {plan.timeline.makespan, digits, time_unit};
}

std::string transfer_summary(const schedule::Plan& plan, const std::vector<LaneGroup>& groups) {
    struct Sum {
        std::size_t messages = 0;
        Bytes bytes;
        Seconds start;
        Seconds end;
    };
    const schedule::Schedule& schedule = plan.schedule;
    std::vector<std::size_t> group_of;
    for (std::size_t group = 0; group < groups.size(); ++group)
        group_of.insert(group_of.end(), groups[group].nodes, group);
    Matrix<Sum> sums(groups.size(), groups.size());
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        const auto& times = plan.timeline.transfers[t];
        Sum& sum = sums(group_of[transfer.from], group_of[transfer.to]);
        sum.start = sum.messages == 0 ? times.start : std::min(sum.start, times.start);
        sum.end = std::max(sum.end, times.end);
        sum.bytes = Bytes(sum.bytes.value + schedule.bytes_of(transfer).value);
        ++sum.messages;
    }
    using enum Table::Align;
    const TimeColumn time = time_column(plan, "");
    Table table({{"from"},
                 {"to"},
                 {"messages", right},
                 {"bytes", right},
                 {time.title("first start"), right},
                 {time.title("last end"), right}});
    for (std::size_t from = 0; from < groups.size(); ++from)
        for (std::size_t to = 0; to < groups.size(); ++to) {
            const Sum& sum = sums(from, to);
            if (sum.messages > 0)
                table.add({groups[from].name, from == to ? "itself" : groups[to].name,
                           fmt::format("{}", sum.messages),
                           format_bytes(sum.bytes, schedule.collective.bytes), time.cell(sum.start),
                           time.cell(sum.end)});
        }
    return fmt::format("{}  {} messages by cluster; -o SCHEDULE.json writes them all\n",
                       table.text(), schedule.transfers.size());
}

}  // namespace espalier::report
