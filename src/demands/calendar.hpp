#pragma once

#include "core/infinity.hpp"
#include "demands/problem.hpp"
#include "plan/bounds/links.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::demands {

/// The times at which the ports of all nodes are taken, in seconds. A message goes where both its
/// ends have room, also before what was placed earlier, and never moves what stands there.
class Calendar {
public:
    explicit Calendar(const Problem& problem)
        : ports_(problem.ports),
          sends_(problem.nodes() * problem.ports),
          receives_(problem.nodes() * problem.ports) {}

    /// A hop and its place.
    struct Leg {
        Hop hop;
        double gap = 0;
        double latency = 0;
        double start = infinity;
        std::size_t out = 0;  ///< which of all senders' ports
        std::size_t in = 0;   ///< which of all receivers'

        [[nodiscard]] double end() const { return start + gap + latency; }
    };
    /// The earliest from `ready` on.
    [[nodiscard]] Leg find(const Hop& hop, double gap, double latency, double ready) const {
        Leg best{hop, gap, latency};
        for (std::size_t out = hop.from * ports_; out < (hop.from + 1) * ports_; ++out)
            for (std::size_t in = hop.to * ports_; in < (hop.to + 1) * ports_; ++in) {
                const double start = fit(sends_[out], receives_[in], gap, latency, ready);
                if (start < best.start) best = {hop, gap, latency, start, out, in};
            }
        return best;
    }
    void take(const Leg& leg) {
        const double arrival = leg.start + leg.latency;
        insert(sends_[leg.out], {leg.start, leg.start + leg.gap});
        insert(receives_[leg.in], {arrival, arrival + leg.gap});
    }

private:
    struct Span {
        double begin = 0;
        double end = 0;
    };
    using Port = std::vector<Span>;  ///< in the order of time

    [[nodiscard]] static double fit(const Port& out, const Port& in, double gap, double latency,
                                    double ready) {
        double start = ready;
        auto sent = std::ranges::upper_bound(out, start, {}, &Span::end);
        auto received = std::ranges::upper_bound(in, start + latency, {}, &Span::end);
        while (true) {
            if (sent != out.end() && sent->begin < start + gap) {
                start = std::max(start, sent->end);
                ++sent;
                while (received != in.end() && received->end <= start + latency) ++received;
            } else if (received != in.end() && received->begin < start + latency + gap) {
                start = std::max(start, received->end - latency);
                ++received;
                while (sent != out.end() && sent->end <= start) ++sent;
            } else {
                return start;
            }
        }
    }
    static void insert(Port& port, Span span) {
        port.insert(std::ranges::upper_bound(port, span.begin, {}, &Span::begin), span);
    }

    std::size_t ports_;
    std::vector<Port> sends_;
    std::vector<Port> receives_;
};

/// Paths of whole messages through nodes that store them and pass them on.
class Paths {
public:
    explicit Paths(const Problem& problem)
        : problem_(problem), links_(plan::bounds::least_costs(*problem.fabric, Bytes(1))) {}

    [[nodiscard]] Calendar::Leg straight(const Calendar& calendar, std::size_t message) const {
        const Message& what = problem_.messages[message];
        return calendar.find(direct(problem_, message), what.gap, what.latency, 0);
    }
    /// The path on which a message is with its receiver first, given what the ports of all nodes
    /// are taken by: a shortest path on which a hop costs the wait for its ports, too. A relay that
    /// is no sooner is not taken. O(P^2) looks at the calendar for P nodes.
    [[nodiscard]] std::vector<Calendar::Leg> quickest(const Calendar& calendar,
                                                      std::size_t message) const {
        const std::size_t nodes = problem_.nodes();
        const Message& what = problem_.messages[message];
        std::vector<double> held(nodes, never);
        std::vector<Calendar::Leg> last(nodes);
        std::vector<char> settled(nodes, 0);
        held[what.from] = 0;
        last[what.to] = straight(calendar, message);
        held[what.to] = last[what.to].end();
        while (true) {
            std::size_t next = what.to;
            for (std::size_t node = 0; node < nodes; ++node)
                if (settled[node] == 0 && held[node] < held[next]) next = node;
            if (next == what.to) break;
            settled[next] = 1;
            for (std::size_t node = 0; node < nodes; ++node) {
                if (settled[node] != 0 || !links_(next, node).exists()) continue;
                const auto cost = problem_.fabric->cost(next, node, what.bytes);
                const auto soonest = held[next] + cost.gap.value + cost.latency.value;
                if (soonest >= held[node] || soonest >= held[what.to]) continue;
                const auto leg = calendar.find({message, next, node}, cost.gap.value,
                                               cost.latency.value, held[next]);
                if (leg.end() >= held[node] || leg.end() >= held[what.to]) continue;
                held[node] = leg.end();
                last[node] = leg;
            }
        }
        std::vector<Calendar::Leg> path;
        for (std::size_t node = what.to; node != what.from; node = path.back().hop.from)
            path.push_back(last[node]);
        std::ranges::reverse(path);
        return path;
    }

private:
    const Problem& problem_;
    Matrix<plan::bounds::Link> links_;  ///< no path leads over one whose cost nobody knows
};

}  // namespace espalier::demands
