#include "simulate/fluid.hpp"

#include "simulate/flights.hpp"
#include "simulate/messages.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace espalier::simulate {

namespace {

using schedule::Timeline;

constexpr double never = std::numeric_limits<double>::infinity();

/// A message on its way: what is left of it, in seconds that it would take alone.
struct Flow {
    Messages::Message message;
    double remaining = 0;
    double latency = 0;
    double bytes_per_second = 0;  ///< when nothing slows it down
    double speed = 1;             ///< the share of that it gets now
    std::span<const std::uint32_t> draws;
};

/// Max-min fairness by progressive filling: the tightest capacity fixes its flows' rates, the
/// others divide what is left.
void share_out(std::vector<Flow>& flows, std::span<const Capacity> capacities) {
    std::vector<double> left(capacities.size());
    std::vector<std::size_t> users(capacities.size(), 0);
    for (std::size_t c = 0; c < capacities.size(); ++c) left[c] = capacities[c].limit;
    std::vector<Flow*> open;
    for (Flow& flow : flows) {
        flow.speed = 1;
        if (flow.draws.empty() || flow.bytes_per_second == 0) continue;
        open.push_back(&flow);
        for (const auto c : flow.draws) ++users[c];
    }
    while (!open.empty()) {
        double least = never;
        for (const Flow* flow : open) {
            least = std::min(least, flow->bytes_per_second);
            for (const auto c : flow->draws)
                least = std::min(least, left[c] / static_cast<double>(users[c]));
        }
        // All flows held back at this level are settled; at least one is.
        std::vector<Flow*> rest;
        std::vector<Flow*> settled;
        const double level = least * (1 + 1e-12);
        for (Flow* flow : open) {
            const bool held =
                flow->bytes_per_second <= level ||
                std::any_of(flow->draws.begin(), flow->draws.end(), [&](std::uint32_t c) {
                    return left[c] / static_cast<double>(users[c]) <= level;
                });
            (held ? settled : rest).push_back(flow);
        }
        for (Flow* flow : settled) {
            flow->speed = std::min(1.0, least / flow->bytes_per_second);
            for (const auto c : flow->draws) {
                left[c] = std::max(0.0, left[c] - least);
                --users[c];
            }
        }
        open = std::move(rest);
    }
}

class FluidEngine {
public:
    FluidEngine(const schedule::Schedule& schedule, const Fabric& fabric)
        : schedule_(schedule),
          fabric_(fabric),
          messages_(schedule, fabric),
          delivered_(messages_.count(), never),
          busy_(messages_.ports(), 0),
          clear_from_(messages_.ports(), 0),
          clear_latency_(messages_.ports(), 0),
          flights_(schedule.spaced ? schedule.nodes.size() : 0) {
        timeline_.transfers.resize(schedule.transfers.size());
        for (const auto& part : schedule.local) {
            if (part.phase != schedule::LocalPart::Phase::before) continue;
            clear_from_[part.node] = part.duration.value;
            clear_from_[messages_.in_port_of_node(part.node)] = part.duration.value;
            wake(part.duration.value);
        }
    }

    Timeline run() {
        start_what_can();
        while (true) {
            const double finish = next_finish();
            const double next = std::min(finish, wakes_.empty() ? never : wakes_.top());
            if (next == never) break;
            advance_to(next);
            while (!wakes_.empty() && wakes_.top() <= now_) wakes_.pop();
            finish_flows();
            start_what_can();
        }
        if (started_ < messages_.count()) report_deadlock(messages_);
        return std::move(timeline_);
    }

private:
    void wake(double time) {
        if (time > now_) wakes_.push(time);
    }

    /// Ports hold back a message until their slots are free; its data must have been delivered.
    [[nodiscard]] bool can_start(Messages::Message message, MessageCost cost) {
        const double latency = cost.latency.value;
        const std::size_t out = messages_.out_port(message.transfer);
        const std::size_t in = messages_.in_port(message.transfer);
        if (busy_[out] >= schedule_.ports.count || busy_[in] >= schedule_.ports.count) return false;
        // Under half duplex the sender may still be receiving.
        double from = clear_from_[out] + clear_latency_[out];
        // The receiver's port is free for what arrives after the end of what came before.
        from = std::max(from, clear_from_[in] + std::max(0.0, clear_latency_[in] - latency));
        bool known = true;
        messages_.for_each_need(message, [&](Messages::Need need) {
            const double end = delivered_[messages_.id({need.transfer, need.segment})];
            if (end == never)
                known = false;
            else
                from = std::max(from, end);
        });
        if (!known) return false;
        if (keeps_clear(message))
            from = flights_[schedule_.transfers[message.transfer].from].clear_start(
                std::max(from, now_), latency, cost.gap.value);
        wake(from);
        return from <= now_;
    }

