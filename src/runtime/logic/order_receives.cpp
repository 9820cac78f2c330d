#include "runtime/logic/order_receives.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <stdexcept>

namespace espalier::runtime {

namespace {

bool is_in_order(const RankGraph& graph) {
    // What has to be over before a send: of receives, all before this number.
    std::vector<std::size_t> before;
    std::size_t most = 0;
    for (const auto& needs : graph.needs_of_send) {
        if (!needs.empty()) most = std::max(most, needs.back() + 1);
        before.push_back(most);
    }
    for (std::size_t r = 0; r < graph.earlier.size(); ++r) {
        if (!graph.earlier[r].empty() && graph.earlier[r].back() >= r) return false;
        if (const auto& sends = graph.needs_of_receive[r];
            !sends.empty() && before[sends.back()] > r)
            return false;
    }
    return true;
}

/// Sends in their order and receives in an order of their own, nothing before what it waits for.
class Sorter {
public:
    explicit Sorter(const RankGraph& graph)
        : sends_(graph.needs_of_send.size()),
          waits_(sends_ + graph.earlier.size(), 0),
          followers_(waits_.size()) {
        for (std::size_t s = 0; s < sends_; ++s) {
            if (s > 0) add(s - 1, s);
            for (const std::size_t r : graph.needs_of_send[s]) add(sends_ + r, s);
        }
        std::map<std::size_t, std::size_t> last_from;
        for (std::size_t r = 0; r < graph.earlier.size(); ++r) {
            for (const std::size_t s : graph.needs_of_receive[r]) add(s, sends_ + r);
            for (const std::size_t e : graph.earlier[r]) add(sends_ + e, sends_ + r);
            const auto [last, is_first] = last_from.try_emplace(graph.senders[r], r);
            if (!is_first) add(sends_ + last->second, sends_ + r);
            last->second = r;
        }
        steps_ = &graph.steps;
    }

    std::vector<std::size_t> sort() {
        for (std::size_t node = 0; node < waits_.size(); ++node)
            if (waits_[node] == 0) release(node);
        std::vector<std::size_t> order;
        while (!ready_.empty()) {
            const std::size_t receive = ready_.top().second;
            ready_.pop();
            order.push_back(receive);
            pass(sends_ + receive);
        }
        if (order.size() != waits_.size() - sends_ || passed_ != waits_.size())
            throw std::invalid_argument("a rank would wait for itself, the way messages are cut");
        return order;
    }

private:
    void add(std::size_t before, std::size_t after) {
        followers_[before].push_back(after);
        ++waits_[after];
    }
    /// Sends pass as soon as they may; of receives the first is taken.
    void release(std::size_t node) {
        if (node < sends_)
            pass(node);
        else
            ready_.emplace((*steps_)[node - sends_], node - sends_);
    }
    void pass(std::size_t node) {
        std::vector<std::size_t> passing{node};
        while (!passing.empty()) {
            const std::size_t next = passing.back();
            passing.pop_back();
            ++passed_;
            for (const std::size_t follower : followers_[next]) {
                if (--waits_[follower] > 0) continue;
                if (follower < sends_)
                    passing.push_back(follower);
                else
                    release(follower);
            }
        }
    }

    using Entry = std::pair<std::size_t, std::size_t>;  ///< step, receive
    std::size_t sends_;
    std::vector<std::size_t> waits_;
    std::vector<std::vector<std::size_t>> followers_;
    const std::vector<std::size_t>* steps_ = nullptr;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
    std::size_t passed_ = 0;
};

void renumber(std::vector<std::vector<std::size_t>>& lists, const std::vector<std::size_t>& to) {
    for (std::vector<std::size_t>& list : lists) {
        for (std::size_t& number : list) number = to[number];
        std::ranges::sort(list);
    }
}

template <typename Value>
void rearrange(std::vector<Value>& values, const std::vector<std::size_t>& order) {
    std::vector<Value> moved;
    moved.reserve(values.size());
    for (const std::size_t old : order) moved.push_back(std::move(values[old]));
    values = std::move(moved);
}

}  // namespace

std::vector<std::size_t> order_receives(RankGraph& graph) {
    if (is_in_order(graph)) return {};
    std::vector<std::size_t> order = Sorter(graph).sort();
    std::vector<std::size_t> number(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) number[order[place]] = place;
    renumber(graph.needs_of_send, number);
    renumber(graph.earlier, number);
    rearrange(graph.earlier, order);
    rearrange(graph.needs_of_receive, order);
    rearrange(graph.senders, order);
    rearrange(graph.steps, order);
    return order;
}

}  // namespace espalier::runtime
