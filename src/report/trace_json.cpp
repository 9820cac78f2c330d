#include "report/trace_json.hpp"

#include "core/json_reader.hpp"
#include "report/column_tracks.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace espalier::report {

namespace {

using schedule::Plan;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

std::string in_quotes(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Writes events one by one: a trace of a large exchange is long.
class TraceWriter {
public:
    TraceWriter(const Plan& plan, const Analysis& analysis, const std::string& time_unit)
        : plan_(plan),
          analysis_(analysis),
          unit_(time_unit),
          tracks_(column_tracks(plan)),
          flow_from_(plan.schedule.transfers.size(), 0) {}

    std::string run() {
        const Headline headline = headline_of(plan_, unit_);
        const std::string seconds = unit_.empty() ? "s" : unit_;
        text_ = fmt::format(
            "{{\"displayTimeUnit\":\"ms\",\n \"otherData\":{{\"title\":{},\"summary\":{},"
            "\"one second is\":{}}},\n \"traceEvents\":[",
            in_quotes(title_of(headline)), in_quotes(subtitle_of(headline)),
            in_quotes("1 " + seconds));
        write_critical_path();
        // Each flow has to begin before it ends, in the file too.
        write_bars(tracks_.sends);
        write_bars(tracks_.local);
        write_bars(tracks_.receives);
        text_ += "\n ]}\n";
        return std::move(text_);
    }

private:
    static constexpr std::size_t path_process = 1;
    /// Viewers know a track by this number alone, whatever its process.
    struct Track {
        std::size_t process;
        std::size_t thread;
    };
    struct Span {
        std::int64_t from;  ///< nanoseconds
        std::int64_t to;
    };

    void add(const std::string& event) {
        text_ += first_ ? "\n  " : ",\n  ";
        text_ += event;
        first_ = false;
    }

    void name(const char* what, Track track, const char* field, const std::string& value) {
        add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what,
                        track.process, track.thread, field, value));
    }

    /// Rounding must not make it overlap what came before it on its track: viewers drop such
    /// slices.
    void slice(Track track, Span span, const std::string& title, const char* category,
               const std::string& args) {
        add(fmt::format(
            R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
            in_quotes(title), category, track.process, track.thread, microseconds(span.from),
            microseconds(span.to - span.from), args));
    }
    Span next_span(double start, double end) {
        const std::int64_t from = std::max(free_, nanoseconds(start));
        free_ = std::max(from, nanoseconds(end));
        return {from, free_};
    }

    static std::string microseconds(std::int64_t nanoseconds) {
        return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
    }

    /// Halfway through a slice, so that no viewer takes the flow for one of the slice before it.
    void flow(const char* phase, Track track, std::size_t id, Span span) {
        std::int64_t at = span.from + (span.to - span.from) / 2;
        if (*phase == 's')
            flow_from_[id] = at;
        else
            at = std::max(at, flow_from_[id]);
        const char* binding = *phase == 'f' ? R"(,"bp":"e")" : "";
        add(fmt::format(
            R"({{"ph":"{}","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}{}}})",
            phase, id + 1, track.process, track.thread, microseconds(at), binding));
    }

    void write_critical_path() {
        const Track track{path_process, path_process};
        name("process_name", track, "name", R"("critical path")");
        name("process_sort_index", track, "sort_index", "0");
        name("thread_name", track, "name", R"("critical path")");
        for (const auto& step : analysis_.path.steps) {
            const auto& transfer = plan_.schedule.transfers[step.transfer];
            const std::string title = fmt::format("{} to {}", plan_.schedule.nodes[transfer.from],
                                                  plan_.schedule.nodes[transfer.to]);
            const std::string why =
                step.bond ? std::string(words_for(*step.bond)) : std::string("nothing");
            slice(track, next_span(step.begins.value, step.ends.value), title, "critical",
                  fmt::format(R"("transfer":{},"waits for":{})", step.transfer, in_quotes(why)));
        }
    }

    /// Writes the bars of each node and track together, in the order of time.
    void write_bars(const std::vector<Bar>& bars) {
        std::vector<const Bar*> order;
        for (const Bar& bar : bars) order.push_back(&bar);
        std::ranges::stable_sort(order, {}, [](const Bar* bar) {
            return std::tuple(bar->lane, bar->track, bar->start, bar->end);
        });
        const Bar* before = nullptr;
        for (const Bar* bar : order) {
            const bool new_track =
                before == nullptr || before->lane != bar->lane || before->track != bar->track;
            if (new_track) write_names(*bar);
            before = bar;
            if (bar->kind == Bar::Kind::local) {
                const std::string& strategy = plan_.schedule.local[bar->index].strategy;
                slice(track_, next_span(bar->start, bar->end),
                      strategy.empty() ? "inside" : strategy, "inside", "");
            } else {
                write_transfer(*bar);
            }
        }
    }

    void write_names(const Bar& bar) {
        const std::string& node = plan_.schedule.nodes[bar.lane];
        track_ = {bar.lane + path_process + 1, ++threads_};
        free_ = 0;
        name("process_name", track_, "name", in_quotes(node));
        name("process_sort_index", track_, "sort_index", std::to_string(bar.lane + 1));
        std::string title = bar.kind == Bar::Kind::send      ? "sends"
                            : bar.kind == Bar::Kind::receive ? "receives"
                                                             : "inside";
        if (bar.track > 0) title += fmt::format(" {}", bar.track + 1);
        name("thread_name", track_, "name", in_quotes(title));
        name("thread_sort_index", track_, "sort_index", std::to_string(threads_));
    }

    void write_transfer(const Bar& bar) {
        const bool send = bar.kind == Bar::Kind::send;
        const auto& transfer = plan_.schedule.transfers[bar.index];
        const std::string title = send ? "to " + plan_.schedule.nodes[transfer.to]
                                       : "from " + plan_.schedule.nodes[transfer.from];
        const bool critical = analysis_.is_critical(bar.index);
        std::string args = fmt::format(R"("transfer":{},"bytes":{},"segments":{},"critical":{})",
                                       bar.index, plan_.schedule.bytes_of(transfer).value,
                                       plan_.schedule.segments_of(transfer), critical);
        if (const auto late = analysis_.late[bar.index])
            args += fmt::format(R"(,"late":{})", in_quotes(format_time(*late, unit_)));
        const char* category = send ? (critical ? "send,critical" : "send")
                                    : (critical ? "receive,critical" : "receive");
        const Span span = next_span(bar.start, bar.end);
        slice(track_, span, title, category, args);
        flow(send ? "s" : "f", track_, bar.index, span);
    }

    const Plan& plan_;
    const Analysis& analysis_;
    const std::string& unit_;
    ColumnTracks tracks_;
    std::string text_;
    Track track_{};
    std::vector<std::int64_t> flow_from_;  ///< by transfer, nanoseconds
    std::int64_t free_ = 0;  ///< when the slice before is over on the track, nanoseconds
    std::size_t threads_ = path_process;
    bool first_ = true;
};

}  // namespace

std::string trace_json(const Plan& plan, const Analysis& analysis, const std::string& time_unit) {
    return TraceWriter(plan, analysis, time_unit).run();
}

}  // namespace espalier::report
