#include "demands/objective.hpp"

#include "plan/exchange/queueing.hpp"
#include "schedule/demands.hpp"
#include "simulate/simulate.hpp"
#include "simulate/use.hpp"

#include <algorithm>

namespace espalier::demands {

namespace {

/// The node that holds a message, and since when.
struct Held {
    std::size_t node = 0;
    double since = 0;
};

std::vector<double> queued_ends(const Problem& problem, const Order& order) {
    exchange::Queueing queueing(problem);
    std::vector<double> ends(problem.messages.size(), 0);
    std::vector<std::vector<Held>> held(problem.messages.size());
    for (const Hop& hop : order) {
        const Message& message = problem.messages[hop.message];
        double gap = message.gap;
        double latency = message.latency;
        if (hop != direct(problem, hop.message)) {
            const auto cost = problem.fabric->cost(hop.from, hop.to, message.bytes);
            gap = cost.gap.value;
            latency = cost.latency.value;
        }
        double since = 0;
        auto& places = held[hop.message];
        for (const Held& place : places)
            if (place.node == hop.from) since = place.since;
        const double end = queueing.perform(hop.from, hop.to, gap, latency, since) + gap + latency;
        if (hop.to == message.to)
            ends[hop.message] = end;
        else
            places.push_back({hop.to, end});
    }
    return ends;
}

/// When each message, that is its chunk, reaches its receiver, in seconds.
std::vector<double> arrived(const schedule::Schedule& schedule,
                            const schedule::Timeline& timeline) {
    std::vector<double> ends;
    for (const auto& arrival : schedule::arrivals(schedule, timeline))
        ends.push_back(arrival.value_or(Seconds(0)).value);
    return ends;
}

std::vector<double> simulated_ends(const Problem& problem, const Order& order) {
    const auto schedule = make_schedule(problem, {.order = order});
    return arrived(schedule, simulate::simulate(schedule, *problem.fabric));
}

}  // namespace

bool only_queues(const Problem& problem) {
    return problem.reception.mode == schedule::Reception::Mode::serial &&
           exchange::only_queues(problem);
}

std::vector<double> ends_of(const Problem& problem, const Order& order) {
    return only_queues(problem) ? queued_ends(problem, order) : simulated_ends(problem, order);
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
        if (problem.is_critical(message)) score.critical = std::max(score.critical, ends[m]);
        const Due due = problem.due(m);
        if (!schedule::is_late(ends[m], due.deadline)) continue;
        score.missed += due.priority;
        score.tardiness += due.priority * (ends[m] - due.deadline);
    }
    return score;
}

Score score_of(const Problem& problem, const schedule::Schedule& schedule,
               const schedule::Timeline& timeline) {
    return score_of(problem, arrived(schedule, timeline));
}

}  // namespace espalier::demands
