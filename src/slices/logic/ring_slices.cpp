#include "slices/logic/ring_slices.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace espalier::slices {

std::vector<int> round_to_columns(std::span<const double> shares, int columns) {
    std::vector<int> counts;
    std::vector<double> remainders;
    int left = columns;
    for (const double share : shares) {
        const double exact = share * columns;
        // A share may exceed what is left by rounding alone.
        const int whole = std::clamp(static_cast<int>(std::floor(exact)), 0, left);
        counts.push_back(whole);
        remainders.push_back(exact - whole);
        left -= whole;
    }
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
    for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) ++counts[order[i]];
    return counts;
}

std::vector<int> RingSlices::displacements() const {
    std::vector<int> first(counts.size(), 0);
    std::partial_sum(counts.begin(), counts.end(), first.begin());
    for (std::size_t place = 0; place < counts.size(); ++place) first[place] -= counts[place];
    return first;
}

std::vector<int> RingSlices::counts_by_rank(int size) const {
    std::vector<int> by_rank(static_cast<std::size_t>(size), 0);
    for (std::size_t place = 0; place < ranks.size(); ++place)
        by_rank[static_cast<std::size_t>(ranks[place])] = counts[place];
    return by_rank;
}

std::vector<ColumnMove> moves_between(const RingSlices& before, const RingSlices& after) {
    std::vector<ColumnMove> moves;
    std::size_t from = 0;
    std::size_t to = 0;
    int from_left = before.counts.front();
    int to_left = after.counts.front();
    for (int first = 0;;) {
        const int count = std::min(from_left, to_left);
        moves.push_back({before.ranks[from], after.ranks[to], first, count});
        first += count;
        from_left -= count;
        to_left -= count;
        if (from_left == 0 && ++from < before.ranks.size()) from_left = before.counts[from];
        if (to_left == 0 && ++to < after.ranks.size()) to_left = after.counts[to];
        assert((from == before.ranks.size()) == (to == after.ranks.size()));
        if (from == before.ranks.size()) return moves;
    }
}

}  // namespace espalier::slices
