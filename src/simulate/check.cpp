#include "simulate/check.hpp"

#include "core/error.hpp"
#include "schedule/demands.hpp"
#include "schedule/validate.hpp"
#include "simulate/check_capacity.hpp"
#include "simulate/check_reception.hpp"
#include "simulate/check_windows.hpp"
#include "simulate/messages.hpp"
#include "simulate/simulate.hpp"
#include "simulate/use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace espalier::simulate {

namespace {

using schedule::Schedule;
using schedule::segment_bytes;
using schedule::StatedPlan;
using schedule::Timeline;

class Checker {
public:
    Checker(const StatedPlan& stated, const Fabric& fabric)
        : schedule_(stated.plan.schedule), stated_(stated), fabric_(fabric) {}

    Check run() {
        Check result;
        if (auto violation = schedule::find_violation(schedule_)) {
            result.violation = violation->what;
            return result;
        }
        if (schedule_.ports.duplex != fabric_.ports().duplex) {
            result.violation = fmt::format("it assumes {} ports, and the network has {}",
                                           schedule::to_string(schedule_.ports),
                                           schedule::to_string(fabric_.ports()));
            return result;
        }
        if (auto claim = find_bad_claim()) {
            result.violation = claim;
            return result;
        }
        try {
            result.timeline = simulate(schedule_, fabric_);
        } catch (const InvalidError& fault) {
            result.violation = fault.what();
            return result;
        }
        const Seconds bound = stated_bound();
        if (clearly_less(result.timeline.makespan.value, bound.value) && schedule_.local.empty()) {
            result.violation = fmt::format(
                "the lower bound is stated as {} s, and the schedule can be done in {} s",
                bound.value, result.timeline.makespan.value);
            return result;
        }
        if (!stated_.has_times)
            result.violation = find_bad_makespan(result.timeline);
        else if (overlaps_inside())
            result.violation = find_bad_time(simulate(without_inside(), fabric_));
        else
            result.violation = find_bad_time(result.timeline);
        return result;
    }

private:
    [[nodiscard]] Seconds stated_bound() const {
        return std::max(stated_.plan.lower_bound, stated_.plan.any_bound);
    }

    /// Checks that the bounds that a file states agree with the makespan that it states.
    [[nodiscard]] std::optional<std::string> find_bad_claim() const {
        if (!stated_.has_makespan) return std::nullopt;
        const double makespan = times().makespan.value;
        const Seconds bound = stated_bound();
        if (clearly_less(makespan, bound.value))
            return fmt::format("the lower bound is stated as {} s, and the makespan as {} s",
                               bound.value, makespan);
        // Of demands, the makespan is not what is best.
        if (stated_.plan.optimal && !schedule::has_demands(schedule_) &&
            clearly_less(stated_.plan.lower_bound.value, makespan))
            return fmt::format("it is called optimal, with a makespan of {} s and a bound of {} s",
                               makespan, stated_.plan.lower_bound.value);
        return std::nullopt;
    }

    /// Whether what comes inside before a coordinator's transfers may go on beside them: in
    /// segments, or on another port.
    [[nodiscard]] bool overlaps_inside() const {
        return std::ranges::any_of(schedule_.local, [&](const schedule::LocalPart& part) {
            return part.phase == schedule::LocalPart::Phase::before &&
                   (part.segments > 1 || schedule_.ports.count > 1);
        });
    }
    [[nodiscard]] Schedule without_inside() const {
        Schedule outer = schedule_;
        outer.local.clear();
        return outer;
    }

    [[nodiscard]] const Timeline& times() const { return stated_.plan.timeline; }
    [[nodiscard]] bool is_serial() const {
        return schedule_.reception.mode == schedule::Reception::Mode::serial;
    }
    [[nodiscard]] std::string describe(std::size_t t) const {
        return describe_transfer(schedule_, t);
    }
    /// How long a transfer with all its segments keeps its ports busy, and how much later it
    /// arrives.
    [[nodiscard]] MessageCost whole_cost(std::size_t t) const {
        const auto& transfer = schedule_.transfers[t];
        const Bytes bytes = schedule_.bytes_of(transfer);
        const std::size_t segments = schedule_.segments_of(transfer);
        MessageCost total{Seconds(0), Seconds(0)};
        for (std::size_t s = 0; s < segments; ++s) {
            const MessageCost cost =
                fabric_.cost(transfer.from, transfer.to, segment_bytes(bytes, segments, s));
            total.gap += cost.gap;
            total.latency = cost.latency;
        }
        return total;
    }

