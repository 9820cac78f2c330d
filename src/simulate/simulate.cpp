#include "simulate/simulate.hpp"

#include "core/error.hpp"
#include "simulate/fluid.hpp"
#include "simulate/messages.hpp"
#include "simulate/reception.hpp"
#include "simulate/slots.hpp"
#include "simulate/steps.hpp"
#include "simulate/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace espalier::simulate {

namespace {

using schedule::LocalPart;
using schedule::Timeline;

/// Messages that only queue for ports: each starts at the maximum of what it waits for, so one pass
/// in any order that respects the waiting gives all times.
class QueueEngine {
public:
    QueueEngine(const schedule::Schedule& schedule, const Fabric& fabric, Windows& windows)
        : messages_(schedule, fabric),
          windows_(windows),
          steps_(messages_),
          end_(messages_.count(), -1) {
        timeline_.transfers.resize(schedule.transfers.size());
        std::vector<double> from(schedule.nodes.size(), 0);
        for (const LocalPart& part : schedule.local)
            if (part.phase == LocalPart::Phase::before) from[part.node] = part.duration.value;
        for (std::size_t port = 0; port < messages_.ports(); ++port) {
            slots_.emplace_back(schedule.ports.count, from[port % from.size()]);
            next_begin_.push_back(0);
        }
    }

    Timeline run() {
        std::vector<Messages::Message> candidates;
        const auto consider = [&](std::size_t port) {
            if (const auto message = messages_.head(port)) candidates.push_back(*message);
        };
        const auto consider_all = [&] {
            for (std::size_t port = 0; port < messages_.ports(); ++port) consider(port);
        };
        consider_all();
        std::size_t done = 0;
        while (!candidates.empty()) {
            const auto message = candidates.back();
            candidates.pop_back();
            if (end_[messages_.id(message)] >= 0 || !messages_.is_next(message)) continue;
            const auto ready = data_ready(message);
            if (!ready) continue;
            const double end = perform(message, *ready);
            ++done;
            if (steps_.deliver(message.transfer, end)) consider_all();
            const auto& transfer = messages_.schedule().transfers[message.transfer];
            consider(messages_.in_port(message.transfer));
            consider(messages_.out_port(message.transfer));
            consider(transfer.to);
        }
        if (done < messages_.count()) report_deadlock(messages_);
        return std::move(timeline_);
    }

private:
    /// When all data that the message needs has been delivered; nullopt while some has no time yet.
    [[nodiscard]] std::optional<double> data_ready(Messages::Message message) const {
        const auto begin = steps_.begin(message.transfer);
        double ready = begin.value_or(0);
        bool known = begin.has_value();
        messages_.for_each_need(message, [&](Messages::Need need) {
            const double end = end_[messages_.id({need.transfer, need.segment})];
            known = known && end >= 0;
            ready = std::max(ready, end);
        });
        return known ? std::optional(ready) : std::nullopt;
    }

    /// Returns when it is delivered.
    double perform(Messages::Message message, double ready) {
        const std::size_t out = messages_.out_port(message.transfer);
        const std::size_t in = messages_.in_port(message.transfer);
        const MessageCost cost = messages_.cost(message);
        const double latency = cost.latency.value;
        const double start =
            std::max({ready, slots_[out].earliest(), slots_[in].earliest() - latency,
                      next_begin_[out], next_begin_[in] - latency});
        const double sent = start + cost.gap.value;
        double end = sent + latency;
        const double overhead = cost.overhead.value;
        next_begin_[out] = start + overhead;
        next_begin_[in] = std::max(next_begin_[in], start + latency + overhead);
        slots_[out].occupy_until(sent);
        slots_[in].occupy_until(end);
        if (windows_.matter())
            end = latency +
                  windows_.leave(message.transfer, start, cost.gap, messages_.bytes(message));
        auto& times = timeline_.transfers[message.transfer];
        if (message.segment == 0) {
            times.start = Seconds(start);
            times.arrival = Seconds(start + latency);
        }
        // On several ports a short last segment can overtake those before it.
        times.sent = std::max(times.sent, Seconds(sent));
        times.end = std::max(times.end, Seconds(end));
        end_[messages_.id(message)] = times.end.value;
        messages_.take(message);
        return end;
    }

