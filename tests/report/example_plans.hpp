#pragma once

#include "schedule/timeline.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace espalier::report::test {

/// Builds plans with times of its own making, so that a picture can be compared with them.
struct PlanBuilder {
    schedule::Plan plan;

    PlanBuilder(schedule::Kind kind, std::vector<std::string> names, Bytes bytes) {
        plan.schedule.collective = {.kind = kind, .nodes = names.size(), .root = 0, .bytes = bytes};
        plan.schedule.nodes = std::move(names);
        plan.schedule.chunks.resize(1);
        plan.schedule.chunks.front().bytes = bytes;
        plan.schedule.algorithm = "ecef";
    }
    PlanBuilder& send(std::size_t from, std::size_t to, double start, double gap, double latency,
                      std::size_t segments = 1) {
        schedule::Transfer transfer;
        transfer.from = from;
        transfer.to = to;
        transfer.segments = segments;
        plan.schedule.transfers.push_back(transfer);
        plan.timeline.transfers.push_back({Seconds(start), Seconds(start + gap),
                                           Seconds(start + latency),
                                           Seconds(start + latency + gap)});
        finish_at(start + latency + gap);
        return *this;
    }
    PlanBuilder& local(std::size_t node, std::string strategy, double start, double end) {
        schedule::LocalPart part;
        part.node = node;
        part.strategy = std::move(strategy);
        part.duration = Seconds(end - start);
        plan.schedule.local.push_back(part);
        plan.timeline.local.push_back({Seconds(start), Seconds(end)});
        finish_at(end);
        return *this;
    }
    PlanBuilder& bound(double seconds) {
        plan.lower_bound = Seconds(seconds);
        return *this;
    }

private:
    void finish_at(double time) {
        plan.timeline.makespan = std::max(plan.timeline.makespan, Seconds(time));
    }
};

inline std::vector<std::string> numbered(const std::string& prefix, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
    return names;
}

/// Whoever is ready first sends next, to the node after the last served: a binomial tree where the
/// costs are equal. Costs vary with the receiver, so that no two sends look alike.
inline schedule::Plan tree_plan(std::vector<std::string> names, double gap, double latency) {
    const std::size_t nodes = names.size();
    PlanBuilder builder(schedule::Kind::broadcast, std::move(names), Bytes(1 << 20));
    std::vector<double> ready{0};
    for (std::size_t to = 1; to < nodes; ++to) {
        const auto sender = std::ranges::min_element(ready);
        const double cost = gap * (1 + 0.3 * static_cast<double>(to % 5));
        builder.send(static_cast<std::size_t>(sender - ready.begin()), to, *sender, cost, latency);
        const double delivered = *sender + cost + latency;
        *sender += cost;
        ready.push_back(delivered);
    }
    builder.bound(builder.plan.timeline.makespan.value * 0.8);
    return builder.plan;
}

}  // namespace espalier::report::test
