#include "plan/composed/arrange.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace espalier::plan::composed {

namespace {

using schedule::Schedule;
using schedule::Transfer;

/// When a port of a node takes in what; there may be room before what was decided on earlier.
class Intake {
public:
    /// The earliest time from `from` on at which there is room for `length`.
    [[nodiscard]] double room(double from, double length) const {
        auto next = taken_.upper_bound(from);
        if (next != taken_.begin()) from = std::max(from, std::prev(next)->second);
        for (; next != taken_.end() && next->first < from + length; ++next)
            from = std::max(from, next->second);
        return from;
    }
    void take(double from, double length) { taken_[from] = from + length; }

private:
    std::map<double, double> taken_;
};

struct Times {
    double start = 0;
    double arrival = 0;
};

/// What each transfer waits for, as the listed order says: of each chunk that it carries, the
/// transfer that brought it to its sender.
struct Waiting {
    std::vector<std::vector<std::size_t>> followers;
    std::vector<std::size_t> needs;

    explicit Waiting(const Schedule& schedule)
        : followers(schedule.transfers.size()), needs(schedule.transfers.size(), 0) {
        std::unordered_map<std::size_t, std::size_t> brought;  // by node and chunk
        const std::size_t chunks = schedule.chunks.size();
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            const Transfer& transfer = schedule.transfers[t];
            for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
                const auto found = brought.find(transfer.from * chunks + c);
                if (found != brought.end()) followers[found->second].push_back(t);
                brought.emplace(transfer.to * chunks + c, t);
            }
        }
        for (auto& list : followers) {
            std::ranges::sort(list);
            list.erase(std::unique(list.begin(), list.end()), list.end());
            for (const std::size_t t : list) ++needs[t];
        }
    }
};

/// Times all transfers: of each sender and receiver in the listed order, else whatever starts
/// first.
class Greedy {
public:
    Greedy(const Schedule& schedule, const simulate::Fabric& fabric, const Waiting& waiting)
        : schedule_(schedule),
          fabric_(fabric),
          waiting_(waiting),
          needs_(waiting.needs),
          ready_(needs_.size(), 0),
          out_(schedule.nodes.size(), 0),
          in_(schedule.nodes.size()),
          shared_(fabric.capacities().size(), 0) {}

    std::vector<Times> run() {
        std::vector<Times> times(needs_.size());
        for (std::size_t t = 0; t < needs_.size(); ++t)
            if (needs_[t] == 0) enter(t);
        while (!queue_.empty()) {
            const auto [expected, t] = queue_.top();
            queue_.pop();
            const double start = start_of(t);
            if (start > expected) {
                queue_.push({start, t});
                continue;
            }
            times[t] = perform(t, start);
        }
        return times;
    }

private:
    [[nodiscard]] std::queue<std::size_t>& line_of(std::size_t t) {
        const Transfer& transfer = schedule_.transfers[t];
        return lines_[transfer.from * schedule_.nodes.size() + transfer.to];
    }
    void enter(std::size_t t) {
        auto& line = line_of(t);
        line.push(t);
        if (line.size() == 1) queue_.push({ready_[t], t});
    }

    [[nodiscard]] simulate::MessageCost cost(std::size_t t) const {
        const Transfer& transfer = schedule_.transfers[t];
        return fabric_.cost(transfer.from, transfer.to, schedule_.bytes_of(transfer));
    }
    [[nodiscard]] double start_of(std::size_t t) const {
        const Transfer& transfer = schedule_.transfers[t];
        const auto [gap, latency] = cost(t);
        double start = std::max(ready_[t], out_[transfer.from]);
        for (const std::uint32_t c : fabric_.draws(transfer.from, transfer.to))
            start = std::max(start, shared_[c]);
        return std::max(start,
                        in_[transfer.to].room(start + latency.value, gap.value) - latency.value);
    }
    Times perform(std::size_t t, double start) {
        const Transfer& transfer = schedule_.transfers[t];
        const auto [gap, latency] = cost(t);
        out_[transfer.from] = start + gap.value;
        in_[transfer.to].take(start + latency.value, gap.value);
        for (const std::uint32_t c : fabric_.draws(transfer.from, transfer.to))
            shared_[c] = start + static_cast<double>(schedule_.bytes_of(transfer).value) /
                                     fabric_.capacities()[c].limit;
        const double end = start + latency.value + gap.value;
        auto& line = line_of(t);
        line.pop();
        if (!line.empty()) queue_.push({ready_[line.front()], line.front()});
        for (const std::size_t next : waiting_.followers[t]) {
            ready_[next] = std::max(ready_[next], end);
            if (--needs_[next] == 0) enter(next);
        }
        return {start, start + latency.value};
    }

