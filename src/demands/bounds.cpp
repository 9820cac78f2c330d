#include "demands/bounds.hpp"

#include "core/matrix.hpp"
#include "plan/bounds/links.hpp"
#include "plan/collective_bound.hpp"
#include "plan/exchange/bound.hpp"
#include "schedule/demands.hpp"
#include "simulate/shortest_paths.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>

namespace espalier::demands {

namespace {

using plan::bounds::Link;

/// The exchange of the critical node's messages alone.
exchange::Problem own_of(const Problem& problem) {
    exchange::Problem own = static_cast<const exchange::Problem&>(problem);
    std::erase_if(own.messages,
                  [&](const Message& message) { return !problem.is_critical(message); });
    return own;
}

/// The least time in which one port does all messages, one after the other: in the order of their
/// releases (for sending, the longest latency first, which is the same reversed in time).
double one_port(std::vector<Message> messages) {
    std::ranges::sort(messages, {}, &Message::latency);
    double time = 0;
    for (const Message& message : messages) time = std::max(time, message.latency) + message.gap;
    return time;
}

double critical_bound(const Problem& problem) {
    if (!problem.critical) return 0;
    exchange::Problem own = own_of(problem);
    const double bound = exchange_bound(own);
    if (problem.ports > 1) return bound;
    const auto received =
        std::partition(own.messages.begin(), own.messages.end(),
                       [&](const Message& message) { return message.from == problem.critical; });
    const double sending = one_port({own.messages.begin(), received});
    const bool in_turn = problem.reception.mode == schedule::Reception::Mode::serial;
    return std::max({bound, sending, in_turn ? one_port({received, own.messages.end()}) : 0});
}

double missed_bound(const Problem& problem) {
    if (!problem.has_deadlines()) return 0;
    const auto ports = static_cast<double>(problem.ports);
    std::vector<std::vector<DueJob>> sends(problem.nodes());
    std::vector<std::vector<DueJob>> receives(problem.nodes());
    // The first of a node's receives arrives no sooner than this.
    std::vector<double> first(problem.nodes(), never);
    for (const Message& message : problem.messages)
        first[message.to] = std::min(first[message.to], message.latency);
    double alone = 0;
    for (std::size_t m = 0; m < problem.messages.size(); ++m) {
        const Message& message = problem.messages[m];
        const auto [deadline, priority] = problem.due(m);
        if (deadline == never) continue;
        if (schedule::is_late(message.duration(), deadline)) {
            alone += priority;
            continue;
        }
        // k ports together do no more than one that is k times as fast.
        const double work = message.gap / ports;
        sends[message.from].push_back({work, deadline - message.latency, priority});
        receives[message.to].push_back({work, deadline - first[message.to], priority});
    }
    const auto late = [](const std::vector<std::vector<DueJob>>& jobs) {
        return std::transform_reduce(jobs.begin(), jobs.end(), 0.0, std::plus<>(), least_late);
    };
    return alone + std::max(late(sends), late(receives));
}

double bound_of_any(const exchange::Problem& problem) {
    Matrix<Bytes> sizes(problem.nodes(), problem.nodes());
    for (const Message& message : problem.messages) sizes(message.from, message.to) = message.bytes;
    schedule::Collective collective;
    collective.kind = schedule::Kind::alltoall;
    collective.nodes = problem.nodes();
    collective.sizes = std::make_shared<const Matrix<Bytes>>(std::move(sizes));
    return plan::collective_bound(*problem.fabric, collective, problem.ports).value;
}

/// The priority of messages that are late even with the network for themselves.
double missed_alone(const Problem& problem) {
    Bytes all;
    for (const Message& message : problem.messages) all += message.bytes;
    const Matrix<Link> links = plan::bounds::least_costs(*problem.fabric, all);
    const auto hop = [&](std::size_t u, std::size_t v) { return u == v ? 0 : links(u, v).hop(); };
    // Of several links, or several messages, none does better than one: a start-up more.
    const auto port_time = [&](double bytes, auto link_to) {
        double work = never;
        double latency = never;
        for (std::size_t other = 0; other < problem.nodes(); ++other) {
            work = std::min(work, link_to(other).work(bytes));
            latency = std::min(latency, link_to(other).latency);
        }
        return work / static_cast<double>(problem.ports) + latency;
    };
    std::vector<std::vector<double>> soonest(problem.nodes());  // the shortest message, by sender
    double missed = 0;
    for (std::size_t m = 0; m < problem.messages.size(); ++m) {
        const auto [deadline, priority] = problem.due(m);
        if (deadline == never) continue;
        const Message& message = problem.messages[m];
        auto& shortest = soonest[message.from];
        if (shortest.empty())
            shortest = simulate::shortest_paths(problem.nodes(), message.from, hop);
        const auto bytes = static_cast<double>(message.bytes.value);
        const double end =
            std::max({shortest[message.to],
                      port_time(bytes, [&](auto node) { return links(message.from, node); }),
                      port_time(bytes, [&](auto node) { return links(node, message.to); })});
        if (schedule::is_late(end, deadline)) missed += priority;
    }
    return missed;
}

}  // namespace

double least_late(std::vector<DueJob> jobs) {
    std::ranges::sort(jobs, {}, &DueJob::due);
    std::priority_queue<double> kept;
    double work = 0;
    std::size_t late = 0;
    for (const DueJob& job : jobs) {
        kept.push(job.work);
        work += job.work;
        if (!schedule::is_late(work, job.due)) continue;
        work -= kept.top();
        kept.pop();
        ++late;
    }
    std::ranges::sort(jobs, {}, &DueJob::priority);
    double least = 0;
    for (std::size_t job = 0; job < late; ++job) least += jobs[job].priority;
    return least;
}

Score direct_bounds(const Problem& problem) {
    return {critical_bound(problem), missed_bound(problem), 0, exchange_bound(problem)};
}

Score any_bounds(const Problem& problem) {
    if (problem.messages.empty()) return {};
    Score bounds;
    bounds.makespan = bound_of_any(problem);
    if (problem.critical) bounds.critical = bound_of_any(own_of(problem));
    if (problem.has_deadlines()) bounds.missed = missed_alone(problem);
    return bounds;
}

}  // namespace espalier::demands