    [[nodiscard]] bool keeps_clear(Messages::Message message) const {
        return schedule_.spaced && messages_.segments(message.transfer) == 1;
    }

    void start_what_can() {
        bool changed = false;
        for (bool more = true; more;) {
            more = false;
            for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
                const auto message = messages_.head(node);
                if (!message || !messages_.is_next(*message)) continue;
                const MessageCost cost = messages_.cost(*message);
                if (!can_start(*message, cost)) continue;
                start(*message, cost);
                more = changed = true;
            }
        }
        if (changed) share_out(flows_, fabric_.capacities());
    }

    void start(Messages::Message message, MessageCost cost) {
        const auto& transfer = schedule_.transfers[message.transfer];
        const double gap = cost.gap.value;
        const auto bytes = static_cast<double>(messages_.bytes(message).value);
        flows_.push_back({message, gap, cost.latency.value, gap > 0 ? bytes / gap : 0, 1,
                          fabric_.draws(transfer.from, transfer.to)});
        if (message.segment == 0) {
            timeline_.transfers[message.transfer].start = Seconds(now_);
            timeline_.transfers[message.transfer].arrival = Seconds(now_ + cost.latency.value);
        }
        ++busy_[messages_.out_port(message.transfer)];
        ++busy_[messages_.in_port(message.transfer)];
        messages_.take(message);
        ++started_;
    }

    [[nodiscard]] double next_finish() const {
        double next = never;
        for (const Flow& flow : flows_) next = std::min(next, now_ + flow.remaining / flow.speed);
        return next;
    }

    void advance_to(double time) {
        for (Flow& flow : flows_) {
            const double left = flow.remaining - (time - now_) * flow.speed;
            // What would end within a rounding error of `time` ends at it.
            flow.remaining = left <= 1e-12 * std::max(time, flow.remaining) ? 0 : left;
        }
        now_ = time;
    }

    void finish_flows() {
        bool changed = false;
        for (std::size_t f = 0; f < flows_.size();) {
            if (flows_[f].remaining > 0) {
                ++f;
                continue;
            }
            const Flow flow = flows_[f];
            flows_[f] = flows_.back();
            flows_.pop_back();
            changed = true;
            const double end = now_ + flow.latency;
            delivered_[messages_.id(flow.message)] = end;
            wake(end);
            auto& times = timeline_.transfers[flow.message.transfer];
            times.sent = std::max(times.sent, Seconds(now_));
            times.end = std::max(times.end, Seconds(end));
            if (keeps_clear(flow.message))
                flights_[schedule_.transfers[flow.message.transfer].from].add(times.arrival.value,
                                                                              end);
            const std::size_t in = messages_.in_port(flow.message.transfer);
            --busy_[messages_.out_port(flow.message.transfer)];
            --busy_[in];
            clear_from_[in] = now_;
            clear_latency_[in] = flow.latency;
        }
        if (changed) share_out(flows_, fabric_.capacities());
    }

    const schedule::Schedule& schedule_;
    const Fabric& fabric_;
    Messages messages_;
    std::vector<double> delivered_;
    std::vector<std::size_t> busy_;      ///< by port: messages that occupy it
    std::vector<double> clear_from_;     ///< by port: when the last message left its sender
    std::vector<double> clear_latency_;  ///< by port: how much later that message arrived
    std::vector<Flights> flights_;       ///< by sender, where messages keep clear in flight
    std::vector<Flow> flows_;
    std::priority_queue<double, std::vector<double>, std::greater<>> wakes_;
    double now_ = 0;
    std::size_t started_ = 0;
    Timeline timeline_;
};

}  // namespace

Timeline simulate_fluid(const schedule::Schedule& schedule, const Fabric& fabric) {
    return FluidEngine(schedule, fabric).run();
}

}  // namespace espalier::simulate