    /// The least time from the start of the transfer's first segment to the end of its last; if
    /// there are several ports, segments take turns at them.
    [[nodiscard]] double least_time(std::size_t t, MessageCost whole) const {
        const bool one_piece = schedule_.segments_of(schedule_.transfers[t]) == 1;
        const auto ports = static_cast<double>(one_piece ? 1 : schedule_.ports.count);
        return whole.gap.value / ports + whole.latency.value;
    }

    [[nodiscard]] std::optional<std::string> find_bad_time(const Timeline& simulated) {
        into_.resize(schedule_.nodes.size());
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t)
            into_[schedule_.transfers[t].to].push_back(t);
        const Messages messages(schedule_, fabric_);
        std::vector<MessageCost> costs;
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) costs.push_back(whole_cost(t));
        for (std::size_t t = 0; t < costs.size(); ++t) {
            const auto& stated = times().transfers[t];
            const double least = least_time(t, costs[t]);
            const double end = stated.start.value + least;
            // What is sent in one piece and shares nothing takes exactly what it costs, unless its
            // receiver makes it wait or slows it down.
            const auto& transfer = schedule_.transfers[t];
            const bool fixed = is_serial() && schedule_.segments_of(transfer) == 1 &&
                               !shares(fabric_, transfer) &&
                               fabric_.window(transfer.from, transfer.to).first == Bytes(0);
            if (clearly_less(stated.end.value, end) ||
                (fixed && clearly_less(end, stated.end.value)))
                return fmt::format("{} takes {} s, and its cost is {} s", describe(t),
                                   (stated.end - stated.start).value, least);
            if (auto fault = find_early(messages, t)) return fault;
        }
        if (auto fault = find_broken_barrier(schedule_, times())) return fault;
        if (auto fault = find_too_few_nodes()) return fault;
        if (auto fault = find_crowded_port(costs)) return fault;
        if (auto fault = find_overloaded_capacity(schedule_, fabric_, costs, times())) return fault;
        if (auto fault = find_narrow_window(schedule_, fabric_, costs, times())) return fault;
        if (auto fault = find_reception_fault(schedule_, fabric_, costs, times(), simulated))
            return fault;
        for (std::size_t p = 0; p < schedule_.local.size(); ++p)
            if (auto fault = find_wrong_part(p)) return fault;
        if (auto fault = find_wrong_makespan()) return fault;
        if (auto fault = find_bad_demands()) return fault;
        return find_too_soon(simulated);
    }

    /// Checks that what a file states of its critical node and its deadlines follows from its
    /// times.
    [[nodiscard]] std::optional<std::string> find_bad_demands() const {
        const double done = schedule::critical_done(schedule_, times()).value;
        const auto differ = [](double a, double b) {
            return clearly_less(a, b) || clearly_less(b, a);
        };
        if (stated_.critical_done && differ(stated_.critical_done->value, done))
            return fmt::format("the critical node is stated to be done at {} s, and is at {} s",
                               stated_.critical_done->value, done);
        if (clearly_less(done, stated_.plan.critical_bound.value))
            return fmt::format(
                "the critical node is stated not to be done before {} s, and is at {} s",
                stated_.plan.critical_bound.value, done);
        if (!schedule::has_deadlines(schedule_)) return std::nullopt;
        const auto missed = schedule::missed_deadlines(schedule_, times());
        const double total = schedule::total_priority(schedule_, missed);
        if (clearly_less(total, stated_.plan.missed_bound))
            return fmt::format(
                "deadlines of priority {} are stated to be missed at least, and {} are",
                stated_.plan.missed_bound, total);
        if (!stated_.missed) return std::nullopt;
        const bool same = std::ranges::equal(
            *stated_.missed, missed, [&](const schedule::Missed& a, const schedule::Missed& b) {
                return a.chunk == b.chunk && !differ(a.end.value, b.end.value);
            });
        if (same) return std::nullopt;
        return fmt::format("{} deadlines are stated as missed, and {} are by its times, or others",
                           stated_.missed->size(), missed.size());
    }

    /// Finds a transfer that starts earlier than the order allows: where messages only queue, the
    /// simulator starts each as early as possible.
    [[nodiscard]] std::optional<std::string> find_too_soon(const Timeline& simulated) const {
        if (!is_serial()) return std::nullopt;  // a message more can bring another forward
        for (const auto& transfer : schedule_.transfers)
            if (shares(fabric_, transfer)) return std::nullopt;
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const auto& stated = times().transfers[t];
            const auto& soonest = simulated.transfers[t];
            if (clearly_less(stated.start.value, soonest.start.value) ||
                clearly_less(stated.end.value, soonest.end.value))
                return fmt::format("{} is stated as {} s to {} s, and can't be before {} s to {} s",
                                   describe(t), stated.start.value, stated.end.value,
                                   soonest.start.value, soonest.end.value);
        }
        return std::nullopt;
    }

    /// Finds a transfer that starts before the data of its first segment, or ends before that of
    /// its last one, has arrived.
    [[nodiscard]] std::optional<std::string> find_early(const Messages& messages,
                                                        std::size_t t) const {
        const auto& stated = times().transfers[t];
        std::optional<std::string> fault;
        messages.for_each_need({t, 0}, [&](Messages::Need need) {
            const double held = held_from(need);
            if (clearly_less(stated.start.value, held))
                fault = fmt::format("{} starts at {} s, before '{}' holds the data at {} s",
                                    describe(t), stated.start.value,
                                    schedule_.nodes[schedule_.transfers[t].from], held);
        });
        std::size_t last = messages.segments(t) - 1;
        while (last > 0 && messages.bytes({t, last}).value == 0) --last;
        messages.for_each_need({t, last}, [&](Messages::Need need) {
            if (!fault && clearly_less(stated.end.value, held_from(need)))
                fault = fmt::format("{} ends before what it passes on has arrived", describe(t));
        });
        return fault;
    }

    /// When a segment that is needed has arrived at the earliest. The end of a pipeline's last
    /// segment is known; of the others only that the first one has come before them.
    [[nodiscard]] double held_from(Messages::Need need) const {
        const bool last =
            need.segment + 1 == schedule_.segments_of(schedule_.transfers[need.transfer]);
        return last ? times().transfers[need.transfer].end.value : first_held(need.transfer);
    }

    /// Checks a reduction whose nodes are gone once they have sent (liu-2000, inequality 1). The
    /// nodes themselves are then a capacity, whoever receives: a transfer takes its sender for good
    /// and, while it lasts, one port of one more node.
    [[nodiscard]] std::optional<std::string> find_too_few_nodes() const {
        const std::size_t nodes = schedule_.nodes.size();
        if (schedule_.collective.kind != schedule::Kind::reduce ||
            schedule_.ports.duplex != schedule::Ports::Duplex::half ||
            schedule_.transfers.size() + 1 != nodes)
            return std::nullopt;
        constexpr double never = std::numeric_limits<double>::max();
        const auto ports = static_cast<double>(schedule_.ports.count);
        std::vector<Use> uses;
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const auto& stated = times().transfers[t];
            uses.push_back({stated.start.value, never, ports, t});
            uses.push_back({stated.start.value, stated.end.value, 1, t});
        }
        const auto crowd = find_crowd(uses, ports * static_cast<double>(nodes));
        if (!crowd) return std::nullopt;
        return fmt::format("{} starts at {} s, when more nodes send, receive or have sent than {}",
                           describe(uses[*crowd].transfer), uses[*crowd].start, nodes);
    }

    /// Whole messages hold their ports without a break; pipelines share them, and only the sum
    /// counts. What interleaved receivers can do is looked at apart.
    [[nodiscard]] std::optional<std::string> find_crowded_port(
        const std::vector<MessageCost>& costs) const {
        const bool half = schedule_.ports.duplex == schedule::Ports::Duplex::half;
        std::vector<std::vector<Use>> whole(2 * schedule_.nodes.size());
        std::vector<std::vector<Use>> all(2 * schedule_.nodes.size());
        for (std::size_t t = 0; t < costs.size(); ++t) {
            const auto& transfer = schedule_.transfers[t];
            const auto& stated = times().transfers[t];
            const std::size_t in = half ? transfer.to : schedule_.nodes.size() + transfer.to;
            const double latency = costs[t].latency.value;
            const double gap = costs[t].gap.value;
            // The sender is held from the stated start, the receiver until the stated end. A
            // difference of such times has lost digits that count beside shorter messages.
            const double rounding = file_rounding * stated.end.value;
            const Use send{stated.start.value, stated.end.value - latency, gap, t, rounding};
            const Use receive{stated.start.value + latency, stated.end.value, gap, t};
            all[transfer.from].push_back(send);
            if (schedule_.reception.mode == schedule::Reception::Mode::interleaved) {
                if (schedule_.segments_of(transfer) == 1)
                    whole[transfer.from].push_back(
                        {send.start, std::max(send.start + gap, send.end - rounding), 1, t});
                continue;
            }
            all[in].push_back(receive);
            if (schedule_.segments_of(transfer) > 1 || shares(fabric_, transfer)) continue;
            whole[transfer.from].push_back({send.start, send.start + gap, 1, t});
            // What has waited in a buffer is received before its end only.
            const double begin = is_serial() ? receive.start : receive.end - gap + rounding;
            whole[in].push_back({begin, is_serial() ? begin + gap : receive.end, 1, t});
        }
        const auto limit = static_cast<double>(schedule_.ports.count);
        for (std::size_t port = 0; port < all.size(); ++port) {
            const Use* fault = nullptr;
            if (const auto crowd = find_crowd(whole[port], limit))
                fault = &whole[port][*crowd];
            else if (whole[port].size() == all[port].size())
                continue;  // whole messages that don't crowd a port don't overload it
            else if (const auto overload = find_overload(all[port], limit))
                fault = &all[port][*overload];
            if (fault != nullptr)
                return fmt::format("{} needs a port of '{}' that is busy",
                                   describe(fault->transfer),
                                   schedule_.nodes[port % schedule_.nodes.size()]);
        }
        return std::nullopt;
    }

    /// When the receiver of a transfer holds its first segment.
    [[nodiscard]] double first_held(std::size_t t) const {
        const auto& transfer = schedule_.transfers[t];
        const std::size_t segments = schedule_.segments_of(transfer);
        if (segments == 1) return times().transfers[t].end.value;
        const MessageCost first = fabric_.cost(
            transfer.from, transfer.to, segment_bytes(schedule_.bytes_of(transfer), segments, 0));
        return (times().transfers[t].start + first.gap + first.latency).value;
    }

    /// A local part begins once its coordinator holds something, and ends when it holds all; one
    /// that comes before is over when its coordinator has sent the last.
    [[nodiscard]] std::optional<std::string> find_wrong_part(std::size_t p) const {
        const auto& part = schedule_.local[p];
        const std::string& name = schedule_.nodes[part.node];
        const auto& stated = times().local[p];
        for (std::size_t q = 0; q < p; ++q)
            if (schedule_.local[q].node == part.node && schedule_.local[q].phase == part.phase)
                return fmt::format("node '{}' has two local parts", name);
        if (part.phase == schedule::LocalPart::Phase::before) {
            for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
                if (schedule_.transfers[t].from != part.node) continue;
                const bool whole =
                    part.segments == 1 && schedule_.segments_of(schedule_.transfers[t]) == 1;
                const auto& sent = times().transfers[t];
                if (clearly_less((whole ? sent.start : sent.end).value, stated.end.value))
                    return fmt::format("{} comes before the local part of '{}' is over",
                                       describe(t), name);
            }
            return std::nullopt;
        }
        const auto& into = into_[part.node];
        const auto later = [&](auto t) { return clearly_less(stated.start.value, first_held(t)); };
        if (!into.empty() && std::ranges::all_of(into, later))
            return fmt::format("the local part of '{}' starts before its message arrives", name);
        for (const std::size_t t : into)
            if (clearly_less(stated.end.value, times().transfers[t].end.value))
                return fmt::format("the local part of '{}' ends before its message has arrived",
                                   name);
        return std::nullopt;
    }

    /// The makespan is the end of everything.
    [[nodiscard]] std::optional<std::string> find_wrong_makespan() const {
        double end = 0;
        for (const auto& stated : times().transfers) end = std::max(end, stated.end.value);
        for (const auto& stated : times().local) end = std::max(end, stated.end.value);
        const double makespan = times().makespan.value;
        const bool same = !clearly_less(makespan, end) && !clearly_less(end, makespan);
        if (!stated_.has_makespan || same) return std::nullopt;
        return fmt::format("the makespan is stated as {} s, and the last part ends at {} s",
                           makespan, end);
    }

    /// Compares the makespan of a schedule that states no times of its own with the simulated one.
    [[nodiscard]] std::optional<std::string> find_bad_makespan(const Timeline& simulated) const {
        if (!stated_.has_makespan ||
            !clearly_less(times().makespan.value, simulated.makespan.value))
            return std::nullopt;
        return fmt::format("the makespan is stated as {} s, and the simulated one is {} s",
                           times().makespan.value, simulated.makespan.value);
    }

    const Schedule& schedule_;
    const StatedPlan& stated_;
    const Fabric& fabric_;
    std::vector<std::vector<std::size_t>> into_;  ///< by node: the transfers that it receives
};

}  // namespace

Check check(const StatedPlan& stated, const Fabric& fabric) {
    return Checker(stated, fabric).run();
}

}  // namespace espalier::simulate
