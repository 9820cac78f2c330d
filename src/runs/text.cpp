#include "runs/text.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "core/time_column.hpp"
#include "runs/summary.hpp"

#include <fmt/format.h>

namespace espalier::runs {

namespace {

std::string all_calls(const Run& run) {
    constexpr std::size_t most_rows = 20;
    constexpr std::size_t digits = 4;
    if (run.calls.empty()) return "";
    const TimeColumn time(run.calls.front().median, digits);
    using enum Table::Align;
    Table table({{"collective"},
                 {"ranks", right},
                 {"bytes", right},
                 {"calls", right},
                 {"answered by"},
                 {time.title("predicted"), right},
                 {time.title("median"), right}});
    for (const Call& call : run.calls) {
        if (table.size() == most_rows) break;
        table.add({call.collective, fmt::format("{}", call.ranks), format_bytes(call.bytes),
                   fmt::format("{}", call.calls), call.is_native() ? "MPI" : call.algorithm,
                   call.predicted ? time.cell(*call.predicted) : "-", time.cell(call.median)});
    }
    std::string text = "\n" + table.text();
    if (run.calls.size() > most_rows)
        text += fmt::format("  and {} more\n", run.calls.size() - most_rows);
    return text;
}

}  // namespace

std::string text(const Run& run) {
    std::string text = summary(run) + all_calls(run);
    const std::vector<Left> left = left_to_mpi(run);
    if (!left.empty() || !run.passed.empty()) text += "\nLeft to MPI:\n";
    for (const Left& each : left)
        text += fmt::format("  - {}, {}: {}\n", counted(each.calls, "call"),
                            format_seconds(each.sum), each.why);
    for (const auto& [name, calls] : run.passed)
        text += fmt::format("  - {}: always, and not timed ({})\n", counted(calls, "call"), name);
    return text;
}

}  // namespace espalier::runs
