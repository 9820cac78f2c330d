#include "simulate/fluid.hpp"

#include "simulate/arrivals.hpp"
#include "simulate/fair_shares.hpp"
#include "simulate/messages.hpp"
#include "simulate/slots.hpp"
#include "simulate/steps.hpp"
#include "simulate/use.hpp"
#include "simulate/windows.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

namespace espalier::simulate {

namespace {

using schedule::Timeline;

class FluidEngine {
public:
    FluidEngine(const schedule::Schedule& schedule, const Fabric& fabric, Windows& windows)
        : schedule_(schedule),
          fabric_(fabric),
          windows_(windows),
          messages_(schedule, fabric),
          steps_(messages_),
          interleaved_(!messages_.receives_in_order()),
          shares_(fabric.capacities(), schedule.nodes.size(),
                  interleaved_ ? schedule.ports.count : 0),
          sent_(schedule.nodes.size(), 0),
          delivered_(messages_.count(), never),
          busy_(messages_.ports(), 0),
          clear_from_(messages_.ports(), 0),
          clear_latency_(messages_.ports(), 0),
          last_ends_(schedule.ports.count > 1 ? messages_.ports() : 0),
          next_begin_(messages_.ports(), 0),
          arrivals_(messages_.ports()),
          next_wake_(messages_.ports(), never) {
        assert(schedule.reception.mode != schedule::Reception::Mode::buffered);
        timeline_.transfers.resize(schedule.transfers.size());
        for (const auto& part : schedule.local) {
            if (part.phase != schedule::LocalPart::Phase::before) continue;
            clear_from_[part.node] = part.duration.value;
            clear_from_[messages_.in_port_of_node(part.node)] = part.duration.value;
        }
        for (std::size_t port = 0; port < messages_.ports(); ++port) ready_.push_back(port);
    }

    Timeline run() {
        start_what_can();
        while (true) {
            const double finish = next_finish(flows_, now_);
            const double next = std::min({finish, wakes_.empty() ? never : wakes_.top().first,
                                          to_come_.empty() ? never : to_come_.top().turn->since});
            if (next == never) break;
            advance(flows_, now_, next);
            now_ = next;
            for (; !wakes_.empty() && wakes_.top().first <= now_; wakes_.pop()) {
                const auto [time, port] = wakes_.top();
                if (time != next_wake_[port]) continue;
                next_wake_[port] = never;
                ready_.push_back(port);
            }
            finish_flows();
            let_come();
            start_what_can();
        }
        if (started_ < messages_.count()) report_deadlock(messages_);
        return std::move(timeline_);
    }

private:
    /// Looks at a port's next message again at that time, or sooner: whoever looks then finds out
    /// when to look next. So the earliest time of each port is enough, and their number stays
    /// small.
    void wake(double time, std::size_t port) {
        if (time <= now_) {
            ready_.push_back(port);
        } else if (time < next_wake_[port]) {
            next_wake_[port] = time;
            wakes_.emplace(time, port);
        }
    }

    /// The time from which a port with a free slot takes what arrives `latency` later; messages
    /// that have left their senders may still be coming in.
    [[nodiscard]] double slot_free(std::size_t port, double latency) const {
        if (last_ends_.empty())
            return clear_from_[port] + std::max(0.0, clear_latency_[port] - latency);
        const auto& ends = last_ends_[port];
        const std::size_t unsent = std::min(busy_[port], schedule_.ports.count - 1);
        const std::size_t free = schedule_.ports.count - unsent;
        const double taken = ends.size() < free ? 0 : ends[free - 1] - latency;
        return std::max(clear_from_[port], taken);
    }

    /// Ports hold back a message until their slots are free; its data must have been delivered.
    [[nodiscard]] bool can_start(Messages::Message message, MessageCost cost) {
        const double latency = cost.latency.value;
        const std::size_t out = messages_.out_port(message.transfer);
        const std::size_t in = messages_.in_port(message.transfer);
        if (busy_[out] >= schedule_.ports.count) return false;
        if (!interleaved_ && busy_[in] >= schedule_.ports.count) return false;
        // Under half duplex the sender may still be receiving.
        double from = std::max({slot_free(out, 0), slot_free(in, latency), next_begin_[out]});
        const auto begin = steps_.begin(message.transfer);
        from = std::max(from, begin.value_or(0));
        bool known = begin.has_value();
        messages_.for_each_need(message, [&](Messages::Need need) {
            // As many of its last segments as there are ports can still be on their way.
            const std::size_t last = messages_.id({need.transfer, need.segment});
            for (std::size_t n = 0; n < std::min(schedule_.ports.count, need.segment + 1); ++n) {
                const double end = delivered_[last - n];
                known = known && end != never;
                if (known) from = std::max(from, end);
            }
        });
        if (!known) return false;
        if (!interleaved_ && cost.overhead > Seconds(0))
            from = arrivals_[in].clear_start(std::max(from, now_), latency, cost.overhead.value);
        if (from > now_) wake(from, out);
        return from <= now_;
    }

