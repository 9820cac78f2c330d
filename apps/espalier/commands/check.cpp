#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "frontend/checking.hpp"
#include "inputs/network_source.hpp"
#include "inputs/ring_options.hpp"
#include "network/json.hpp"
#include "outputs/result.hpp"
#include "outputs/waiting.hpp"
#include "plan/check_plan.hpp"
#include "plan/explanation.hpp"
#include "report/demand_text.hpp"
#include "report/plan_text.hpp"
#include "report/ring_text.hpp"
#include "sender/certificate.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

namespace espalier::cli {

namespace {

using frontend::Proven;
using frontend::recomputed;

struct CheckOptions {
    std::string schedule;
    std::string network;
    SourceOptions source;
    std::string certificate;
    frontend::RingOptions ring;
    ResultOptions result;
};

/// The JSON result for a file of either kind.
Json check_json(const std::optional<std::string>& violation) {
    Json document{{"format", "espalier-check"}, {"version", 1}, {"valid", !violation}};
    if (violation) document["violation"] = *violation;
    return document;
}

Json check_json(const schedule::StatedRing& stated, const simulate::RingCheck& check) {
    Json document = check_json(check.violation);
    if (!check.violation) document["step_time"] = check.ring.step_time;
    document["stated_step_time"] = stated.step_time;
    return document;
}

Json check_json(const schedule::StatedPlan& stated, const simulate::Check& check,
                Seconds of_processors, const std::optional<Proven>& proven) {
    Json document = check_json(check.violation);
    if (!check.violation) {
        document["makespan"] = check.timeline.makespan.value;
        if (of_processors > Seconds(0)) document["processor_time"] = of_processors.value;
    }
    if (stated.has_makespan) document["stated_makespan"] = stated.plan.timeline.makespan.value;
    if (!check.violation) add_demands(document, recomputed(stated, check));
    if (check.robust)
        document["robust"] = {{"percentile", stated.plan.robust->percentile},
                              {"makespan", check.robust->value},
                              {"stated_makespan", stated.plan.robust->makespan.value}};
    if (proven) {
        document["proven_lower_bound"] = proven->lower_bound.value;
        document["optimal"] = proven->optimal;
    }
    return document;
}

std::string check_text(const schedule::StatedPlan& stated, const simulate::Check& check,
                       Seconds of_processors, const std::optional<Proven>& proven,
                       const std::string& unit) {
    using report::format_time;
    const Seconds makespan = check.timeline.makespan;
    std::string text =
        fmt::format("valid: {}\nmakespan {}", title_of(report::headline_of(stated.plan, unit)),
                    format_time(makespan, unit));
    if (stated.has_makespan)
        text += fmt::format(", stated {}", format_time(stated.plan.timeline.makespan, unit));
    text += '\n';
    text += plan::explain_processors(makespan, of_processors);
    if (const auto& robust = stated.plan.robust)
        text += fmt::format("p{} {}, stated {}\n", robust->percentile,
                            check.robust ? format_time(*check.robust, unit)
                                         : "not known: the inside of clusters is not",
                            format_time(robust->makespan, unit));
    if (const auto plan = recomputed(stated, check); has_demands(plan.schedule))
        text += report::demand_lines(plan) + report::missed_table(plan);
    if (!proven) return text;
    const std::string found =
        proven->optimal
            ? "optimal"
            : report::percent_over(makespan, proven->lower_bound) + " over the best possible";
    return text + fmt::format("proven: no schedule ends before {}; this one ends at {}: {}\n",
                              format_time(proven->lower_bound, unit), format_time(makespan, unit),
                              found);
}

void check_ring(const CheckOptions& options) {
    if (!options.certificate.empty())
        throw InputError(
            "--certificate", "",
            fmt::format("{} is a ring, and certificates are for schedules", options.schedule));
    const frontend::CheckedRing found = frontend::examine_ring(
        schedule::read_ring(options.schedule), options.schedule, options.ring,
        read_network(options.network, options.source), options.network, warn);
    const simulate::RingCheck& check = found.check;
    if (!check.violation || options.result.json)
        deliver(options.result, check_json(found.stated, check), [&] {
            return fmt::format("valid: {}\nstep time {}, stated {}\n",
                               report::title_of(check.ring, found.platform),
                               report::format_number(check.ring.step_time),
                               report::format_number(found.stated.step_time));
        });
    if (check.violation)
        throw InvalidError(fmt::format("{}: {}", options.schedule, *check.violation));
}

void run_check(const CheckOptions& options) {
    if (frontend::is_ring(options.schedule)) {
        check_ring(options);
        return;
    }
    refuse_ring_options(options.schedule, options.ring);
    const network::Network network = read_network(options.network, options.source);
    std::optional<Waiting> waiting(std::in_place, "checking " + options.schedule);
    const schedule::StatedPlan stated = schedule::read_schedule(options.schedule);
    const simulate::Check check = plan::check_plan(stated, network, options.schedule);
    waiting.reset();
    const std::string& planned_for = stated.plan.schedule.network;
    if (!check.violation && !planned_for.empty() && planned_for != network::fingerprint(network))
        warn(fmt::format("{}: it was planned for another network than {}", options.schedule,
                         options.network));
    std::optional<Proven> proven;
    if (!check.violation && !options.certificate.empty())
        proven = frontend::verify(sender::read_certificate(options.certificate),
                                  options.certificate, network, options.network,
                                  stated.plan.schedule, check.timeline.makespan);
    const std::string unit = network.sender() != nullptr ? network.sender()->time_unit : "";
    const Seconds of_processors = frontend::processor_time(stated.plan.schedule, network);
    if (!check.violation || options.result.json)
        deliver(options.result, check_json(stated, check, of_processors, proven),
                [&] { return check_text(stated, check, of_processors, proven, unit); });
    if (check.violation)
        throw InvalidError(fmt::format("{}: {}", options.schedule, *check.violation));
}

}  // namespace

Action add_check(CLI::App& app) {
    auto options = std::make_shared<CheckOptions>();
    app.add_option("SCHEDULE", options->schedule, "a schedule or a ring (JSON)")
        ->type_name("")
        ->required();
    app.add_option("--network", options->network,
                   "the network it shall run on (JSON, or a directory)")
        ->required()
        ->type_name("NET.json");
    app.add_option("--certificate", options->certificate,
                   "a proof of the lower bound, to be verified")
        ->type_name("C.json");
    add_ring_options(app, options->ring);
    add_source_options(app, options->source);
    add_json_option(app, options->result);
    return [options](const Passed&) { run_check(*options); };
}

}  // namespace espalier::cli
