#include "runs/watched.hpp"

#include "core/error.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "runs/exposition.hpp"
#include "runs/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace espalier::runs {

namespace {

using Collective = Watched::Collective;

/// Puts samples where they belong.
class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    void add(const Sample& sample) {
        const auto is = [&](const char* name) { return sample.name == name; };
        if (is(metric::info)) {
            is_known_ = true;
            run_.job = sample.label("job_id");
            run_.host = sample.label("host");
            run_.program = sample.label("program");
            run_.mpi = sample.label("mpi");
            run_.ranks = number(sample, "ranks");
            run_.rank = number(sample, "rank");
        } else if (is(metric::running)) {
            run_.ended = sample.value == 0;
        } else if (is(metric::elapsed)) {
            run_.elapsed = Seconds(sample.value);
        } else if (is(metric::written)) {
            run_.written = sample.value;
        } else if (is(metric::waited_for)) {
            run_.waited_for[sample.label("late_host")] += Seconds(sample.value);
        } else if (is(metric::slowest_link)) {
            run_.slowest_link = fmt::format("{} to {}", sample.label("from"), sample.label("to"));
            run_.link_bytes = Bytes(number(sample, "bytes"));
            run_.link_time = Seconds(sample.value);
        } else if (sample.labels.contains("collective")) {
            add_call(sample);
        }
    }

    Watched run() && {
        if (!is_known_) throw InputError(file_, "", "holds no metrics of a run");
        for (auto& [kind, each] : collectives_) run_.collectives.push_back(std::move(each));
        std::ranges::stable_sort(run_.collectives, std::ranges::greater{}, &Collective::sum);
        return std::move(run_);
    }

private:
    [[nodiscard]] std::uint64_t number(const Sample& sample, const char* label) const {
        return parse_count(sample.label(label), fmt::format("{}: {}", file_, label));
    }

    void add_call(const Sample& sample) {
        const std::uint64_t ranks = number(sample, "communicator_size");
        Collective& of = collectives_[{sample.label("collective"), ranks}];
        of.name = sample.label("collective");
        of.ranks = ranks;
        const std::string skew = metric::skew;
        const Seconds time(sample.value);
        if (sample.name == metric::calls) {
            of.calls += sample.value;
            if (sample.label("way") == "plan") of.planned += sample.value;
        } else if (sample.name == metric::seconds) {
            of.sum += time;
        } else if (sample.name == metric::bytes) {
            of.bytes += sample.value;
        } else if (sample.name == metric::saved) {
            of.saved += time;
        } else if (sample.name == metric::predicted) {
            of.predicted += time;
        } else if (sample.name == metric::taken) {
            of.taken += time;
        } else if (sample.name == skew + "_sum") {
            of.late += time;
        } else if (sample.name == skew + "_count") {
            of.late_calls += sample.value;
        }
    }

    std::string file_;
    bool is_known_ = false;
    Watched run_;
    std::map<std::tuple<std::string, std::uint64_t>, Collective> collectives_;
};

Seconds sum_of(const Watched& run, Seconds Collective::*part) {
    Seconds all(0);
    for (const Collective& each : run.collectives) all += each.*part;
    return all;
}

std::string signed_time(Seconds time) {
    return (time.value < 0 ? "-" : "") + format_seconds(Seconds(std::abs(time.value)));
}

std::string ratio_of(Seconds taken, Seconds predicted) {
    return predicted.value > 0 ? fmt::format("{:.2f}", taken / predicted) : "-";
}

std::string skew_of(Seconds late, double calls) {
    return calls > 0 ? format_seconds(late / calls) : "-";
}

std::string bytes_text(double bytes) {
    constexpr double most = 9e18;
    return format_bytes(Bytes(static_cast<std::uint64_t>(std::clamp(bytes, 0.0, most))));
}

/// How long ago something was written: no clock of another host is ahead.
std::string ago(double written, double now) {
    return format_seconds(Seconds(std::floor(std::max(now - written, 0.0))));
}

std::string head_of(const Watched& run, double now) {
    return fmt::format("{}, job {}: {}, {}, {} {}, written {} ago\n", run.program, run.job,
                       counted(run.ranks, "rank"), run.mpi, run.ended ? "ended after" : "for",
                       format_seconds(run.elapsed), ago(run.written, now));
}

std::string gains_of(const Watched& run) {
    if (run.collectives.empty() && !run.ended)
        return fmt::format("  no collectives when it wrote that; it writes every {}\n",
                           format_seconds(metrics_period));
    const Seconds inside = sum_of(run, &Collective::sum);
    const Seconds saved = sum_of(run, &Collective::saved);
    std::string line = fmt::format("  {} in collectives", format_seconds(inside));
    if (run.elapsed.value > 0)
        line += fmt::format(" ({:.0f}%)", 100 * std::min(inside / run.elapsed, 1.0));
    line += fmt::format(", {} about {}", saved.value < 0 ? "lost" : "saved",
                        format_seconds(Seconds(std::abs(saved.value))));
    const Seconds predicted = sum_of(run, &Collective::predicted);
    if (predicted.value > 0)
        line += fmt::format("; planned calls take {} times what was predicted",
                            ratio_of(sum_of(run, &Collective::taken), predicted));
    return line + "\n";
}

std::string slowest_of(const Watched& run) {
    std::string text;
    double calls = 0;
    for (const Collective& each : run.collectives) calls += each.late_calls;
    if (calls > 0)
        text += fmt::format("  the last rank comes {} late",
                            skew_of(sum_of(run, &Collective::late), calls));
    const auto slowest =
        std::ranges::max_element(run.waited_for, {}, [](const auto& of) { return of.second; });
    if (slowest != run.waited_for.end() && slowest->second.value > 0) {
        Seconds all(0);
        for (const auto& [host, time] : run.waited_for) all += time;
        text += fmt::format("; slowest host {} ({:.0f}% of that)", slowest->first,
                            100 * (slowest->second / all));
    }
    if (!text.empty()) text += "\n";
    if (!run.slowest_link.empty())
        text += fmt::format("  slowest link {} ({} for {})\n", run.slowest_link,
                            format_seconds(run.link_time), format_bytes(run.link_bytes));
    return text;
}

std::string table_of(const Watched& run) {
    using enum Table::Align;
    Table table({{"collective"},
                 {"ranks", right},
                 {"calls", right},
                 {"plans", right},
                 {"time", right},
                 {"bytes", right},
                 {"saved", right},
                 {"/pred.", right},
                 {"skew", right}});
    for (const Collective& each : run.collectives)
        table.add({each.name, fmt::format("{}", each.ranks), fmt::format("{:.0f}", each.calls),
                   each.calls > 0 ? fmt::format("{:.0f}%", 100 * each.planned / each.calls) : "-",
                   format_seconds(each.sum), bytes_text(each.bytes),
                   each.planned > 0 ? signed_time(each.saved) : "-",
                   ratio_of(each.taken, each.predicted), skew_of(each.late, each.late_calls)});
    return table.text();
}

}  // namespace

Watched read_metrics(std::string_view text, const std::string& file) {
    Reader reader(file);
    for (const Sample& sample : read_exposition(text, file)) reader.add(sample);
    return std::move(reader).run();
}

std::string text(const std::vector<Watched>& runs, double now, std::size_t columns) {
    std::string all;
    for (const Watched& run : runs) {
        if (!all.empty()) all += "\n";
        all += wrapped(head_of(run, now) + gains_of(run) + slowest_of(run), columns, 2);
        if (!run.collectives.empty()) all += table_of(run);
    }
    return all;
}

}  // namespace espalier::runs
