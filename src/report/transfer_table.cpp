#include "report/transfer_table.hpp"

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
    columns.insert(columns.end(), {{"start", right}, {"end", right}});
    Table table(std::move(columns));
    const std::size_t rows = std::min(schedule.transfers.size(), readable_rows);
    for (std::size_t t = 0; t < rows; ++t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        const auto& times = plan.timeline.transfers[t];
        std::vector<std::string> cells{schedule.nodes[transfer.from], schedule.nodes[transfer.to]};
        if (sizes) {
            cells.push_back(format_bytes(schedule.bytes_of(transfer)));
            cells.push_back(fmt::format("{}", schedule.segments_of(transfer)));
        }
        cells.push_back(format_time(times.start, time_unit));
        cells.push_back(format_time(times.end, time_unit));
        table.add(std::move(cells));
    }
    return table.text() + more_rows(schedule.transfers.size());
}

}  // namespace espalier::report
