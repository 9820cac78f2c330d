#include "simulate/fair_shares.hpp"

#include "simulate/slots.hpp"

#include <algorithm>
#include <functional>

namespace espalier::simulate {

double next_finish(const std::vector<Flow>& flows, double now) {
    double next = never;
    for (const Flow& flow : flows) next = std::min(next, now + flow.remaining / flow.speed);
    return next;
}

void advance(std::vector<Flow>& flows, double now, double time) {
    for (Flow& flow : flows) {
        const double left = flow.remaining - (time - now) * flow.speed;
        flow.remaining = left <= 1e-12 * std::max(time, flow.remaining) ? 0 : left;
    }
}

FairShares::FairShares(std::span<const Capacity> capacities, std::size_t nodes, std::size_t ports)
    : capacities_(capacities),
      left_(capacities.size()),
      users_(capacities.size(), 0),
      ports_(static_cast<double>(ports)),
      time_left_(nodes),
      received_(nodes, 0) {}

void FairShares::assign(std::vector<Flow>& flows) {
    open_.clear();
    for (Flow& flow : flows) {
        flow.speed = 1;
        if (!is_bound(flow)) continue;
        open_.push_back(&flow);
        for (const auto c : flow.draws) {
            left_[c] = capacities_[c].limit;
            users_[c] = 0;
        }
        time_left_[flow.receiver] = ports_;
        received_[flow.receiver] = 0;
    }
    for (const Flow* flow : open_) {
        for (const auto c : flow->draws) ++users_[c];
        ++received_[flow->receiver];
    }
    while (!open_.empty()) settle_slowest();
    if (ports_ > 0) hand_out_rest(flows);
}

bool FairShares::is_bound(const Flow& flow) const {
    return ports_ > 0 || (!flow.draws.empty() && flow.bytes_per_second > 0);
}

/// All flows that the least rate holds back are settled; at least one is.
void FairShares::settle_slowest() {
    double least = never;
    for (const Flow* flow : open_) least = std::min(least, highest_rate(*flow));
    const double level = least * (1 + 1e-12);
    const auto held = [&](const Flow* flow) { return highest_rate(*flow) <= level; };
    const auto settled = std::stable_partition(open_.begin(), open_.end(), std::not_fn(held));
    for (auto flow = settled; flow != open_.end(); ++flow) {
        const bool moves = (*flow)->bytes_per_second > 0;
        settle(**flow,
               moves ? std::min(1.0, least / (*flow)->bytes_per_second) : time_share(**flow));
        for (const auto c : (*flow)->draws) --users_[c];
        --received_[(*flow)->receiver];
    }
    open_.erase(settled, open_.end());
}

void FairShares::settle(Flow& flow, double speed) {
    flow.speed = speed;
    for (const auto c : flow.draws)
        left_[c] = std::max(0.0, left_[c] - speed * flow.bytes_per_second);
    time_left_[flow.receiver] = std::max(0.0, time_left_[flow.receiver] - speed);
}

double FairShares::highest_rate(const Flow& flow) const {
    double rate = flow.bytes_per_second * time_share(flow);
    for (const auto c : flow.draws)
        rate = std::min(rate, left_[c] / static_cast<double>(users_[c]));
    return rate;
}

double FairShares::time_share(const Flow& flow) const {
    if (ports_ == 0) return 1;
    return std::min(1.0, time_left_[flow.receiver] / static_cast<double>(received_[flow.receiver]));
}

/// Capacities share bytes and receivers time, so that what is settled first can leave some of both.
void FairShares::hand_out_rest(std::vector<Flow>& flows) {
    for (Flow& flow : flows) {
        double more = std::min(1 - flow.speed, time_left_[flow.receiver]);
        for (const auto c : flow.draws)
            if (flow.bytes_per_second > 0) more = std::min(more, left_[c] / flow.bytes_per_second);
        // Not what rounding leaves.
        if (more <= 1e-9) continue;
        const double speed = flow.speed + more;
        settle(flow, more);
        flow.speed = speed;
    }
}

}  // namespace espalier::simulate
