#include "simulate/check_reception.hpp"

#include "simulate/interleaving.hpp"
#include "simulate/use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::simulate {

namespace {

using schedule::Reception;
using schedule::Schedule;
using schedule::Timeline;

bool differ(double a, double b) { return clearly_less(a, b) || clearly_less(b, a); }

class ReceptionChecker {
public:
    ReceptionChecker(const Schedule& schedule, const Fabric& fabric,
                     const std::vector<MessageCost>& costs, const Timeline& stated)
        : schedule_(schedule),
          fabric_(fabric),
          costs_(costs),
          stated_(stated),
          into_(schedule.nodes.size()) {
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t)
            into_[schedule.transfers[t].to].push_back(t);
    }

    std::optional<std::string> run(const Timeline& simulated) {
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t)
            if (schedule_.segments_of(schedule_.transfers[t]) > 1) return find_other(simulated);
        if (auto fault = find_overtaking_send()) return fault;
        for (std::size_t node = 0; node < into_.size(); ++node) {
            std::ranges::stable_sort(into_[node], {}, [&](std::size_t t) { return start(t); });
            const bool buffered = schedule_.reception.mode == Reception::Mode::buffered;
            if (auto fault = buffered ? find_unbuffered(node) : find_uninterleaved(node))
                return fault;
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] std::string describe(std::size_t t) const {
        return describe_transfer(schedule_, t);
    }
    [[nodiscard]] double start(std::size_t t) const { return stated_.transfers[t].start.value; }
    [[nodiscard]] double end(std::size_t t) const { return stated_.transfers[t].end.value; }
    [[nodiscard]] double gap(std::size_t t) const { return costs_[t].gap.value; }
    [[nodiscard]] double latency(std::size_t t) const { return costs_[t].latency.value; }
    /// When an interleaved message has left its sender.
    [[nodiscard]] double sent(std::size_t t) const { return end(t) - latency(t); }

    [[nodiscard]] std::optional<std::string> find_other(const Timeline& simulated) const {
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const auto& times = simulated.transfers[t];
            if (differ(start(t), times.start.value) || differ(end(t), times.end.value))
                return fmt::format(
                    "{} is stated as {} s to {} s, and segments received as '{}' make it {} s to "
                    "{} s",
                    describe(t), start(t), end(t), schedule::to_string(schedule_.reception),
                    times.start.value, times.end.value);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> find_overtaking_send() const {
        std::vector<std::optional<std::size_t>> last(schedule_.nodes.size());
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            auto& before = last[schedule_.transfers[t].from];
            if (before && clearly_less(start(t), start(*before)))
                return fmt::format("{} starts before {}, which '{}' sends first", describe(t),
                                   describe(*before), schedule_.nodes[schedule_.transfers[t].from]);
            before = t;
        }
        return std::nullopt;
    }

    /// The application begins to receive a message its gap before the end.
    [[nodiscard]] double arrival(std::size_t t) const { return end(t) - gap(t); }
    [[nodiscard]] bool waits(std::size_t t) const {
        return clearly_less(start(t) + latency(t), arrival(t)) &&
               clearly_less(start(t) + latency(t) + gap(t), end(t));
    }

