#pragma once

#include "core/infinity.hpp"
#include "plan/grid/ports.hpp"
#include "plan/grid/problem.hpp"
#include "plan/grow.hpp"

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace espalier::plan::grid {

/// What LeastFirst does, for look-aheads that never fall while more than one receiver waits, from
/// the senders' side: whoever can make the least arrival + F_j goes next. The same orders, ties
/// included.
///
/// Neither a sender's ready time nor a look-ahead falls, so what is known of a sender's best choice
/// is a lower bound, and only the sender of the least one needs a look. It remembers the few
/// receivers that were best for it and how good any other can be; when the few are gone or have
/// fallen behind, it reads its row of costs again. Senders that want the same receiver at the same
/// value wait together: should another one serve it, they move on to the next one as a body, each
/// to be looked at in its turn. Expected O(n^2) with a constant of about one read of every cost.
template <typename LookAhead>
class Race {
public:
    Race(const Problem& problem, LookAhead look_ahead)
        : problem_(problem),
          look_ahead_(std::move(look_ahead)),
          ports_(problem.size(), problem.ports),
          waiting_(all_but(problem.root, problem.size())),
          waits_(problem.size(), 1),
          few_(problem.size()) {
        waits_[problem.root] = 0;
    }

    [[nodiscard]] Order run() {
        order_.reserve(waiting_.size());
        if (waiting_.size() > 1) enter(problem_.root);
        while (waiting_.size() > 1) {
            const Send next = choose();
            serve(next);
            if (waiting_.size() == 1) break;
            enter(next.from);
            enter(next.to);
        }
        if (!waiting_.empty()) serve(last());
        return std::move(order_);
    }

private:
    /// A receiver, and the least arrival + F_j that makes it; or less.
    struct Choice {
        double value = infinity;
        std::size_t receiver = std::numeric_limits<std::size_t>::max();
        friend auto operator<=>(const Choice&, const Choice&) = default;
    };
    struct Option {
        Choice choice;  ///< as it was when the row was read
        double cost = 0;
    };
    /// The best receivers of a sender, the best first.
    struct Few {
        std::vector<Option> options;
        Choice others;     ///< as good as any other could be
        double ready = 0;  ///< when the row was read
    };

    [[nodiscard]] double value(std::size_t sender, std::size_t receiver, double cost) const {
        return ports_.ready(sender) + cost + look_ahead_(receiver);
    }

    void enter(std::size_t sender) {
        auto& group = queue_[best_choice(sender)];
        group.push_back(sender);
        std::ranges::push_heap(group, std::greater{});
    }

    /// Exact.
    [[nodiscard]] Choice best_choice(std::size_t sender) {
        Few& mine = few_[sender];
        if (!mine.options.empty()) {
            // Sums of three are off by a few units in the last place.
            const double later = ports_.ready(sender) - mine.ready;
            const auto at_least = [&](double then) { return (then + later) * (1 - 1e-15); };
            const Choice best = best_of_few(sender, at_least);
            if (best.value < at_least(mine.others.value)) return best;
        }
        while (true) {
            read_row(sender);
            const Choice best = best_of_few(sender, [](double then) { return then; });
            if (best <= mine.others) return best;
        }
    }

    template <typename AtLeast>
    [[nodiscard]] Choice best_of_few(std::size_t sender, AtLeast at_least) {
        Choice best;
        for (const Option& option : few_[sender].options) {
            if (at_least(option.choice.value) > best.value) break;
            const std::size_t receiver = option.choice.receiver;
            if (waits_[receiver] == 0) continue;
            look_ahead_.settle(receiver, waiting_);
            best = std::min(best, {value(sender, receiver, option.cost), receiver});
        }
        return best;
    }

    void read_row(std::size_t sender) {
        Few& mine = few_[sender];
        auto& options = mine.options;
        options.clear();
        mine.others = {};
        mine.ready = ports_.ready(sender);
        const auto gap = problem_.gap.row(sender);
        const auto latency = problem_.latency.row(sender);
        for (const std::size_t j : waiting_) {
            const double cost = gap[j] + latency[j];
            const double value = mine.ready + cost + look_ahead_(j);
            if (value >= mine.others.value) continue;
            const Choice choice{value, j};
            if (options.size() == remembered) {
                mine.others = std::min(mine.others, std::max(options.back().choice, choice));
                if (choice > options.back().choice) continue;
                options.pop_back();
            }
            const auto place = std::ranges::upper_bound(options, choice, {}, &Option::choice);
            options.insert(place, {choice, cost});
        }
    }

    [[nodiscard]] Send choose() {
        while (true) {
            const auto first = queue_.begin();
            const Choice choice = first->first;
            if (waits_[choice.receiver] == 0) {
                pass_on(first);
                continue;
            }
            auto& group = first->second;
            std::ranges::pop_heap(group, std::greater{});
            const std::size_t sender = group.back();
            group.pop_back();
            if (group.empty()) queue_.erase(first);
            look_ahead_.settle(choice.receiver, waiting_);
            if (value(sender, choice.receiver, problem_.delivery(sender, choice.receiver)) ==
                choice.value)
                return {.from = sender, .to = choice.receiver};
            enter(sender);
        }
    }

    /// The receiver of a group is gone: at best they find the next one as good.
    void pass_on(typename std::map<Choice, std::vector<std::size_t>>::iterator group) {
        const auto next = std::ranges::upper_bound(waiting_, group->first.receiver);
        auto moving = std::move(group->second);
        const double value = group->first.value;
        queue_.erase(group);
        if (next == waiting_.end()) {
            for (const std::size_t sender : moving) enter(sender);
            return;
        }
        auto& there = queue_[{value, *next}];
        if (there.size() < moving.size()) std::swap(there, moving);
        for (const std::size_t sender : moving) {
            there.push_back(sender);
            std::ranges::push_heap(there, std::greater{});
        }
    }

    void serve(Send send) {
        ports_.serve(problem_, send);
        waits_[send.to] = 0;
        waiting_.erase(std::ranges::lower_bound(waiting_, send.to));
        order_.push_back(send);
        look_ahead_.moved(send.to, waiting_);
    }

    /// To the last receiver, from whom it holds the message first: a look-ahead has nothing to see.
    [[nodiscard]] Send last() const {
        Send best;
        double least = infinity;
        const std::size_t to = waiting_.front();
        for (std::size_t i = 0; i < problem_.size(); ++i) {
            if (i == to) continue;
            const double arrival = ports_.ready(i) + problem_.delivery(i, to);
            if (arrival >= least) continue;
            least = arrival;
            best = {.from = i, .to = to};
        }
        return best;
    }

    const Problem& problem_;
    LookAhead look_ahead_;
    SendPorts ports_;
    std::vector<std::size_t> waiting_;
    std::vector<char> waits_;
    std::vector<Few> few_;
    std::map<Choice, std::vector<std::size_t>> queue_;
    Order order_;
};

}  // namespace espalier::plan::grid
