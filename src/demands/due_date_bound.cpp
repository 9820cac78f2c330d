#include "demands/due_date_bound.hpp"

#include "schedule/demands.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace espalier::demands {

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
    if (late == 0) return 0;
    std::ranges::nth_element(jobs, jobs.begin() + static_cast<std::ptrdiff_t>(late), {},
                             &DueJob::priority);
    return std::accumulate(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(late), 0.0,
                           [](double sum, const DueJob& job) { return sum + job.priority; });
}

double missed_bound(const Problem& problem) {
    if (!problem.has_deadlines()) return 0;
    const auto ports = static_cast<double>(problem.ports);
    std::vector<std::vector<DueJob>> sends(problem.nodes());
    std::vector<std::vector<DueJob>> receives(problem.nodes());
    // The first of a node's receives arrives no sooner than this.
    std::vector<double> first(problem.nodes(), std::numeric_limits<double>::infinity());
    for (const Message& message : problem.messages)
        first[message.to] = std::min(first[message.to], message.latency);
    double alone = 0;
    for (std::size_t m = 0; m < problem.messages.size(); ++m) {
        const Message& message = problem.messages[m];
        const auto [deadline, priority] = problem.due(m);
        if (deadline == std::numeric_limits<double>::infinity()) continue;
        if (schedule::is_late(message.duration(), deadline)) {
            alone += priority;
            continue;
        }
        // k ports together do no more than one that is k times as fast.
        const double work = message.gap / ports;
        sends[message.from].push_back({work, deadline - message.latency, priority});
        receives[message.to].push_back({work, deadline - first[message.to], priority});
    }
    double by_senders = 0;
    double by_receivers = 0;
    for (std::size_t node = 0; node < problem.nodes(); ++node) {
        by_senders += least_late(std::move(sends[node]));
        by_receivers += least_late(std::move(receives[node]));
    }
    return alone + std::max(by_senders, by_receivers);
}

}  // namespace espalier::demands