    /// A message can start only after something has changed at one of its ports.
    void start_what_can() {
        while (!ready_.empty()) {
            const auto message = messages_.head(ready_.back());
            ready_.pop_back();
            if (!message || !messages_.is_next(*message)) continue;
            const MessageCost cost = messages_.cost(*message);
            if (can_start(*message, cost)) start(*message, cost);
        }
        if (unfair_) shares_.assign(flows_);
        unfair_ = false;
    }

    void start(Messages::Message message, MessageCost cost) {
        const auto& transfer = schedule_.transfers[message.transfer];
        const double gap = cost.gap.value;
        const auto bytes = static_cast<double>(messages_.bytes(message).value);
        const Sharing sharing = fabric_.sharing(transfer.from, transfer.to);
        Flow& flow = flows_.emplace_back();
        flow.message = message;
        flow.receiver = transfer.to;
        flow.remaining = gap;
        flow.latency = cost.latency.value;
        if (windows_.matter())
            flow.held = windows_.leave(message.transfer, now_, cost.gap, messages_.bytes(message));
        flow.bytes_per_second = gap > 0 ? bytes / gap : 0;
        flow.draws = fabric_.draws(transfer.from, transfer.to);
        flow.weight = sharing.weight;
        for (const auto c : flow.draws)
            if (const Capacity& capacity = fabric_.capacities()[c]; capacity.presumed)
                flow.of_presumed = link_use(fabric_, capacity, transfer.from, transfer.to,
                                            messages_.bytes(message));
        if (!interleaved_ && sharing.burst > Bytes(0) && flow.bytes_per_second > 0 &&
            !flow.draws.empty()) {
            flow.turn = Turn{now_, sent_[transfer.from], transfer.from};
            if (bytes <= static_cast<double>(sharing.burst.value)) split(flow, sharing.before);
            const auto burst = static_cast<double>(sharing.burst.value);
            flow.remaining = std::min(gap, burst / flow.bytes_per_second);
            flow.later = gap - flow.remaining;
        }
        flow.is_long = bytes > static_cast<double>(sharing.burst.value);
        if (flow.is_long) shares_.begin_long(flow);
        ++sent_[transfer.from];
        unfair_ = unfair_ || interleaved_ || !flow.draws.empty();
        if (interleaved_) slow_down(transfer.to);
        if (message.segment == 0) {
            timeline_.transfers[message.transfer].start = Seconds(now_);
            timeline_.transfers[message.transfer].arrival = Seconds(now_ + cost.latency.value);
        }
        const std::size_t out = messages_.out_port(message.transfer);
        const std::size_t in = messages_.in_port(message.transfer);
        ++busy_[out];
        ++busy_[in];
        next_begin_[out] = now_ + cost.overhead.value;
        if (cost.overhead > Seconds(0))
            arrivals_[in].add(now_ + cost.latency.value,
                              now_ + (cost.latency + cost.overhead).value);
        messages_.take(message);
        ready_.push_back(out);
        ready_.push_back(in);
        ++started_;
    }

    /// A message more at a node without a port for it, and all there are interleaved. What ends as
    /// another begins, but for rounding, is over.
    void slow_down(std::size_t node) {
        std::size_t present = 0;
        for (const Flow& flow : flows_)
            if (flow.receiver == node && clearly_less(now_, now_ + flow.remaining / flow.speed))
                ++present;
        if (present <= schedule_.ports.count) return;
        const double factor = 1 + schedule_.reception.overhead;
        for (Flow& flow : flows_) {
            if (flow.receiver != node || flow.slowed) continue;
            flow.remaining *= factor;
            flow.bytes_per_second /= factor;
            flow.slowed = true;
        }
    }

    /// Notes that what has just left its sender comes in at this port for as long as its latency.
    void note_receive(std::size_t port, double latency) {
        if (last_ends_.empty()) {
            clear_from_[port] = now_;
            clear_latency_[port] = latency;
            return;
        }
        auto& ends = last_ends_[port];
        const double end = now_ + latency;
        ends.insert(std::ranges::upper_bound(ends, end, std::greater<>()), end);
        if (ends.size() > schedule_.ports.count) ends.pop_back();
    }

    /// A short message passes what is at its receiver's end by a flow of its own, a latency later.
    void split(Flow& flow, std::size_t before) {
        if (flow.draws.size() <= before) return;
        Flow far = flow;
        far.draws = flow.draws.subspan(before);
        far.turn->since = now_ + flow.latency;
        far.arrives = true;
        flow.draws = flow.draws.first(before);
        halves_.emplace(messages_.id(flow.message), std::nullopt);
        to_come_.push(far);
    }

