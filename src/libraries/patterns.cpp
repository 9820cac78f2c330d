#include "libraries/call.hpp"
#include "libraries/rounds.hpp"

#include <algorithm>
#include <bit>

namespace espalier::libraries {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// The bytes of so many of the parts into which all ranks divide an operand, or of their blocks.
Bytes parts(const Call& call, std::size_t count) {
    if (schedule::has_blocks(call.kind) || call.kind == Kind::alltoall) return call.bytes * count;
    return Bytes((call.bytes.value * count + call.ranks - 1) / call.ranks);
}

/// Of ranks that follow each other, by digits of this radix: the farthest child first.
Tree tree_of(std::size_t ranks, std::size_t radix) {
    Tree tree;
    std::size_t step = 1;
    while (step * radix < ranks) step *= radix;
    for (; step > 0; step /= radix)
        for (std::size_t parent = 0; parent < ranks; parent += step * radix)
            for (std::size_t digit = 1; digit < radix; ++digit)
                if (const std::size_t child = parent + digit * step; child < ranks)
                    tree.push_back({parent, child});
    return tree;
}

Tree star_of(std::size_t ranks) {
    Tree tree;
    for (std::size_t child = 1; child < ranks; ++child) tree.push_back({0, child});
    return tree;
}

/// Down the binomial tree, each rank gets what is for the ranks below it.
Rounds scattered(const Call& call) {
    Rounds rounds;
    for (std::size_t step = std::bit_ceil(call.ranks) / 2; step > 0; step /= 2) {
        Round& round = rounds.emplace_back();
        for (std::size_t place = step; place < call.ranks; place += 2 * step)
            round.push_back({place - step, place, parts(call, std::min(step, call.ranks - place))});
    }
    return rounds;
}

Rounds around(const Call& call) {
    Rounds rounds(call.ranks - 1);
    for (Round& round : rounds)
        for (std::size_t rank = 0; rank < call.ranks; ++rank)
            round.push_back({rank, (rank + 1) % call.ranks, parts(call, 1)});
    return rounds;
}

Rounds joined(const Call& call) {
    Rounds rounds;
    for (std::size_t step = 1; step < call.ranks; step *= 2) {
        Round& round = rounds.emplace_back();
        for (std::size_t rank = 0; rank < call.ranks; ++rank)
            round.push_back({rank, (rank + call.ranks - step) % call.ranks,
                             parts(call, std::min(step, call.ranks - step))});
    }
    return rounds;
}

/// The part of the whole that is left after so many halvings.
Bytes halved(const Call& call, std::size_t times) {
    const std::uint64_t whole = parts(call, call.ranks).value;
    return Bytes(std::max<std::uint64_t>(whole >> times, whole > 0 ? 1 : 0));
}

/// Pairs halve the vector, near partners first.
Rounds halving(const Call& call, const Pairs& pairs) {
    Rounds rounds;
    std::size_t times = 0;
    for (std::size_t distance = 1; distance < pairs.size(); distance *= 2)
        rounds.push_back(pairs.exchange(distance, halved(call, ++times)));
    return rounds;
}

Rounds between_all(const Call& call) {
    Rounds rounds;
    for (std::size_t step = 1; step < call.ranks; ++step) {
        Round& round = rounds.emplace_back();
        for (std::size_t rank = 0; rank < call.ranks; ++rank)
            round.push_back({rank, (rank + step) % call.ranks, call.bytes});
    }
    return rounds;
}

/// From the root to each; a gather's come back.
Rounds straight_rounds(const Call& call) {
    const Rounds rounds = down(star_of(call.ranks), call.bytes);
    return call.kind == Kind::gather ? reversed(rounds) : rounds;
}

Round merged(const Rounds& rounds) {
    Round all;
    for (const Round& round : rounds) all.insert(all.end(), round.begin(), round.end());
    return all;
}

}  // namespace

Schedule binomial_tree(const Call& call, Bytes segment) {
    return schedule_of(call, tree_of(call.ranks, 2), segment);
}

Schedule strided_binomial_tree(const Call& call, Bytes segment) {
    Tree tree;
    for (std::size_t step = 1; step < call.ranks; step *= 2)
        for (std::size_t parent = 0; parent < step && parent + step < call.ranks; ++parent)
            tree.push_back({parent, parent + step});
    return schedule_of(call, tree, segment);
}

Schedule four_nomial_tree(const Call& call, Bytes segment) {
    return schedule_of(call, tree_of(call.ranks, 4), segment);
}

Schedule binary_tree(const Call& call, Bytes segment) {
    Tree tree;
    for (std::size_t parent = 0; parent < call.ranks; ++parent) {
        const std::size_t level = std::bit_floor(parent + 1);
        for (const std::size_t child : {parent + level, parent + 2 * level})
            if (child < call.ranks) tree.push_back({parent, child});
    }
    return schedule_of(call, tree, segment);
}

Schedule chain(const Call& call, Bytes segment) {
    Tree tree;
    for (std::size_t child = 1; child < call.ranks; ++child) tree.push_back({child - 1, child});
    return schedule_of(call, tree, segment);
}

Schedule two_chains(const Call& call, Bytes segment) {
    Tree tree;
    const std::size_t second = 1 + call.ranks / 2;
    for (std::size_t child = 1; child < call.ranks; ++child)
        tree.push_back({child == second ? 0 : child - 1, child});
    return schedule_of(call, tree, segment);
}

Schedule star(const Call& call, Bytes segment) {
    return schedule_of(call, star_of(call.ranks), segment);
}

Schedule scatter_doubling(const Call& call, Bytes) {
    return schedule_of(call, scattered(call) + joined(call));
}

Schedule scatter_ring(const Call& call, Bytes) {
    return schedule_of(call, scattered(call) + around(call));
}

