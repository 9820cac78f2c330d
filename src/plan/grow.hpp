#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::plan {

/// All nodes but one, in increasing order.
[[nodiscard]] inline std::vector<std::size_t> all_but(std::size_t one, std::size_t nodes) {
    std::vector<std::size_t> others;
    for (std::size_t node = 0; node < nodes; ++node)
        if (node != one) others.push_back(node);
    return others;
}

/// Grows a tree from its root until it holds all that wait: `join(from, to)` for the edge of least
/// `key(from, to)`; of equals the one to whom is listed first, from whom joined first. A key must
/// not fall as the tree grows, so that one out of date is a lower bound; infinity: no such edge.
/// false: nobody of those left can be reached. Expected O(n^2) keys.
///
/// For rules that read every cost once, among thousands of nodes, see grid::Frontier.
template <typename Key, typename Join>
bool grow_tree(std::size_t root, const std::vector<std::size_t>& waiting, Key key, Join join) {
    struct Offer {
        std::size_t to = 0;
        std::size_t from = 0;
        double key = infinity;

        void consider(std::size_t sender, double its_key) {
            if (its_key >= key) return;
            key = its_key;
            from = sender;
        }
    };
    std::vector<Offer> offers;
    for (const std::size_t to : waiting) offers.push_back({.to = to});
    std::vector<std::size_t> holding;
    const auto hold = [&](std::size_t node) {
        holding.push_back(node);
        for (Offer& offer : offers) offer.consider(node, key(node, offer.to));
    };
    const auto renew = [&](Offer& offer) {
        if (key(offer.from, offer.to) == offer.key) return;
        offer.key = infinity;
        for (const std::size_t from : holding) offer.consider(from, key(from, offer.to));
    };
    hold(root);
    while (!offers.empty()) {
        auto best = offers.end();
        for (auto offer = offers.begin(); offer != offers.end(); ++offer) {
            const double least = best == offers.end() ? infinity : best->key;
            if (offer->key >= least) continue;
            renew(*offer);
            if (offer->key < least) best = offer;
        }
        if (best == offers.end()) return false;
        const Offer chosen = *best;
        offers.erase(best);
        join(chosen.from, chosen.to);
        hold(chosen.to);
    }
    return true;
}

}  // namespace espalier::plan