    const Schedule& schedule_;
    const simulate::Fabric& fabric_;
    const Waiting& waiting_;
    std::vector<std::size_t> needs_;
    std::vector<double> ready_;
    /// Of one sender and receiver those that could start, in the order in which they could; the
    /// first of each is in the queue.
    std::unordered_map<std::size_t, std::queue<std::size_t>> lines_;
    std::vector<double> out_;
    std::vector<Intake> in_;
    std::vector<double> shared_;
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// A list in which what is waited for comes first, each sender's transfers stand in the order of
/// their starts, and each receiver's in that of their arrivals unless that is impossible.
class Listing {
public:
    Listing(const Schedule& schedule, const Waiting& waiting, const std::vector<Times>& times)
        : waiting_(waiting),
          times_(times),
          hard_(waiting.needs),
          soft_(times.size(), 0),
          after_send_(times.size(), none),
          after_receipt_(times.size(), none) {
        std::vector<std::size_t> order(times.size());
        for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
        const auto chain = [&](auto key, auto port, std::vector<std::size_t>& after,
                               std::vector<std::size_t>& count) {
            std::ranges::stable_sort(order, {}, key);
            std::vector<std::size_t> last(schedule.nodes.size(), none);
            for (const std::size_t t : order) {
                std::size_t& before = last[port(t)];
                if (before != none) {
                    after[before] = t;
                    ++count[t];
                }
                before = t;
            }
        };
        chain([&](std::size_t t) { return times[t].start; },
              [&](std::size_t t) { return schedule.transfers[t].from; }, after_send_, hard_);
        chain([&](std::size_t t) { return times[t].arrival; },
              [&](std::size_t t) { return schedule.transfers[t].to; }, after_receipt_, soft_);
    }

    std::vector<std::size_t> run() {
        std::vector<std::size_t> list;
        std::vector<char> listed(times_.size(), 0);
        for (std::size_t t = 0; t < times_.size(); ++t) enter(t);
        while (list.size() < times_.size()) {
            Queue& queue = free_.empty() ? held_ : free_;
            assert(!queue.empty());
            const std::size_t t = queue.top().second;
            queue.pop();
            if (listed[t] != 0) continue;
            listed[t] = 1;
            list.push_back(t);
            for (const std::size_t next : waiting_.followers[t]) loosen(hard_, next);
            if (after_send_[t] != none) loosen(hard_, after_send_[t]);
            if (after_receipt_[t] != none) loosen(soft_, after_receipt_[t]);
        }
        return list;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    using Entry = std::pair<double, std::size_t>;
    using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

    void enter(std::size_t t) {
        if (hard_[t] == 0) (soft_[t] == 0 ? free_ : held_).push({times_[t].start, t});
    }
    void loosen(std::vector<std::size_t>& count, std::size_t t) {
        --count[t];
        enter(t);
    }

    const Waiting& waiting_;
    const std::vector<Times>& times_;
    std::vector<std::size_t> hard_;
    std::vector<std::size_t> soft_;
    std::vector<std::size_t> after_send_;
    std::vector<std::size_t> after_receipt_;
    Queue free_;
    Queue held_;  ///< they only wait for their turn at their receivers
};

}  // namespace

void arrange(Schedule& schedule, const simulate::Fabric& fabric) {
    const Waiting waiting(schedule);
    const auto times = Greedy(schedule, fabric, waiting).run();
    std::vector<Transfer> transfers;
    transfers.reserve(schedule.transfers.size());
    for (const std::size_t t : Listing(schedule, waiting, times).run())
        transfers.push_back(schedule.transfers[t]);
    schedule.transfers = std::move(transfers);
}

}  // namespace espalier::plan::composed
