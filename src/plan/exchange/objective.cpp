#include "plan/exchange/objective.hpp"

#include "schedule/demands.hpp"
#include "simulate/simulate.hpp"
#include "simulate/use.hpp"

#include <algorithm>

namespace espalier::plan::exchange {

namespace {

/// The simulator's queueing, message by message in the order of a list.
class Queueing {
public:
    explicit Queueing(const Problem& problem)
        : problem_(problem), sends_(problem.nodes()), receives_(problem.nodes()) {
        for (auto* ports : {&sends_, &receives_})
            for (Port& port : *ports) port.free.assign(problem.ports, 0);
    }

    /// When the hop ends, if its sender holds the message from `held` on.
    double perform(const Hop& hop, double held) {
        const Message& message = problem_.messages[hop.message];
        double gap = message.gap;
        double latency = message.latency;
        if (hop != direct(problem_, hop.message)) {
            const auto cost = problem_.fabric->cost(hop.from, hop.to, message.bytes);
            gap = cost.gap.value;
            latency = cost.latency.value;
        }
        Port& out = sends_[hop.from];
        Port& in = receives_[hop.to];
        const auto sending = std::ranges::min_element(out.free);
        const auto receiving = std::ranges::min_element(in.free);
        const double start = std::max(
            {held, *sending, *receiving - latency, out.last_start, in.last_start - latency});
        *sending = start + gap;
        *receiving = start + gap + latency;
        out.last_start = start;
        in.last_start = std::max(in.last_start, start + latency);
        return start + gap + latency;
    }

private:
    struct Port {
        std::vector<double> free;
        double last_start = 0;
    };
    const Problem& problem_;
    std::vector<Port> sends_;
    std::vector<Port> receives_;
};

/// Where each message is, and since when.
struct Held {
    std::size_t node = 0;
    double since = 0;
};

std::vector<double> queued_ends(const Problem& problem, const Order& order) {
    Queueing queueing(problem);
    std::vector<double> ends(problem.messages.size(), 0);
    std::vector<std::vector<Held>> held(problem.messages.size());
    for (const Hop& hop : order) {
        double since = 0;
        auto& places = held[hop.message];
        for (const Held& place : places)
            if (place.node == hop.from) since = place.since;
        const double end = queueing.perform(hop, since);
        if (hop.to == problem.messages[hop.message].to)
            ends[hop.message] = end;
        else
            places.push_back({hop.to, end});
    }
    return ends;
}

std::vector<double> simulated_ends(const Problem& problem, const Order& order) {
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::alltoall;
    schedule.collective.nodes = problem.nodes();
    schedule.nodes.resize(problem.nodes());
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = problem.ports;
    schedule.reception = problem.reception;
    for (const Message& message : problem.messages)
        schedule.chunks.push_back({message.bytes, 1, message.from, message.to});
    for (const Hop& hop : order) schedule.transfers.push_back({hop.from, hop.to, hop.message});
    const auto timeline = simulate::simulate(schedule, *problem.fabric);
    std::vector<double> ends;
    for (const auto& arrival : schedule::arrivals(schedule, timeline))
        ends.push_back(arrival.value_or(Seconds(0)).value);
    return ends;
}

}  // namespace

std::vector<double> ends_of(const Problem& problem, const Order& order) {
    const bool queues = problem.reception.mode == schedule::Reception::Mode::serial &&
                        problem.fabric->ports().duplex == schedule::Ports::Duplex::full &&
                        !problem.shares();
    return queues ? queued_ends(problem, order) : simulated_ends(problem, order);
}

bool better(const Score& a, const Score& b) {
    using simulate::clearly_less;
    for (const auto field : {&Score::critical, &Score::missed, &Score::tardiness}) {
        if (clearly_less(a.*field, b.*field)) return true;
        if (clearly_less(b.*field, a.*field)) return false;
    }
    return clearly_less(a.makespan, b.makespan);
}

Score score_of(const Problem& problem, const std::vector<double>& ends) {
    Score score;
    for (std::size_t m = 0; m < ends.size(); ++m) {
        const Message& message = problem.messages[m];
        score.makespan = std::max(score.makespan, ends[m]);
        if (message.from == problem.critical || message.to == problem.critical)
            score.critical = std::max(score.critical, ends[m]);
        if (!schedule::is_late(ends[m], message.deadline)) continue;
        score.missed += message.priority;
        score.tardiness += message.priority * (ends[m] - message.deadline);
    }
    return score;
}

Score score_of(const Problem& problem, const schedule::Schedule& schedule,
               const schedule::Timeline& timeline) {
    std::vector<double> ends;
    for (const auto& arrival : schedule::arrivals(schedule, timeline))
        ends.push_back(arrival.value_or(Seconds(0)).value);
    return score_of(problem, ends);
}

}  // namespace espalier::plan::exchange
