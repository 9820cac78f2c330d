#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier::plan {

/// All nodes but one, in increasing order.
[[nodiscard]] inline std::vector<std::size_t> all_but(std::size_t one, std::size_t nodes) {
    std::vector<std::size_t> others;
    for (std::size_t node = 0; node < nodes; ++node)
        if (node != one) others.push_back(node);
    return others;
}

/// How many of its best neighbours a node remembers where rows of costs are long; by
/// bench/grid_scale.
inline constexpr std::size_t remembered = 16;

/// A tree as it grows from its root: who holds, who waits, and for each of those the edge of least
/// `key(from, to)` from one that holds; of equals the one from whom joined first.
///
/// A key must not fall as the tree grows. So what is known of one that waits is a lower bound until
/// it is settled, and few have to be: expected O(n^2) keys.
template <typename Key>
class Growth {
public:
    using Value = std::invoke_result_t<Key&, std::size_t, std::size_t>;

    /// `none` is the key where there is no such edge.
    Growth(std::size_t root, std::vector<std::size_t> waiting, Key key,
           Value none = Value(infinity))
        : waiting_(std::move(waiting)),
          none_(none),
          offers_(waiting_.empty() ? 0 : std::ranges::max(waiting_) + 1, Offer{0, none}),
          key_(std::move(key)) {
        hold(root);
    }

    /// In the order in which they were listed.
    [[nodiscard]] std::span<const std::size_t> waiting() const { return waiting_; }
    /// The key of the best edge to it: exact where settled, else a lower bound.
    [[nodiscard]] const Value& at_least(std::size_t to) const { return offers_[to].key; }
    /// An upper bound, where there is an edge.
    [[nodiscard]] Value at_most(std::size_t to) { return key_(offers_[to].from, to); }
    [[nodiscard]] std::size_t best_sender(std::size_t to) const { return offers_[to].from; }
    [[nodiscard]] bool is_reached(std::size_t to) const { return at_least(to) < none_; }

    void settle(std::size_t to) {
        if (at_most(to) == at_least(to)) return;
        offers_[to].key = none_;
        for (const std::size_t from : holding_) consider(from, to);
    }
    /// One that waits holds from now on, by its best edge.
    void join(std::size_t to) {
        waiting_.erase(std::ranges::find(waiting_, to));
        hold(to);
    }

private:
    struct Offer {
        std::size_t from = 0;
        Value key;
    };

    void consider(std::size_t from, std::size_t to) {
        const Value key = key_(from, to);
        if (key < offers_[to].key) offers_[to] = {from, key};
    }
    void hold(std::size_t node) {
        holding_.push_back(node);
        for (const std::size_t to : waiting_) consider(node, to);
    }

    std::vector<std::size_t> holding_;
    std::vector<std::size_t> waiting_;
    Value none_;
    std::vector<Offer> offers_;  ///< by node
    Key key_;
};

/// Grows a tree until it holds all that wait: `join(from, to)` for the edge of least key; of equals
/// the one to whom is listed first. false: nobody of those left can be reached.
template <typename Key, typename Join>
bool grow_tree(Growth<Key> growth, Join join) {
    while (!growth.waiting().empty()) {
        std::size_t best = growth.waiting().front();
        growth.settle(best);
        for (const std::size_t to : growth.waiting()) {
            if (growth.at_least(to) >= growth.at_least(best)) continue;
            growth.settle(to);
            if (growth.at_least(to) < growth.at_least(best)) best = to;
        }
        if (!growth.is_reached(best)) return false;
        join(growth.best_sender(best), best);
        growth.join(best);
    }
    return true;
}

}  // namespace espalier::plan
