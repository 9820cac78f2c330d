#include "runs/summary.hpp"

#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace espalier::runs {

namespace {

using Kind = std::tuple<std::string, std::uint64_t, Bytes>;

Kind kind_of(const Call& call) { return {call.collective, call.ranks, call.bytes}; }

/// The mean of the gains of some calls, weighted with their numbers.
class MeanGain {
public:
    void add(const Call& call) {
        if (!call.gain) return;
        const auto calls = static_cast<double>(call.calls);
        calls_ += calls;
        planned_ += call.gain->planned * calls;
        own_ += call.gain->own * calls;
        measured_ &= call.gain->measured;
    }
    [[nodiscard]] std::optional<Call::Gain> mean() const {
        if (calls_ == 0) return std::nullopt;
        return Call::Gain{planned_ / calls_, own_ / calls_, measured_};
    }

private:
    double calls_ = 0;
    Seconds planned_;
    Seconds own_;
    bool measured_ = true;
};

/// One line, cut where so many columns end.
std::string shortened(const std::string& line, std::size_t columns) {
    if (columns_of(line) <= columns) return line;
    std::string text = line;
    while (columns_of(text) + 1 > columns) {
        // Not inside a letter of several bytes.
        do text.pop_back();
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U);
    }
    return text + "…";
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// Of a text with more lines its first so many, the last of which ends with an ellipsis.
std::string first_lines(const std::string& text, std::size_t count, std::size_t columns) {
    const std::vector<std::string> lines = lines_of(text);
    if (lines.size() <= count) return text;
    std::string first;
    for (std::size_t l = 0; l < count; ++l)
        first += (l + 1 < count ? lines[l] : shortened(lines[l] + " …", columns)) + "\n";
    return first;
}

constexpr std::string_view usual_advice =
    "none; espalier report -o X.html draws what ESPALIER_REPORT keeps";

std::string head(const Run& run) {
    constexpr std::size_t part_of_a_line = 24;
    std::string text = run.program.empty() ? "" : shortened(run.program, part_of_a_line) + ", ";
    text += fmt::format("{}, {}", counted(run.ranks, "rank"), run.mpi);
    if (!run.left_to_mpi.empty()) return text;
    const Seconds inside = run.in_collectives();
    text += fmt::format(": {} in collectives", format_seconds(inside));
    if (run.elapsed && run.elapsed->value > 0)
        text += fmt::format(", {:.0f}% of {}", 100 * std::min(inside / *run.elapsed, 1.0),
                            format_seconds(*run.elapsed));
    return text;
}

/// How much, and from what that is known.
std::string savings(const Run& run) {
    const bool planned = std::ranges::any_of(run.calls, std::not_fn(&Call::is_native));
    if (!planned) return "saved: nothing, all calls were MPI's own\n";
    const Saved saved = saved_by(run);
    const Seconds all = saved.all();
    std::string text = fmt::format("{}: about {}", all.value < 0 ? "lost" : "saved",
                                   format_seconds(Seconds(std::abs(all.value))));
    const double without = run.in_collectives().value + all.value;
    if (all.value > 0 && without > 0)
        text += fmt::format(" of {}", format_seconds(Seconds(without)));
    const auto part = [](Seconds time) {
        return (time.value < 0 ? "-" : "") + format_seconds(Seconds(std::abs(time.value)));
    };
    if (saved.measured.value != 0 && saved.predicted.value != 0)
        text +=
            fmt::format(" ({} timed, {} predicted)", part(saved.measured), part(saved.predicted));
    else if (saved.measured.value != 0)
        text += " (calls by plans were timed against MPI's own)";
    else if (saved.predicted.value != 0)
        text += " (predicted: no call was MPI's own)";
    if (saved.unknown > 0) text += fmt::format("; of {} not known", counted(saved.unknown, "call"));
    return text + "\n";
}

std::string costs(const Run& run) {
    std::string text = fmt::format("cost: {} at the start", format_seconds(run.start));
    if (run.network_from == "measured") text += " (measuring, for later runs too)";
    Seconds planning(0);
    // All calls of a signature say what all its plans took.
    std::map<std::tuple<Kind, std::uint64_t>, Seconds> of_signature;
    for (const Call& call : run.calls) {
        Seconds& most = of_signature[{kind_of(call), call.root}];
        most = std::max(most, call.planning);
    }
    for (const auto& [signature, took] : of_signature) planning += took;
    if (planning.value > 0) text += fmt::format(", {} of planning", format_seconds(planning));
    return text + "\n";
}

std::string table_of_calls(const Run& run) {
    constexpr std::size_t shown = 3;
    const std::vector<Group> groups = groups_of(run);
    if (groups.empty()) return "";
    using enum Table::Align;
    Table table({{groups.size() == 1 ? "the calls" : "the calls that matter"},
                 {"calls", right},
                 {"rank 0", right},
                 {"a call", right},
                 {"by MPI", right},
                 {"done by"}});
    for (const Group& group : groups) {
        if (table.size() == shown) break;
        const auto mean = group.sum / static_cast<double>(std::max<std::uint64_t>(group.calls, 1));
        table.add({fmt::format("{} {}, {}", group.collective, format_bytes(group.bytes),
                               counted(group.ranks, "rank")),
                   fmt::format("{}", group.calls), format_seconds(group.sum),
                   format_seconds(group.gain ? group.gain->planned : mean),
                   !group.gain            ? "-"
                   : group.gain->measured ? format_seconds(group.gain->own)
                                          : "~" + format_seconds(group.gain->own),
                   listed(group.by, 2)});
    }
    return table.text();
}

std::string leavings(const Run& run) {
    if (!run.left_to_mpi.empty())
        return fmt::format("left to MPI: all collectives: {}\n", run.left_to_mpi);
    constexpr std::size_t shown = 2;
    std::string text;
    const std::vector<Left> left = left_to_mpi(run);
    for (std::size_t k = 0; k < std::min(shown, left.size()); ++k)
        text +=
            fmt::format("{}{} ({}): {}", k == 0 ? "left to MPI: " : "; ",
                        counted(left[k].calls, "call"), format_seconds(left[k].sum), left[k].why);
    if (left.size() > shown) text += fmt::format("; {} more reasons", left.size() - shown);
    std::uint64_t passed = 0;
    for (const auto& [name, calls] : run.passed) passed += calls;
    if (passed > 0)
        text += fmt::format("{}not timed, always MPI's: {}", text.empty() ? "left to MPI: " : "; ",
                            counted(passed, "call"));
    return text.empty() ? "" : text + "\n";
}

}  // namespace