    void let_come() {
        for (; !to_come_.empty() && to_come_.top().turn->since <= now_; to_come_.pop()) {
            flows_.push_back(to_come_.top());
            unfair_ = true;
        }
    }

    /// Lets the rest of a long message share, once what it begins with has passed.
    void share_rest(Flow& flow) {
        flow.remaining = std::exchange(flow.later, 0);
        flow.turn.reset();
        unfair_ = true;
    }

    void finish_flows() {
        for (std::size_t f = 0; f < flows_.size();) {
            if (flows_[f].remaining <= 0 && flows_[f].later > 0) share_rest(flows_[f]);
            if (flows_[f].remaining > 0) {
                ++f;
                continue;
            }
            const Flow flow = flows_[f];
            flows_[f] = flows_.back();
            flows_.pop_back();
            if (flow.is_long) shares_.end_long(flow);
            unfair_ = unfair_ || interleaved_ || !flow.draws.empty();
            if (!flow.arrives) leave_ports(flow);
            if (const auto end = end_of(flow)) deliver(flow, *end);
        }
    }

    /// nullopt while the other half of it is under way.
    [[nodiscard]] std::optional<double> end_of(const Flow& flow) {
        const double end =
            std::max(flow.arrives ? now_ : now_ + flow.latency, flow.held + flow.latency);
        const auto half = halves_.find(messages_.id(flow.message));
        if (half == halves_.end()) return end;
        const std::optional<double> other = std::exchange(half->second, end);
        if (!other) return std::nullopt;
        return std::max(end, *other);
    }

    /// Frees the ports of a message that is still in flight.
    void leave_ports(const Flow& flow) {
        auto& times = timeline_.transfers[flow.message.transfer];
        times.sent = std::max(times.sent, Seconds(now_));
        const std::size_t out = messages_.out_port(flow.message.transfer);
        const std::size_t in = messages_.in_port(flow.message.transfer);
        --busy_[out];
        --busy_[in];
        if (windows_.matter()) windows_.left(flow.message.transfer, now_);
        if (!interleaved_) note_receive(in, flow.latency);
        ready_.push_back(out);
        ready_.push_back(in);
    }

    void deliver(const Flow& flow, double end) {
        const auto& transfer = schedule_.transfers[flow.message.transfer];
        auto& times = timeline_.transfers[flow.message.transfer];
        delivered_[messages_.id(flow.message)] = end;
        times.end = std::max(times.end, Seconds(end));
        // What the receiver passes on can go when it has arrived.
        wake(end, transfer.to);
        if (steps_.deliver(flow.message.transfer, end))
            for (std::size_t port = 0; port < messages_.ports(); ++port) ready_.push_back(port);
    }

    const schedule::Schedule& schedule_;
    const Fabric& fabric_;
    Windows& windows_;
    Messages messages_;
    Steps steps_;
    bool interleaved_;
    FairShares shares_;
    std::vector<std::size_t> sent_;  ///< by node: how many messages have left it or are leaving
    std::vector<double> delivered_;
    std::vector<std::size_t> busy_;      ///< by port: messages that occupy it
    std::vector<double> clear_from_;     ///< by port: when the last message left its sender
    std::vector<double> clear_latency_;  ///< by port: how much later that message arrived
    /// The latest ends of receives at each port of several slots, the latest first.
    std::vector<std::vector<double>> last_ends_;
    std::vector<double> next_begin_;  ///< by port: before that no message begins there
    std::vector<Arrivals> arrivals_;  ///< by port: when it begins to take in a message
    std::vector<double> next_wake_;   ///< by port: the earliest of its wakes_
    std::vector<Flow> flows_;
    std::priority_queue<Flow, std::vector<Flow>, Later>
        to_come_;  ///< to what is at their receivers
    /// When the first half of a message that passes in two halves was over, by the message's
    /// number.
    std::unordered_map<std::size_t, std::optional<double>> halves_;
    using Wake = std::pair<double, std::size_t>;  // when, and which port
    std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
    std::vector<std::size_t> ready_;  ///< ports whose next message may be able to start
    bool unfair_ = false;             ///< the shares must be assigned anew
    double now_ = 0;
    std::size_t started_ = 0;
    Timeline timeline_;
};

}  // namespace

Timeline simulate_fluid(const schedule::Schedule& schedule, const Fabric& fabric,
                        Windows& windows) {
    return FluidEngine(schedule, fabric, windows).run();
}

Timeline simulate_fluid(const schedule::Schedule& schedule, const Fabric& fabric) {
    Windows windows(schedule, fabric);
    return simulate_fluid(schedule, fabric, windows);
}

}  // namespace espalier::simulate
