#include "directory/both_ways.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

namespace espalier::directory {

namespace {

bool is_of_both_ways(const Value& value) {
    const auto& [from, to] = value.pair;
    const Pair back{to, from};
    return value.company.size() == 2 && from != to && value.quantity != Quantity::latency &&
           (value.company[0] == back || value.company[1] == back);
}

/// The quotient of the rate that the pair has alone and a value's rate.
double slowdown(const Value& value, const PairCosts& alone) {
    const auto rate = alone.rate(value.size);
    if (!rate || std::isinf(*rate) || value.value <= 0) return 1;
    if (value.quantity == Quantity::bandwidth) return *rate / value.value;
    return *rate * value.value / static_cast<double>(value.size->value);
}

}  // namespace

void find_traffic_both_ways(const std::vector<Value>& values, KnownCosts& known) {
    std::map<Pair, const Value*> best;
    for (const Value& value : values) {
        if (!is_of_both_ways(value)) continue;
        // Values come by increasing size.
        const Value*& chosen = best[value.pair];
        if (chosen == nullptr || chosen->newest <= value.newest) chosen = &value;
    }
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < known.nodes.size(); ++i) index.emplace(known.nodes[i], i);
    for (const auto& [pair, value] : best) {
        const auto from = index.find(pair.from);
        const auto to = index.find(pair.to);
        if (from == index.end() || to == index.end()) continue;
        const auto alone = known.pairs.find({from->second, to->second});
        if (alone == known.pairs.end() || !alone->second.has_rate()) continue;
        alone->second.both_ways = std::max(1.0, slowdown(*value, alone->second));
        known.count(*value);
    }
}

}  // namespace espalier::directory
