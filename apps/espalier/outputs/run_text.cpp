#include "outputs/run_text.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "report/time_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace espalier::cli {

namespace {

struct RunCall {
    std::string collective;
    std::uint64_t ranks = 0;
    Bytes bytes;
    std::uint64_t calls = 0;
    std::string answered_by;
    std::optional<Seconds> predicted;
    Seconds median;
    std::string reason;  ///< of what was to_mpi to MPI; empty: it was not

    [[nodiscard]] Seconds all() const { return median * static_cast<double>(calls); }
};

RunCall read_call(const JsonValue& call) {
    RunCall read{.collective = call.at("collective").string(),
                 .ranks = call.at("communicator_size").count(),
                 .bytes = Bytes(call.at("bytes").count()),
                 .calls = call.at("calls").count(),
                 .answered_by = call.at("algorithm").string(),
                 .median = Seconds(call.at("measured_s").at("median").number())};
    if (const auto predicted = call.find("predicted_s"))
        read.predicted = Seconds(predicted->number());
    if (const auto reason = call.find("reason"); reason && reason->raw().is_string())
        read.reason = reason->string();
    return read;
}

std::string head_of(const JsonValue& document) {
    std::string text = fmt::format("{} under {}", counted(document.at("ranks").count(), "rank"),
                                   document.at("mpi").string());
    if (const auto measured = document.find("network_measured_in_s"))
        text += fmt::format("; the network was measured in {}",
                            format_seconds(Seconds(measured->number())));
    else if (document.at("network").is_null())
        text += "; no network was known";
    if (const auto start = document.find("start_s"))
        text += fmt::format("; the start took {}", format_seconds(Seconds(start->number())));
    return text + "\n";
}

}  // namespace

std::string run_text(const JsonValue& document) {
    require_format(document, "espalier-run");
    std::vector<RunCall> calls;
    for (const JsonValue& call : document.at("calls").array()) calls.push_back(read_call(call));
    std::ranges::stable_sort(calls, std::ranges::greater{}, &RunCall::all);
    Seconds all(0);
    for (const RunCall& call : calls) all += call.all();

    std::string text = head_of(document);
    // By medians: a call that was made while plans were tried may have taken much longer.
    text += fmt::format("rank 0 spent about {} in collectives\n", format_seconds(all));
    constexpr std::size_t most_rows = 20;
    constexpr std::size_t digits = 4;
    const report::TimeColumn time(calls.empty() ? Seconds(0) : calls.front().median, digits);
    using enum Table::Align;
    Table table({{"collective"},
                 {"ranks", right},
                 {"bytes", right},
                 {"calls", right},
                 {"answered by"},
                 {time.title("predicted"), right},
                 {time.title("median"), right}});
    std::map<std::string, std::uint64_t> to_mpi;
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const RunCall& call = calls[c];
        if (!call.reason.empty()) to_mpi[call.reason] += call.calls;
        if (c >= most_rows) continue;
        table.add({call.collective, fmt::format("{}", call.ranks), format_bytes(call.bytes),
                   fmt::format("{}", call.calls),
                   call.answered_by == "native" ? "MPI" : call.answered_by,
                   call.predicted ? time.cell(*call.predicted) : "-", time.cell(call.median)});
    }
    if (!calls.empty()) text += "\n" + table.text();
    if (calls.size() > most_rows) text += fmt::format("  and {} more\n", calls.size() - most_rows);
    if (!to_mpi.empty()) text += "\nLeft to MPI:\n";
    for (const auto& [reason, number] : to_mpi)
        text += fmt::format("  - {}: {}\n", counted(number, "call"), reason);
    return text;
}

}  // namespace espalier::cli
