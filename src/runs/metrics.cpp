#include "runs/metrics.hpp"

#include "runs/exposition.hpp"
#include "runs/summary.hpp"

#include <fmt/format.h>

#include <functional>
#include <tuple>

namespace espalier::runs {

namespace {

using Labels = Exposition::Labels;
using Type = Exposition::Type;

/// What calls are told apart by.
struct CallKind {
    std::string collective;
    std::uint64_t ranks = 1;
    bool planned = false;

    friend auto operator<=>(const CallKind&, const CallKind&) = default;
};

/// Calls of one kind, of any size and root.
struct Told {
    double calls = 0;
    double seconds = 0;
    double bytes = 0;
    Saved saved;
    double predicted = 0;
    double taken = 0;
    bool is_predicted = false;
};

class Writer {
public:
    explicit Writer(const Live& live) : live_(live) {
        for (const Call& call : live.run.calls) add(call);
    }

    std::string text() {
        tell_job();
        tell_calls();
        if (live_.rank == 0) tell_gains();
        if (live_.rank == 0) tell_arrivals();
        return text_.text();
    }

private:
    void add(const Call& call) {
        Told& told = told_[{call.collective, call.ranks, !call.is_native()}];
        const auto calls = static_cast<double>(call.calls);
        told.calls += calls;
        told.seconds += call.sum.value;
        told.bytes += calls * static_cast<double>(call.bytes.value);
        const Saved saved = saved_by(Run{.calls = {call}});
        told.saved.measured += saved.measured;
        told.saved.predicted += saved.predicted;
        if (!call.predicted || !call.taken) return;
        told.is_predicted = true;
        told.predicted += calls * call.predicted->value;
        told.taken += calls * call.taken->value;
    }

    /// Prometheus has a `job` and an `instance` of its own.
    [[nodiscard]] Labels labels(const Labels& more = {}) const {
        Labels all{{"job_id", live_.job},
                   {"host", live_.host},
                   {"rank", fmt::format("{}", live_.rank)},
                   {"process", fmt::format("{}", live_.process)}};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    static Labels of(const CallKind& kind) {
        return {{"collective", kind.collective},
                {"communicator_size", fmt::format("{}", kind.ranks)},
                {"way", kind.planned ? "plan" : "mpi"}};
    }

    void tell_job() {
        const Run& run = live_.run;
        text_.begin(metric::info, Type::gauge, "The program and its job; always 1.");
        text_.add(labels({{"program", run.program},
                          {"mpi", run.mpi},
                          {"ranks", fmt::format("{}", run.ranks)},
                          {"network_from", run.network_from}}),
                  1);
        text_.begin(metric::running, Type::gauge, "1 until the program ends, then 0.");
        text_.add(labels(), live_.ended ? 0 : 1);
        text_.begin(metric::elapsed, Type::gauge, "The time since MPI_Init.");
        text_.add(labels(), run.elapsed.value_or(Seconds(0)).value);
        text_.begin(metric::written, Type::gauge, "When this was written, since 1970.");
        text_.add(labels(), live_.written);
    }

    void tell_each(const char* name, Type type, const char* help,
                   const std::function<double(const Told&)>& value) {
        text_.begin(name, type, help);
        for (const auto& [kind, told] : told_) text_.add(labels(of(kind)), value(told));
    }

    void tell_calls() {
        tell_each(metric::calls, Type::counter, "Collective calls that this rank made.",
                  [](const Told& told) { return told.calls; });
        tell_each(metric::seconds, Type::counter, "The time of this rank in them.",
                  [](const Told& told) { return told.seconds; });
        tell_each(metric::bytes, Type::counter,
                  "Their operands or blocks, each as large as the report has it.",
                  [](const Told& told) { return told.bytes; });
        text_.begin(metric::untimed, Type::counter,
                    "Calls that were handed on to MPI, by their names; nobody times them.");
        for (const auto& [name, calls] : live_.run.passed)
            text_.add(labels({{"call", name}}), static_cast<double>(calls));
    }

    void tell_gains() {
        text_.begin(metric::saved, Type::gauge,
                    "The time that plans saved, below 0 where they cost more, by how it is known.");
        for (const auto& [kind, told] : told_) {
            if (!kind.planned) continue;
            for (const auto& [known, time] : {std::pair("measured", told.saved.measured),
                                              std::pair("predicted", told.saved.predicted)}) {
                Labels all = labels(of(kind));
                all.emplace_back("known", known);
                text_.add(all, time.value);
            }
        }
        tell_predictions(metric::predicted, "What planned calls were predicted to take.",
                         &Told::predicted);
        tell_predictions(metric::taken, "What the same calls take until the last rank is done.",
                         &Told::taken);
    }

    void tell_predictions(const char* name, const char* help, double Told::*value) {
        text_.begin(name, Type::gauge, help);
        for (const auto& [kind, told] : told_)
            if (told.is_predicted) text_.add(labels(of(kind)), told.*value);
    }

    void tell_arrivals() {
        text_.begin(metric::skew, Type::summary,
                    "How much later than the first rank the last one came, of calls that tell.");
        for (const Lateness& each : live_.lateness) {
            const Labels all = labels({{"collective", each.collective},
                                       {"communicator_size", fmt::format("{}", each.ranks)}});
            text_.add(all, each.sum.value, "_sum");
            text_.add(all, static_cast<double>(each.calls), "_count");
        }
        text_.begin(metric::waited_for, Type::counter,
                    "The same, by the host whose rank came last.");
        for (const auto& [host, time] : live_.waited_for)
            text_.add(labels({{"late_host", host}}), time.value);
        text_.begin(metric::slowest_link, Type::gauge,
                    "What a message takes over the slowest link between clusters of the job.");
        if (const auto& link = live_.slowest_link)
            text_.add(labels({{"from", link->from},
                              {"to", link->to},
                              {"bytes", fmt::format("{}", link->bytes.value)}}),
                      link->time.value);
    }

    const Live& live_;
    std::map<CallKind, Told> told_;
    Exposition text_;
};

}  // namespace

std::string metrics(const Live& live) { return Writer(live).text(); }

}  // namespace espalier::runs
