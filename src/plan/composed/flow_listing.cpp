#include "plan/composed/flow_listing.hpp"

#include "plan/composed/precedence.hpp"
#include "simulate/fair_shares.hpp"
#include "simulate/slots.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

class FlowListing {
public:
    FlowListing(schedule::Schedule& schedule, const simulate::Fabric& fabric)
        : schedule_(schedule),
          fabric_(fabric),
          precedence_(schedule),
          shares_(fabric.capacities(), schedule.nodes.size(), schedule.ports.count),
          waiting_(schedule.nodes.size()),
          sending_(schedule.nodes.size(), 0),
          under_way_(schedule.nodes.size() * schedule.nodes.size(), 0) {}

    double run() {
        const std::size_t count = schedule_.transfers.size();
        listed_.reserve(count);
        for (std::size_t t = 0; t < count; ++t) waits_.push_back(precedence_.waits(t));
        data_waits_.assign(count, 0);
        for (std::size_t t = 0; t < count; ++t)
            for (const auto& follower : precedence_.followers(t))
                if (follower.needs_data) ++data_waits_[follower.transfer];
        for (std::size_t t = 0; t < count; ++t)
            if (waits_[t] == 0) admit(t);
        std::ranges::sort(able_);  // those that begin together, as they are numbered
        start();
        while (!flows_.empty() || !arrivals_.empty()) {
            if (unfair_) shares_.assign(flows_);
            unfair_ = false;
            const double next = std::min(simulate::next_finish(flows_, now_),
                                         arrivals_.empty() ? never : arrivals_.top().first);
            simulate::advance(flows_, now_, next);
            now_ = next;
            finish();
            for (; !arrivals_.empty() && arrivals_.top().first <= now_; arrivals_.pop())
                release(arrivals_.top().second, true);
            start();
        }
        assert(listed_.size() == count);
        schedule_.transfers = std::move(listed_);
        return now_;
    }

private:
    using Arrival = std::pair<double, std::size_t>;

    void admit(std::size_t t) {
        if (waits_[t] > 0 || data_waits_[t] > 0) return;
        const schedule::Transfer& transfer = schedule_.transfers[t];
        waiting_[transfer.from].emplace(transfer.chunk, t);
        able_.push_back(transfer.from);
    }

    /// Those that only come after it in the list may begin when it has; the others have its data
    /// when it is over.
    void release(std::size_t t, bool is_over) {
        for (const auto& follower : precedence_.followers(t)) {
            if (is_over != follower.needs_data) continue;
            --waits_[follower.transfer];
            if (is_over) --data_waits_[follower.transfer];
            admit(follower.transfer);
        }
    }

    /// Starting one may allow others to start, at other nodes, too.
    void start() {
        for (std::size_t next = 0; next < able_.size(); ++next) start_from(able_[next]);
        able_.clear();
    }

    void start_from(std::size_t node) {
        auto& waiting = waiting_[node];
        while (sending_[node] < schedule_.ports.count && !waiting.empty()) {
            const auto pair = [&](std::size_t t) {
                return node * sending_.size() + schedule_.transfers[t].to;
            };
            auto chosen = waiting.begin();
            for (auto other = waiting.begin(); other != waiting.end(); ++other)
                if (under_way_[pair(other->second)] < under_way_[pair(chosen->second)]) {
                    chosen = other;
                    if (under_way_[pair(chosen->second)] == 0) break;
                }
            const std::size_t t = chosen->second;
            waiting.erase(chosen);
            start(t);
            ++sending_[node];
            ++under_way_[pair(t)];
        }
    }

    void start(std::size_t t) {
        const auto& transfer = schedule_.transfers[t];
        const Bytes bytes = schedule_.bytes_of(transfer);
        const auto cost = fabric_.cost(transfer.from, transfer.to, bytes);
        const double gap = cost.gap.value;
        flows_.push_back({{t, 0},
                          transfer.to,
                          gap,
                          cost.latency.value,
                          gap > 0 ? static_cast<double>(bytes.value) / gap : 0,
                          1,
                          false,
                          fabric_.draws(transfer.from, transfer.to)});
        listed_.push_back(transfer);
        unfair_ = true;
        release(t, false);
    }

    void finish() {
        for (std::size_t f = 0; f < flows_.size();) {
            if (flows_[f].remaining > 0) {
                ++f;
                continue;
            }
            const std::size_t t = flows_[f].message.transfer;
            const auto& transfer = schedule_.transfers[t];
            arrivals_.emplace(now_ + flows_[f].latency, t);
            flows_[f] = flows_.back();
            flows_.pop_back();
            unfair_ = true;
            --sending_[transfer.from];
            --under_way_[transfer.from * sending_.size() + transfer.to];
            able_.push_back(transfer.from);
        }
    }

    schedule::Schedule& schedule_;
    const simulate::Fabric& fabric_;
    Precedence precedence_;
    simulate::FairShares shares_;
    std::vector<std::set<std::pair<std::size_t, std::size_t>>> waiting_;  ///< by sender
    std::vector<std::size_t> sending_;
    std::vector<std::size_t> under_way_;  ///< by pair
    std::vector<std::size_t> waits_;
    std::vector<std::size_t> data_waits_;
    std::vector<simulate::Flow> flows_;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::vector<schedule::Transfer> listed_;
    std::vector<std::size_t> able_;  ///< nodes that may have something to start
    bool unfair_ = false;
    double now_ = 0;
};

}  // namespace

double list_as_they_flow(schedule::Schedule& schedule, const simulate::Fabric& fabric) {
    assert(schedule.barriers.empty());
    schedule.reception.mode = schedule::Reception::Mode::interleaved;
    return FlowListing(schedule, fabric).run();
}

}  // namespace espalier::plan::composed