std::vector<Group> groups_of(const Run& run) {
    std::map<Kind, std::vector<const Call*>> kinds;
    for (const Call& call : run.calls) kinds[kind_of(call)].push_back(&call);
    std::vector<Group> groups;
    for (const auto& [kind, calls] : kinds) {
        Group group{std::get<0>(kind), std::get<1>(kind), std::get<2>(kind)};
        MeanGain gain;
        std::map<std::string, std::uint64_t> by;
        Seconds predicted(0);
        double foretold = 0;
        for (const Call* call : calls) {
            if (call->predicted && !call->is_native()) {
                predicted += *call->predicted * static_cast<double>(call->calls);
                foretold += static_cast<double>(call->calls);
            }
            if (call->bound && call->bound->value > 0)
                group.bound = std::min(group.bound.value_or(*call->bound), *call->bound);
            group.calls += call->calls;
            group.sum += call->sum;
            group.saved += call->saved();
            gain.add(*call);
            by[call->is_native() ? "MPI" : call->algorithm] += call->calls;
        }
        group.gain = gain.mean();
        if (foretold > 0) group.predicted = predicted / foretold;
        for (const auto& [name, number] : by) group.by.push_back(name);
        std::ranges::stable_sort(group.by, std::ranges::greater{},
                                 [&](const std::string& name) { return by.at(name); });
        groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(groups, std::ranges::greater{}, &Group::sum);
    return groups;
}

Saved saved_by(const Run& run) {
    Saved saved;
    for (const Call& call : run.calls) {
        if (call.is_native()) continue;
        if (!call.gain)
            saved.unknown += call.calls;
        else
            (call.gain->measured ? saved.measured : saved.predicted) += call.saved();
    }
    return saved;
}

std::vector<Left> left_to_mpi(const Run& run) {
    std::set<Kind> planned;
    for (const Call& call : run.calls)
        if (!call.is_native()) planned.insert(kind_of(call));
    std::map<std::string, Left> reasons;
    for (const Call& call : run.calls) {
        if (!call.is_native()) continue;
        // The words of a choice are other ones for each kind of call.
        std::string why = call.reason;
        if (!call.choice.empty())
            why = planned.contains(kind_of(call)) ? "to be compared with plans"
                                                  : "no plan seems faster";
        Left& left = reasons[why];
        left.why = why;
        left.calls += call.calls;
        left.sum += call.sum;
    }
    std::vector<Left> all;
    for (auto& [why, left] : reasons) all.push_back(std::move(left));
    std::ranges::stable_sort(all, std::ranges::greater{}, &Left::sum);
    return all;
}

std::string summary(const Run& run) {
    constexpr std::size_t columns = 80;
    constexpr std::size_t most_lines = 10;
    constexpr std::string_view prefix = "espalier: ";
    const auto prose = [](const std::string& line) {
        return line.empty() ? "" : wrapped("  " + line, columns, 2);
    };
    std::string text = shortened(head(run), columns - prefix.size()) + "\n";
    if (run.left_to_mpi.empty()) {
        for (const std::string& line : {savings(run), costs(run)})
            text += first_lines(prose(line), 1, columns);
        for (const std::string& row : lines_of(table_of_calls(run)))
            text += shortened(row, columns) + "\n";
    }
    const std::string what = advice(run);
    const std::string last =
        prose("advice: " + (what.empty() ? std::string(usual_advice) : what) + "\n");
    const std::size_t taken = lines_of(text).size() + lines_of(last).size();
    return text +
           first_lines(prose(leavings(run)), most_lines - std::min(most_lines, taken), columns) +
           last;
}

}  // namespace espalier::runs
