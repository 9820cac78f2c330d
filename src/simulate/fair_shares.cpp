#include "simulate/fair_shares.hpp"

#include "simulate/slots.hpp"

#include <algorithm>
#include <functional>
#include <utility>

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
      weights_(capacities.size(), 0),
      levels_(capacities.size(), 0),
      holds_(capacities.size()),
      long_messages_(capacities.size(), 0),
      ports_(static_cast<double>(ports)),
      time_left_(nodes),
      received_(nodes, 0),
      receiver_holds_(nodes),
      waiting_(capacities.size()) {}

void FairShares::assign(std::vector<Flow>& flows) {
    const auto reset = [&](std::size_t c) {
        left_[c] = capacities_[c].carries(long_messages_[c]);
        users_[c] = 0;
        weights_[c] = 0;
    };
    const bool in_turns =
        ports_ == 0 && (waits_ > 0 || std::ranges::any_of(flows, [](const Flow& flow) {
                            return flow.turn.has_value();
                        }));
    if (in_turns) {
        for (std::size_t c = 0; c < left_.size(); ++c) reset(c);
        let_pass(flows);
    } else {
        for (const Flow& flow : flows)
            for (const auto c : flow.draws) reset(c);
    }
    open_.clear();
    used_.clear();
    for (Flow& flow : flows) {
        if (flow.turn) continue;
        flow.speed = 1;
        if (!is_bound(flow)) continue;
        open_.push_back(&flow);
        time_left_[flow.receiver] = ports_;
        received_[flow.receiver] = 0;
    }
    for (const Flow* flow : open_) {
        for (const auto c : flow->draws) {
            if (users_[c]++ == 0) used_.push_back(c);
            weights_[c] += flow->weight * use(*flow, c);
        }
        ++received_[flow->receiver];
    }
    while (!open_.empty()) settle_held();
    if (ports_ > 0) hand_out_rest(flows);
}

/// Each short message in its turn: those on their way, and the first of those that wait.
void FairShares::let_pass(std::vector<Flow>& flows) {
    const auto by_turn = std::stable_partition(
        flows.begin(), flows.end(), [](const Flow& flow) { return !flow.turn.has_value(); });
    passing_.assign(by_turn, flows.end());
    flows.erase(by_turn, flows.end());
    std::ranges::sort(passing_, {}, &Flow::turn);
    using Head = std::pair<Turn, std::size_t>;  // of which capacity
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto show = [&](std::size_t c) {
        if (!waiting_[c].empty() && left_[c] > 0) heads.emplace(*waiting_[c].top().turn, c);
    };
    for (std::size_t c = 0; c < waiting_.size(); ++c) show(c);
    auto next = passing_.begin();
    while (next != passing_.end() || !heads.empty()) {
        if (heads.empty() || (next != passing_.end() && *next->turn < heads.top().first)) {
            let_pass(*next++, flows);
            continue;
        }
        const std::size_t c = heads.top().second;
        heads.pop();
        if (left_[c] <= 0) continue;
        const Flow flow = waiting_[c].top();
        waiting_[c].pop();
        --waits_;
        let_pass(flow, flows);
        show(c);
    }
}

/// Lets a short message pass as fast as earlier ones leave room for; if they leave none, it waits.
void FairShares::let_pass(Flow flow, std::vector<Flow>& flows) {
    double rate = flow.bytes_per_second;
    std::optional<std::uint32_t> tightest;
    for (const auto c : flow.draws)
        if (left_[c] < rate * use(flow, c)) {
            rate = left_[c] / use(flow, c);
            tightest = c;
        }
    // What rounding leaves is nothing.
    if (tightest && rate <= 1e-9 * capacities_[*tightest].limit) {
        left_[*tightest] = 0;
        waiting_[*tightest].push(flow);
        ++waits_;
        return;
    }
    settle(flow, rate / flow.bytes_per_second);
    flows.push_back(flow);
}

bool FairShares::is_bound(const Flow& flow) const {
    return ports_ > 0 || (!flow.draws.empty() && flow.bytes_per_second > 0);
}

/// Settles the flows that are held back most of all, those that nothing holds back, and those of
/// every capacity, and every receiver, that holds back all of its flows more than anything else
/// does: whatever becomes of the others, these get no more.
void FairShares::settle_held() {
    for (const auto c : used_) {
        levels_[c] = left_[c] / weights_[c];
        holds_[c] = true;
    }
    highest_.clear();
    for (const Flow* flow : open_) {
        receiver_holds_[flow->receiver] = true;
        highest_.push_back(highest_level(*flow));
    }
    constexpr double rounding = 1 + 1e-12;
    const double least = std::ranges::min(highest_) * rounding;
    for (std::size_t f = 0; f < open_.size(); ++f) {
        const Flow& flow = *open_[f];
        const double highest = highest_[f] * rounding;
        for (const auto c : flow.draws)
            if (level(flow, c) > highest) holds_[c] = false;
        if (level_at_receiver(flow) > highest) receiver_holds_[flow.receiver] = false;
    }
    auto still_open = open_.begin();
    for (std::size_t f = 0; f < open_.size(); ++f) {
        Flow& flow = *open_[f];
        const double rate = flow.bytes_per_second;
        const bool alone = rate <= highest_[f] * flow.weight * rounding;
        if (!alone && highest_[f] > least && receiver_holds_[flow.receiver] == 0 &&
            std::ranges::none_of(flow.draws, [&](auto c) { return holds_[c] != 0; })) {
            *still_open++ = &flow;
            continue;
        }
        settle(flow, rate > 0 ? std::min(1.0, highest_[f] * flow.weight / rate) : time_share(flow));
        for (const auto c : flow.draws) {
            --users_[c];
            weights_[c] -= flow.weight * use(flow, c);
        }
        --received_[flow.receiver];
    }
    open_.erase(still_open, open_.end());
}

void FairShares::settle(Flow& flow, double speed) {
    flow.speed = speed;
    for (const auto c : flow.draws)
        left_[c] = std::max(0.0, left_[c] - speed * flow.bytes_per_second * use(flow, c));
    time_left_[flow.receiver] = std::max(0.0, time_left_[flow.receiver] - speed);
}

/// What a capacity leaves the flow, as a rate for its weight. The last one that draws on it has
/// all, whatever rounding leaves of the others' weights.
double FairShares::level(const Flow& flow, std::uint32_t c) const {
    return users_[c] == 1 ? left_[c] / (use(flow, c) * flow.weight) : levels_[c];
}

double FairShares::level_at_receiver(const Flow& flow) const {
    return flow.bytes_per_second * time_share(flow) / flow.weight;
}

double FairShares::highest_level(const Flow& flow) const {
    double highest = level_at_receiver(flow);
    for (const auto c : flow.draws) highest = std::min(highest, level(flow, c));
    return highest;
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
            if (flow.bytes_per_second > 0)
                more = std::min(more, left_[c] / (flow.bytes_per_second * use(flow, c)));
        // Not what rounding leaves.
        if (more <= 1e-9) continue;
        const double speed = flow.speed + more;
        settle(flow, more);
        flow.speed = speed;
    }
}

}  // namespace espalier::simulate