    Messages messages_;
    Windows& windows_;
    Steps steps_;
    std::vector<double> end_;  ///< when each message and those of its transfer before it are
                               ///< delivered; negative until known
    std::vector<Slots> slots_;
    std::vector<double> next_begin_;  ///< a port's messages start in their order, on every slot
    Timeline timeline_;
};

/// Local parts and completions follow from the transfers' times.
void complete(const schedule::Schedule& schedule, Timeline& timeline) {
    timeline.completion.assign(schedule.nodes.size(), Seconds(0));
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        auto& sender = timeline.completion[schedule.transfers[t].from];
        auto& receiver = timeline.completion[schedule.transfers[t].to];
        sender = std::max(sender, timeline.transfers[t].sent);
        receiver = std::max(receiver, timeline.transfers[t].end);
    }
    timeline.local.clear();
    for (const LocalPart& part : schedule.local) {
        auto& completion = timeline.completion[part.node];
        const Seconds start = part.phase == LocalPart::Phase::before ? Seconds(0) : completion;
        timeline.local.push_back({start, start + part.duration});
        completion = std::max(completion, start + part.duration);
    }
    timeline.makespan = Seconds(0);
    for (const Seconds time : timeline.completion)
        timeline.makespan = std::max(timeline.makespan, time);
}

Timeline time_transfers(const schedule::Schedule& schedule, const Fabric& fabric,
                        Windows& windows) {
    using Mode = schedule::Reception::Mode;
    const Mode mode = schedule.reception.mode;
    if (mode != Mode::serial && schedule.ports.duplex == schedule::Ports::Duplex::half)
        throw InputError(fmt::format("'{}' reception needs full-duplex ports",
                                     schedule::to_string(schedule.reception)));
    const bool sharing = can_be_short(schedule, fabric);
    if (mode == Mode::buffered && sharing)
        throw InputError("buffered reception is not modelled where messages share capacities");
    if (sharing) return simulate_fluid(schedule, fabric, windows);
    switch (mode) {
        case Mode::interleaved:
            return simulate_interleaved(schedule, fabric);
        case Mode::buffered:
            return simulate_buffered(schedule, fabric);
        case Mode::serial:
            break;
    }
    return QueueEngine(schedule, fabric, windows).run();
}

}  // namespace

bool can_be_short(const schedule::Schedule& schedule, const Fabric& fabric) {
    const auto capacities = fabric.capacities();
    struct Users {
        std::optional<std::size_t> sender;
        std::optional<std::size_t> receiver;
        bool one_sender = true;
        bool one_receiver = true;
    };
    std::vector<Users> users(capacities.size());
    const auto rate = [&](const schedule::Transfer& transfer, std::size_t segment) {
        const Bytes bytes = schedule::segment_bytes(schedule.bytes_of(transfer),
                                                    schedule.segments_of(transfer), segment);
        const Seconds gap = fabric.cost(transfer.from, transfer.to, bytes).gap;
        return gap.value > 0 ? (bytes / gap).value : 0;
    };
    for (const auto& transfer : schedule.transfers) {
        const auto draws = fabric.draws(transfer.from, transfer.to);
        if (draws.empty()) continue;
        if (schedule.ports.count > 1) return true;
        const double most =
            std::max(rate(transfer, 0), rate(transfer, schedule.segments_of(transfer) - 1));
        for (const std::uint32_t c : draws) {
            if (most > capacities[c].limit * (1 + 1e-9)) return true;
            Users& of = users[c];
            of.one_sender = of.one_sender && of.sender.value_or(transfer.from) == transfer.from;
            of.one_receiver = of.one_receiver && of.receiver.value_or(transfer.to) == transfer.to;
            if (!of.one_sender && !of.one_receiver) return true;
            of.sender = transfer.from;
            of.receiver = transfer.to;
        }
    }
    return false;
}

Timeline simulate(const schedule::Schedule& schedule, const Fabric& fabric) {
    if (fabric.nodes() != schedule.nodes.size())
        throw InvalidError(fmt::format("the schedule has {} nodes, and the network {}",
                                       schedule.nodes.size(), fabric.nodes()));
    Windows windows(schedule, fabric);
    for (;;) {
        Timeline timeline = time_transfers(schedule, fabric, windows);
        complete(schedule, timeline);
        if (!windows.narrow(timeline.makespan)) return timeline;
    }
}

void report_deadlock(const Messages& messages) {
    for (std::size_t port = 0; port < messages.ports(); ++port)
        if (const auto message = messages.head(port)) {
            const auto& transfer = messages.schedule().transfers[message->transfer];
            throw InvalidError(fmt::format(
                "the schedule can't proceed: '{}' and '{}' wait for ever at transfer {}",
                messages.schedule().nodes[transfer.from], messages.schedule().nodes[transfer.to],
                message->transfer));
        }
    throw Error(ExitStatus::internal_fault, "a simulation stopped with no message left");
}

}  // namespace espalier::simulate
