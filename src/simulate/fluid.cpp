#include "simulate/fluid.hpp"

#include "simulate/flights.hpp"
#include "simulate/messages.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

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
class FairShares {
public:
    explicit FairShares(std::span<const Capacity> capacities)
        : capacities_(capacities), left_(capacities.size()), users_(capacities.size(), 0) {}

    void assign(std::vector<Flow>& flows) {
        open_.clear();
        for (Flow& flow : flows) {
            flow.speed = 1;
            if (flow.draws.empty() || flow.bytes_per_second == 0) continue;
            open_.push_back(&flow);
            for (const auto c : flow.draws) {
                left_[c] = capacities_[c].limit;
                users_[c] = 0;
            }
        }
        for (const Flow* flow : open_)
            for (const auto c : flow->draws) ++users_[c];
        while (!open_.empty()) settle_slowest();
    }

private:
    /// All flows that the least rate holds back are settled; at least one is.
    void settle_slowest() {
        double least = never;
        for (const Flow* flow : open_) least = std::min(least, highest_rate(*flow));
        const double level = least * (1 + 1e-12);
        const auto held = [&](const Flow* flow) { return highest_rate(*flow) <= level; };
        const auto settled = std::stable_partition(open_.begin(), open_.end(), std::not_fn(held));
        for (auto flow = settled; flow != open_.end(); ++flow) {
            (*flow)->speed = std::min(1.0, least / (*flow)->bytes_per_second);
            for (const auto c : (*flow)->draws) {
                left_[c] = std::max(0.0, left_[c] - least);
                --users_[c];
            }
        }
        open_.erase(settled, open_.end());
    }

    [[nodiscard]] double highest_rate(const Flow& flow) const {
        double rate = flow.bytes_per_second;
        for (const auto c : flow.draws)
            rate = std::min(rate, left_[c] / static_cast<double>(users_[c]));
        return rate;
    }

    std::span<const Capacity> capacities_;
    std::vector<double> left_;
    std::vector<std::size_t> users_;
    std::vector<Flow*> open_;
};

class FluidEngine {
public:
    FluidEngine(const schedule::Schedule& schedule, const Fabric& fabric)
        : schedule_(schedule),
          fabric_(fabric),
          messages_(schedule, fabric),
          shares_(fabric.capacities()),
          delivered_(messages_.count(), never),
          busy_(messages_.ports(), 0),
          clear_from_(messages_.ports(), 0),
          clear_latency_(messages_.ports(), 0),
          next_wake_(messages_.ports(), never),
          flights_(schedule.spaced ? schedule.nodes.size() : 0) {
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
            const double finish = next_finish();
            const double next = std::min(finish, wakes_.empty() ? never : wakes_.top().first);
            if (next == never) break;
            advance_to(next);
            for (; !wakes_.empty() && wakes_.top().first <= now_; wakes_.pop()) {
                const auto [time, port] = wakes_.top();
                if (time != next_wake_[port]) continue;
                next_wake_[port] = never;
                ready_.push_back(port);
            }
            finish_flows();
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
            // As many of its last segments as there are ports can still be on their way.
            const std::size_t last = messages_.id({need.transfer, need.segment});
            for (std::size_t n = 0; n < std::min(schedule_.ports.count, need.segment + 1); ++n) {
                const double end = delivered_[last - n];
                known = known && end != never;
                if (known) from = std::max(from, end);
            }
        });
        if (!known) return false;
        if (keeps_clear(message))
            from = flights_[schedule_.transfers[message.transfer].from].clear_start(
                std::max(from, now_), latency, cost.gap.value);
        if (from > now_) wake(from, out);
        return from <= now_;
    }

    [[nodiscard]] bool keeps_clear(Messages::Message message) const {
        return schedule_.spaced && messages_.segments(message.transfer) == 1;
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
        flows_.push_back({message, gap, cost.latency.value, gap > 0 ? bytes / gap : 0, 1,
                          fabric_.draws(transfer.from, transfer.to)});
        if (message.segment == 0) {
            timeline_.transfers[message.transfer].start = Seconds(now_);
            timeline_.transfers[message.transfer].arrival = Seconds(now_ + cost.latency.value);
        }
        ++busy_[messages_.out_port(message.transfer)];
        ++busy_[messages_.in_port(message.transfer)];
        unfair_ = unfair_ || !flows_.back().draws.empty();
        messages_.take(message);
        ready_.push_back(messages_.out_port(message.transfer));
        ready_.push_back(messages_.in_port(message.transfer));
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
        for (std::size_t f = 0; f < flows_.size();) {
            if (flows_[f].remaining > 0) {
                ++f;
                continue;
            }
            const Flow flow = flows_[f];
            flows_[f] = flows_.back();
            flows_.pop_back();
            unfair_ = unfair_ || !flow.draws.empty();
            const double end = now_ + flow.latency;
            delivered_[messages_.id(flow.message)] = end;
            auto& times = timeline_.transfers[flow.message.transfer];
            times.sent = std::max(times.sent, Seconds(now_));
            times.end = std::max(times.end, Seconds(end));
            if (keeps_clear(flow.message))
                flights_[schedule_.transfers[flow.message.transfer].from].add(times.arrival.value,
                                                                              end);
            const std::size_t in = messages_.in_port(flow.message.transfer);
            const std::size_t out = messages_.out_port(flow.message.transfer);
            --busy_[out];
            --busy_[in];
            clear_from_[in] = now_;
            clear_latency_[in] = flow.latency;
            ready_.push_back(out);
            ready_.push_back(in);
            // What the receiver passes on can go when it has arrived.
            wake(end, schedule_.transfers[flow.message.transfer].to);
        }
    }

    const schedule::Schedule& schedule_;
    const Fabric& fabric_;
    Messages messages_;
    FairShares shares_;
    std::vector<double> delivered_;
    std::vector<std::size_t> busy_;      ///< by port: messages that occupy it
    std::vector<double> clear_from_;     ///< by port: when the last message left its sender
    std::vector<double> clear_latency_;  ///< by port: how much later that message arrived
    std::vector<double> next_wake_;      ///< by port: the earliest of its wakes_
    std::vector<Flights> flights_;       ///< by sender, where messages keep clear in flight
    std::vector<Flow> flows_;
    using Wake = std::pair<double, std::size_t>;  // when, and which port
    std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
    std::vector<std::size_t> ready_;  ///< ports whose next message may be able to start
    bool unfair_ = false;             ///< the shares must be assigned anew
    double now_ = 0;
    std::size_t started_ = 0;
    Timeline timeline_;
};

}  // namespace

Timeline simulate_fluid(const schedule::Schedule& schedule, const Fabric& fabric) {
    return FluidEngine(schedule, fabric).run();
}

}  // namespace espalier::simulate