    [[nodiscard]] std::optional<std::string> find_unbuffered(std::size_t node) const {
        std::vector<Use> uses;
        std::optional<std::size_t> waiting;
        for (const std::size_t t : into_[node]) {
            if (waiting && clearly_less(start(*waiting), start(t)) &&
                clearly_less(arrival(t), arrival(*waiting)))
                return fmt::format("{} is received before {}, which came first", describe(t),
                                   describe(*waiting));
            if (!waits(t)) continue;
            if (!waiting || arrival(t) > arrival(*waiting)) waiting = t;
            const Bytes size = schedule_.bytes_of(schedule_.transfers[t]);
            uses.push_back({start(t), end(t), static_cast<double>(size.value), t});
        }
        const Bytes buffer = schedule_.reception.buffer;
        if (const auto crowd = find_crowd(uses, static_cast<double>(buffer.value)))
            return fmt::format("{} starts at {} s, when it does not fit into the {} bytes of '{}'",
                               describe(uses[*crowd].transfer), uses[*crowd].start, buffer.value,
                               schedule_.nodes[node]);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> find_uninterleaved(std::size_t node) const {
        for (const std::size_t t : into_[node])
            if (shares(fabric_, schedule_.transfers[t])) return find_overworked(node);
        return find_unfair(node);
    }

    /// Checks the ends of messages that only receivers slow down: the starts determine them.
    [[nodiscard]] std::optional<std::string> find_unfair(std::size_t node) const {
        Interleaving receiver(schedule_.ports.count, schedule_.reception.overhead);
        std::optional<std::string> fault;
        double now = 0;
        const auto finish = [&] {
            now = receiver.next_end();
            const std::size_t t = receiver.finish();
            if (fault || !differ(end(t), now + latency(t))) return;
            fault = fmt::format(
                "{} is stated to end at {} s, and interleaved with what '{}' "
                "receives beside it, it ends at {} s",
                describe(t), end(t), schedule_.nodes[node], now + latency(t));
        };
        for (const std::size_t t : into_[node]) {
            while (receiver.next_end() <= start(t)) finish();
            now = std::max(now, start(t));
            receiver.add(now, t, gap(t));
        }
        while (receiver.size() > 0) finish();
        return fault;
    }

    /// Checks that no node does more work than its time allows, where capacities slow messages down
    /// too.
    [[nodiscard]] std::optional<std::string> find_overworked(std::size_t node) const {
        const auto& received = into_[node];
        std::vector<std::optional<double>> met(received.size());
        std::vector<std::size_t> present;
        for (std::size_t n = 0; n < received.size(); ++n) {
            const double now = start(received[n]);
            std::erase_if(present,
                          [&](std::size_t p) { return !clearly_less(now, sent(received[p])); });
            present.push_back(n);
            if (present.size() <= schedule_.ports.count) continue;
            for (const std::size_t p : present)
                if (!met[p]) met[p] = now;
        }
        std::vector<Use> uses;
        for (std::size_t n = 0; n < received.size(); ++n) {
            const std::size_t t = received[n];
            const double left = met[n] ? std::max(0.0, gap(t) - (*met[n] - start(t))) : 0;
            uses.push_back({start(t), sent(t), gap(t) + schedule_.reception.overhead * left, t,
                            1e-9 * end(t)});
        }
        const auto overload = find_overload(uses, static_cast<double>(schedule_.ports.count));
        if (!overload) return std::nullopt;
        return fmt::format("{} ends at {} s, before '{}' can have received it beside the others",
                           describe(uses[*overload].transfer), end(uses[*overload].transfer),
                           schedule_.nodes[node]);
    }

    const Schedule& schedule_;
    const Fabric& fabric_;
    const std::vector<MessageCost>& costs_;
    const Timeline& stated_;
    std::vector<std::vector<std::size_t>> into_;  ///< by node: what it receives, by start
};

}  // namespace

std::string describe_transfer(const Schedule& schedule, std::size_t t) {
    const auto& transfer = schedule.transfers[t];
    return fmt::format("transfer {} (chunk {}, '{}' to '{}')", t, transfer.chunk,
                       schedule.nodes[transfer.from], schedule.nodes[transfer.to]);
}

bool shares(const Fabric& fabric, const schedule::Transfer& transfer) {
    return !fabric.capacities().empty() && !fabric.draws(transfer.from, transfer.to).empty();
}

std::optional<std::string> find_reception_fault(const Schedule& schedule, const Fabric& fabric,
                                                const std::vector<MessageCost>& costs,
                                                const Timeline& stated, const Timeline& simulated) {
    if (schedule.reception.mode == Reception::Mode::serial) return std::nullopt;
    return ReceptionChecker(schedule, fabric, costs, stated).run(simulated);
}

std::optional<std::string> find_broken_barrier(const Schedule& schedule, const Timeline& stated) {
    double over = 0;
    auto barrier = schedule.barriers.begin();
    double begin = 0;
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        for (; barrier != schedule.barriers.end() && *barrier <= t; ++barrier) begin = over;
        const auto& times = stated.transfers[t];
        if (clearly_less(times.start.value, begin))
            return fmt::format("{} starts at {} s, before the step before it is over at {} s",
                               describe_transfer(schedule, t), times.start.value, begin);
        over = std::max(over, times.end.value);
    }
    return std::nullopt;
}

}  // namespace espalier::simulate
