#include "frontend/checking.hpp"

#include "core/error.hpp"
#include "core/table.hpp"
#include "plan/overhead.hpp"
#include "sender/verify_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::frontend {

Proven verify(const sender::Certificate& certificate, const std::string& certificate_file,
              const network::Network& network, const std::string& network_file,
              const schedule::Schedule& schedule, Seconds makespan) {
    if (network.sender() == nullptr)
        throw InputError("--certificate", "",
                         fmt::format("{} is of model {}, and certificates are for model sender",
                                     network_file, network.model_name()));
    const auto flawed = [&](const std::string& flaw) {
        throw InvalidError(fmt::format("{}: {}", certificate_file, flaw));
    };
    const std::string& root = schedule.nodes[schedule.collective.root];
    if (certificate.kind != schedule.collective.kind)
        flawed(fmt::format("it is about a {}, and the schedule is a {}", name_of(certificate.kind),
                           name_of(schedule.collective.kind)));
    if (certificate.root && *certificate.root != root)
        flawed(fmt::format("it is about the root '{}', and the schedule's is '{}'",
                           *certificate.root, root));
    if (certificate.ports != schedule.ports.count)
        flawed(fmt::format("it is about nodes of {}, and the schedule's have {}",
                           counted(certificate.ports, "port"),
                           counted(schedule.ports.count, "port")));
    if (const auto flaw = find_flaw(certificate, *network.sender())) flawed(*flaw);
    const Proven proven{Seconds(certificate.lower_bound()),
                        proves_optimal(certificate, makespan.value)};
    if (!proven.optimal && proven.lower_bound > makespan)
        flawed(fmt::format("it claims that nothing ends before {}, and the schedule does at {}",
                           proven.lower_bound.value, makespan.value));
    return proven;
}

schedule::Plan recomputed(const schedule::StatedPlan& stated, const simulate::Check& check) {
    schedule::Plan plan = stated.plan;
    // Of a schedule between clusters, the timeline may be that between ranks.
    if (check.timeline.transfers.size() == plan.schedule.transfers.size())
        plan.timeline = check.timeline;
    return plan;
}

Seconds processor_time(const schedule::Schedule& schedule, const network::Network& network) {
    const network::GridNetwork* grid = network.grid();
    if (grid == nullptr || !schedule.local.empty()) return Seconds(0);
    return plan::processor_time(schedule, grid->message_time);
}

void complete_times(schedule::StatedPlan& stated) {
    schedule::Timeline& timeline = stated.plan.timeline;
    Seconds last(0);
    for (schedule::Timeline::Times& times : timeline.transfers) {
        times.arrival = times.start;
        times.sent = times.end;
        last = std::max(last, times.end);
    }
    for (const schedule::Timeline::Span& span : timeline.local) last = std::max(last, span.end);
    if (!stated.has_makespan) timeline.makespan = last;
}

}  // namespace espalier::frontend