Schedule halving_gather(const Call& call, Bytes) {
    const Pairs pairs(call.ranks);
    Rounds gathered;
    std::size_t times = static_cast<std::size_t>(std::bit_width(pairs.size())) - 1;
    for (std::size_t distance = pairs.size() / 2; distance > 0; distance /= 2, --times) {
        Round& round = gathered.emplace_back();
        for (std::size_t i = distance; i < 2 * distance; ++i)
            round.push_back({pairs.rank(i), pairs.rank(i - distance), halved(call, times)});
    }
    // Of the ranks that became one, the root may be the one that handed over.
    if (pairs.rank(0) != 0) gathered.push_back({{pairs.rank(0), 0, call.bytes}});
    return schedule_of(call, pairs.fold(call.bytes) + halving(call, pairs) + gathered);
}

Schedule halving_doubling(const Call& call, Bytes) {
    const Pairs pairs(call.ranks);
    const Rounds there = halving(call, pairs);
    return schedule_of(
        call, pairs.fold(call.bytes) + there + reversed(there) + reversed(pairs.fold(call.bytes)));
}

Schedule recursive_doubling(const Call& call, Bytes) {
    const Pairs pairs(call.ranks);
    Rounds rounds = pairs.fold(call.bytes);
    for (std::size_t distance = 1; distance < pairs.size(); distance *= 2)
        rounds.push_back(pairs.exchange(distance, call.bytes));
    return schedule_of(call, rounds + reversed(pairs.fold(call.bytes)));
}

Schedule star_and_back(const Call& call, Bytes) {
    const Rounds back = down(star_of(call.ranks), call.bytes);
    return schedule_of(call, reversed(back) + back);
}

Schedule binomial_and_back(const Call& call, Bytes) {
    const Rounds back = down(tree_of(call.ranks, 2), call.bytes);
    return schedule_of(call, reversed(back) + back);
}

Schedule ring(const Call& call, Bytes) {
    const Rounds once = around(call);
    return schedule_of(call, call.kind == Kind::allreduce ? once + once : once);
}

Schedule bruck(const Call& call, Bytes) {
    if (call.kind != Kind::alltoall) return schedule_of(call, joined(call));
    Rounds rounds;
    for (std::size_t step = 1; step < call.ranks; step *= 2) {
        std::size_t blocks = 0;
        for (std::size_t way = 1; way < call.ranks; ++way) blocks += (way & step) != 0 ? 1 : 0;
        Round& round = rounds.emplace_back();
        for (std::size_t rank = 0; rank < call.ranks; ++rank)
            round.push_back({rank, (rank + step) % call.ranks, call.bytes * blocks});
    }
    return schedule_of(call, rounds);
}

Schedule pairs_doubling(const Call& call, Bytes segment) {
    if (!std::has_single_bit(call.ranks)) return bruck(call, segment);
    const Pairs pairs(call.ranks);
    Rounds rounds;
    for (std::size_t distance = 1; distance < call.ranks; distance *= 2)
        rounds.push_back(pairs.exchange(distance, parts(call, distance)));
    return schedule_of(call, rounds);
}

Schedule neighbour_exchange(const Call& call, Bytes segment) {
    if (call.ranks % 2 != 0) return ring(call, segment);
    Rounds rounds;
    for (std::size_t step = 0; step < call.ranks / 2; ++step) {
        Round& round = rounds.emplace_back();
        for (std::size_t rank = 0; rank < call.ranks; ++rank) {
            const bool up = (rank + step) % 2 == 0;
            round.push_back({rank, (rank + (up ? 1 : call.ranks - 1)) % call.ranks,
                             parts(call, step == 0 ? 1 : 2)});
        }
    }
    return schedule_of(call, rounds);
}

Schedule at_once(const Call& call, Bytes) {
    return schedule_of(call, Rounds{merged(between_all(call))}, call.ranks - 1);
}

Schedule pairwise(const Call& call, Bytes) { return schedule_of(call, between_all(call)); }

Schedule far_halving(const Call& call, Bytes) {
    const Pairs pairs(call.ranks);
    Rounds rounds = pairs.fold(parts(call, call.ranks));
    std::size_t times = 0;
    for (std::size_t distance = pairs.size() / 2; distance > 0; distance /= 2)
        rounds.push_back(pairs.exchange(distance, halved(call, ++times)));
    return schedule_of(call, rounds + reversed(pairs.fold(call.bytes)));
}

Schedule reduce_and_scatter(const Call& call, Bytes) {
    const Rounds whole = down(tree_of(call.ranks, 2), parts(call, call.ranks));
    return schedule_of(call, reversed(whole) + scattered(call));
}

Schedule scan_chain(const Call& call, Bytes) {
    Rounds rounds;
    for (std::size_t rank = 1; rank < call.ranks; ++rank)
        rounds.push_back({{rank - 1, rank, call.bytes}});
    return schedule_of(call, rounds);
}

Schedule scan_doubling(const Call& call, Bytes) {
    Rounds rounds;
    for (std::size_t step = 1; step < call.ranks; step *= 2) {
        Round& round = rounds.emplace_back();
        for (std::size_t rank = step; rank < call.ranks; ++rank)
            round.push_back({rank - step, rank, call.bytes});
    }
    return schedule_of(call, rounds);
}

Schedule binomial_blocks(const Call& call, Bytes) {
    const Rounds rounds = scattered(call);
    return schedule_of(call, call.kind == Kind::gather ? reversed(rounds) : rounds);
}

Schedule straight(const Call& call, Bytes) { return schedule_of(call, straight_rounds(call)); }

Schedule straight_at_once(const Call& call, Bytes) {
    return schedule_of(call, Rounds{merged(straight_rounds(call))}, call.ranks - 1);
}

}  // namespace espalier::libraries
