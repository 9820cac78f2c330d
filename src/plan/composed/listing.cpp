#include "plan/composed/listing.hpp"

#include "plan/composed/bookings.hpp"
#include "plan/composed/precedence.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

class Listing {
public:
    Listing(schedule::Schedule& schedule, const simulate::Fabric& fabric)
        : schedule_(schedule), order_(schedule), bookings_(fabric, schedule.ports.count) {}

    double run() {
        const std::size_t count = schedule_.transfers.size();
        ready_.resize(count, 0);
        find_pairs();
        for (std::size_t t = 0; t < count; ++t) waits_.push_back(order_.waits(t));
        for (std::size_t t = 0; t < count; ++t)
            if (waits_[t] == 0) admit(t);
        std::vector<schedule::Transfer> listed;
        listed.reserve(count);
        double over = 0;
        while (!startable_.empty()) {
            const Key key = startable_.top();
            startable_.pop();
            auto& waiting = pairs_[key.pair];
            if (waiting.empty() || waiting.top().second != key.transfer) continue;
            // A port may have been taken since; what can start now comes first.
            if (const double start = look(key.transfer).start; start > key.start) {
                startable_.push({start, key.transfer, key.pair});
                continue;
            }
            waiting.pop();
            const schedule::Transfer& transfer = schedule_.transfers[key.transfer];
            const auto message = bookings_.book(transfer.from, transfer.to,
                                                schedule_.bytes_of(transfer), ready_[key.transfer]);
            listed.push_back(transfer);
            over = std::max(over, message.end);
            offer(key.pair);
            release(key.transfer, message.end);
        }
        assert(listed.size() == count);
        schedule_.transfers = std::move(listed);
        return over;
    }

private:
    struct Key {
        double start = 0;
        std::size_t transfer = 0;
        std::size_t pair = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    template <typename Entry>
    using Soonest = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

    void find_pairs() {
        std::unordered_map<std::size_t, std::size_t> numbers;
        for (const auto& transfer : schedule_.transfers) {
            const std::size_t ends = transfer.from * schedule_.nodes.size() + transfer.to;
            pair_of_.push_back(numbers.emplace(ends, numbers.size()).first->second);
        }
        pairs_.resize(numbers.size());
    }

    /// Of what waits between the same two ranks, only what was ready first is looked at.
    void admit(std::size_t t) {
        auto& waiting = pairs_[pair_of_[t]];
        waiting.emplace(ready_[t], t);
        if (waiting.top().second == t) offer(pair_of_[t]);
    }

    void offer(std::size_t pair) {
        if (pairs_[pair].empty()) return;
        const std::size_t t = pairs_[pair].top().second;
        startable_.push({look(t).start, t, pair});
    }

    [[nodiscard]] Bookings::Message look(std::size_t t) const {
        const auto& transfer = schedule_.transfers[t];
        return bookings_.look(transfer.from, transfer.to, schedule_.bytes_of(transfer), ready_[t]);
    }

    void release(std::size_t t, double end) {
        for (const auto& follower : order_.followers(t)) {
            double& ready = ready_[follower.transfer];
            if (follower.needs_data) ready = std::max(ready, end);
            if (--waits_[follower.transfer] == 0) admit(follower.transfer);
        }
    }

    schedule::Schedule& schedule_;
    Precedence order_;
    Bookings bookings_;
    std::vector<std::size_t> waits_;
    std::vector<double> ready_;
    std::vector<std::size_t> pair_of_;
    std::vector<Soonest<std::pair<double, std::size_t>>> pairs_;
    Soonest<Key> startable_;
};

}  // namespace

double list_greedily(schedule::Schedule& schedule, const simulate::Fabric& fabric) {
    assert(schedule.barriers.empty());
    return Listing(schedule, fabric).run();
}

}  // namespace espalier::plan::composed
