#include "questions.hpp"

#include <algorithm>

namespace espalier::bench {

namespace {

/// The pairs of which there is something to ask.
std::vector<std::size_t> unknown(const Expectations& known, std::size_t nodes, Seconds now) {
    std::vector<std::size_t> pairs;
    for (std::size_t pair = 0; pair < nodes * nodes; ++pair)
        if (pair / nodes != pair % nodes && *known.measured(pair) < now) pairs.push_back(pair);
    return pairs;
}

}  // namespace

std::optional<std::size_t> worth_most(const Expectations& known, std::span<const Seconds> arrivals,
                                      Seconds now, Seconds sending) {
    const std::size_t nodes = arrivals.size();
    std::optional<std::size_t> best;
    double most = 0;
    for (const std::size_t pair : unknown(known, nodes, now)) {
        const Seconds limit = arrivals[pair % nodes] - arrivals[pair / nodes] - sending;
        const double worth = limit.value > 0 ? known.below(pair, now, limit.value) : 0.0;
        const bool longer_ago = best && *known.measured(pair) < *known.measured(*best);
        if (!best || worth > most || (worth == most && longer_ago)) {
            best = pair;
            most = worth;
        }
    }
    return best;
}

std::vector<std::size_t> by_age(const Expectations& known, std::size_t nodes, Seconds now) {
    std::vector<std::size_t> pairs = unknown(known, nodes, now);
    std::ranges::stable_sort(pairs, {}, [&](std::size_t pair) { return *known.measured(pair); });
    return pairs;
}

}  // namespace espalier::bench
