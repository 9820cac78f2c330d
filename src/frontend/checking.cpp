#include "frontend/checking.hpp"

#include "core/error.hpp"
#include "core/table.hpp"
#include "plan/overhead.hpp"
#include "sender/verify_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace espalier::frontend {

namespace {

using schedule::Schedule;
using Times = std::vector<schedule::Timeline::Times>;

/// Whether a node does all its sends, and all its receives, one after the other as they are listed.
bool keeps_order(const Schedule& schedule) {
    return schedule.ports.count == 1 &&
           schedule.reception.mode == schedule::Reception::Mode::serial &&
           std::ranges::all_of(schedule.transfers, [&](const schedule::Transfer& transfer) {
               return schedule.segments_of(transfer) == 1;
           });
}

/// How long each message keeps either end busy, at most: its sender until its next message, its
/// receiver since the one before; and no longer than one like it between the same nodes.
std::vector<Seconds> busy_times(const Schedule& schedule, const Times& times) {
    using Alike = std::tuple<std::size_t, std::size_t, std::uint64_t>;
    const auto alike = [&](std::size_t t) {
        const schedule::Transfer& transfer = schedule.transfers[t];
        return Alike(transfer.from, transfer.to, schedule.bytes_of(transfer).value);
    };
    std::map<Alike, Seconds> least;
    const auto bound = [&](std::size_t t, Seconds busy) {
        if (busy.value < 0) return;
        const auto [entry, is_new] = least.try_emplace(alike(t), busy);
        if (!is_new) entry->second = std::min(entry->second, busy);
    };
    std::map<std::size_t, std::size_t> sent_before;
    std::map<std::size_t, std::size_t> received_before;
    const bool ordered = keeps_order(schedule);
    for (std::size_t t = 0; t < times.size(); ++t) {
        bound(t, times[t].end - times[t].start);
        if (!ordered) continue;
        const auto [sent, first_sent] = sent_before.try_emplace(schedule.transfers[t].from, t);
        if (!first_sent) bound(sent->second, times[t].start - times[sent->second].start);
        const auto [received, first] = received_before.try_emplace(schedule.transfers[t].to, t);
        if (!first) bound(t, times[t].end - times[received->second].end);
        sent->second = received->second = t;
    }
    std::vector<Seconds> busy;
    for (std::size_t t = 0; t < times.size(); ++t)
        busy.push_back(ordered ? least.at(alike(t)) : times[t].end - times[t].start);
    return busy;
}

}  // namespace

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
    const std::vector<Seconds> busy = busy_times(stated.plan.schedule, timeline.transfers);
    for (std::size_t t = 0; t < timeline.transfers.size(); ++t) {
        schedule::Timeline::Times& times = timeline.transfers[t];
        // The end itself, where it is that: what follows at once has the same number.
        const bool throughout = busy[t] >= times.end - times.start;
        times.sent = throughout ? times.end : times.start + busy[t];
        times.arrival = throughout ? times.start : times.end - busy[t];
        last = std::max(last, times.end);
    }
    for (const schedule::Timeline::Span& span : timeline.local) last = std::max(last, span.end);
    if (!stated.has_makespan) timeline.makespan = last;
}

}  // namespace espalier::frontend
