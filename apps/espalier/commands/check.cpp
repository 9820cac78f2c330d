#include "all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "network/json.hpp"
#include "plan/check_plan.hpp"
#include "report/plan_text.hpp"
#include "result.hpp"

#include <fmt/format.h>

#include <memory>

namespace espalier::cli {

namespace {

struct Options {
    std::string schedule;
    std::string network;
    ResultOptions result;
};

Json document_of(const schedule::StatedPlan& stated, const simulate::Check& check) {
    Json document{{"format", "espalier-check"}, {"version", 1}, {"valid", !check.violation}};
    if (check.violation)
        document["violation"] = *check.violation;
    else
        document["makespan"] = check.timeline.makespan.value;
    if (stated.has_makespan) document["stated_makespan"] = stated.plan.timeline.makespan.value;
    return document;
}

std::string describe(const schedule::StatedPlan& stated, const simulate::Check& check) {
    std::string text = fmt::format("valid: {}\nmakespan {}", report::title_of(stated.plan),
                                   format_seconds(check.timeline.makespan));
    if (stated.has_makespan)
        text += fmt::format(", stated {}", format_seconds(stated.plan.timeline.makespan));
    return text + '\n';
}

void run(const Options& options) {
    const network::Network network = network::read_network(options.network);
    const schedule::StatedPlan stated = schedule::read_schedule(options.schedule);
    const simulate::Check check = plan::check_plan(stated, network, options.schedule);
    const std::string& planned_for = stated.plan.schedule.network;
    if (!check.violation && !planned_for.empty() && planned_for != network::fingerprint(network))
        warn(fmt::format("{}: it was planned for another network than {}", options.schedule,
                         options.network));
    if (!check.violation || options.result.json)
        deliver(options.result, document_of(stated, check),
                [&] { return describe(stated, check); });
    if (check.violation)
        throw InvalidError(fmt::format("{}: {}", options.schedule, *check.violation));
}

}  // namespace

Action add_check(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("SCHEDULE", options->schedule, "a schedule file (JSON)")
        ->type_name("")
        ->required();
    app.add_option("--network", options->network, "the network it shall run on (JSON)")
        ->required()
        ->type_name("NET.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run(*options); };
}

}  // namespace espalier::cli
