#include "directory/known_costs.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace espalier::directory {

namespace {

using network::CostTable;
using Values = std::vector<const Value*>;

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// Takes the digits from the front of a name, without leading zeros.
std::string_view take_number(std::string_view& name) {
    std::size_t length = 0;
    while (length < name.size() && is_digit(name[length])) ++length;
    std::string_view number = name.substr(0, length);
    name.remove_prefix(length);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

/// n2 before n10.
bool comes_before(const std::string& a, const std::string& b) {
    std::string_view left = a;
    std::string_view right = b;
    while (!left.empty() && !right.empty()) {
        if (is_digit(left.front()) && is_digit(right.front())) {
            const auto x = take_number(left);
            const auto y = take_number(right);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        } else {
            if (left.front() != right.front()) return left.front() < right.front();
            left.remove_prefix(1);
            right.remove_prefix(1);
        }
    }
    if (left.empty() != right.empty()) return left.empty();
    return a < b;
}

std::vector<std::string> list_nodes(const std::vector<Value>& values,
                                    const std::vector<std::string>& order) {
    std::set<std::string> present;
    for (const Value& value : values) {
        if (!value.company.empty()) continue;
        for (const auto* name : {&value.pair.from, &value.pair.to})
            if (!name->empty()) present.insert(*name);
    }
    std::vector<std::string> nodes;
    for (const std::string& name : order)
        if (present.erase(name) > 0) nodes.push_back(name);
    std::vector<std::string> others(present.begin(), present.end());
    std::sort(others.begin(), others.end(), comes_before);
    nodes.insert(nodes.end(), others.begin(), others.end());
    return nodes;
}

/// The range of message sizes that one measurement covers.
struct Range {
    Bytes least;
    Bytes most;
    [[nodiscard]] bool covers(Bytes size) const { return least <= size && size <= most; }
};

/// Whether what was measured together is of messages of any size.
bool is_of_any_size(const Values& together) {
    const auto& size = together.front()->size;
    return !size || (together.size() == 1 && size->value == 0);
}

/// Those of a pair's values of one quantity that are not superseded, by size. A value without a
/// size supersedes what is older, and is superseded by what is newer.
Values current(Values values, const Rule& rule) {
    std::sort(values.begin(), values.end(), [](const Value* a, const Value* b) {
        if (a->newest != b->newest) return a->newest > b->newest;
        return std::tie(a->by, a->size) < std::tie(b->by, b->size);
    });
    const bool sessions = rule.kind == Rule::Kind::newest;
    std::vector<Range> covered;
    Values kept;
    for (auto begin = values.begin(); begin != values.end();) {
        const auto end = std::find_if(begin, values.end(), [&](const Value* value) {
            return value->newest != (*begin)->newest || value->by != (*begin)->by;
        });
        Values together(begin, end);
        begin = end;
        // Where one measured both, it comes first, and the others say more.
        if (!together.front()->size && together.size() > 1) together.erase(together.begin());
        if (is_of_any_size(together)) {
            if (kept.empty()) return together;
            continue;
        }
        const Range range{*together.front()->size, *together.back()->size};
        for (const Value* value : together)
            if (std::none_of(covered.begin(), covered.end(),
                             [&](const Range& newer) { return newer.covers(*value->size); }))
                kept.push_back(value);
        if (sessions) covered.push_back(range);
    }
    std::sort(kept.begin(), kept.end(),
              [](const Value* a, const Value* b) { return a->size < b->size; });
    return kept;
}

CostTable table_of(const Values& values) {
    if (!values.front()->size) return CostTable(Seconds(values.front()->value));
    std::vector<CostTable::Entry> entries;
    for (const Value* value : values) entries.push_back({*value->size, Seconds(value->value)});
    return CostTable(std::move(entries));
}

/// The gap table of these values. If there is one size alone it tells a rate, so that smaller
/// messages take less.
CostTable gap_table_of(const Values& values) {
    const Value& first = *values.front();
    if (values.size() > 1 || first.size->value == 0) return table_of(values);
    return CostTable({{Bytes(0), Seconds(0)}, {*first.size, Seconds(first.value)}});
}

/// The newest; of equally new ones that of the largest messages.
const Value* newest_bandwidth(const Values& values) {
    const auto size_of = [](const Value* value) {
        return value->size ? value->size->value : std::numeric_limits<std::uint64_t>::max();
    };
    const auto best =
        std::max_element(values.begin(), values.end(), [&](const Value* a, const Value* b) {
            return std::pair(a->newest, size_of(a)) < std::pair(b->newest, size_of(b));
        });
    return best == values.end() ? nullptr : *best;
}

Time newest_of(const Values& values) {
    Time newest = Time::min();
    for (const Value* value : values) newest = std::max(newest, value->newest);
    return newest;
}

/// The newest value that was measured without a size.
std::optional<Seconds> newest_of_any_size(const Values& values) {
    const Time newest = newest_of(values);
    for (const Value* value : values)
        if (value->newest == newest && !value->size) return Seconds(value->value);
    return std::nullopt;
}

/// Gathers one pair's values.
class PairReader {
public:
    PairReader(const Rule& rule, KnownCosts& known) : rule_(rule), known_(known) {}

    void add(const Value& value) {
        switch (value.quantity) {
            case Quantity::latency:
                latencies_.push_back(&value);
                break;
            case Quantity::bandwidth:
                bandwidths_.push_back(&value);
                break;
            case Quantity::gap:
                gaps_.push_back(&value);
                break;
        }
    }

    [[nodiscard]] PairCosts costs() const {
        PairCosts costs;
        if (!latencies_.empty()) {
            const Values values = current(latencies_, rule_);
            costs.latency = table_of(values);
            costs.distance = newest_of_any_size(latencies_);
            count(values, costs);
        }
        const Value* bandwidth = newest_bandwidth(bandwidths_);
        if (!gaps_.empty() && (bandwidth == nullptr || newest_of(gaps_) >= bandwidth->newest)) {
            const Values values = current(gaps_, rule_);
            costs.gap = gap_table_of(values);
            costs.gap_sizes = values.size();
            costs.rate_at = newest_of(values);
            count(values, costs);
        } else if (bandwidth != nullptr) {
            costs.bandwidth = BytesPerSecond(bandwidth->value);
            costs.rate_at = bandwidth->newest;
            count({bandwidth}, costs);
        }
        return costs;
    }

    /// The rate of all that a node sends, or receives, together.
    [[nodiscard]] std::optional<BytesPerSecond> total() const {
        const Value* bandwidth = newest_bandwidth(bandwidths_);
        if (bandwidth == nullptr) return std::nullopt;
        known_.count(*bandwidth);
        return BytesPerSecond(bandwidth->value);
    }

private:
    void count(const Values& values, PairCosts& costs) const {
        for (const Value* value : values) {
            known_.count(*value);
            if (value->spread) costs.spread = std::max(costs.spread.value_or(0), *value->spread);
        }
    }

    const Rule& rule_;
    KnownCosts& known_;
    Values latencies_;
    Values bandwidths_;
    Values gaps_;
};

}  // namespace

std::optional<CostTable> PairCosts::gap_or_rate() const {
    if (gap || !bandwidth) return gap;
    constexpr Bytes size(1 << 20);
    return CostTable({{Bytes(0), Seconds(0)}, {size, size / *bandwidth}});
}

std::optional<double> PairCosts::rate(std::optional<Bytes> size) const {
    if (bandwidth) return bandwidth->value;
    if (!gap) return std::nullopt;
    const Bytes of = size && size->value > 0 ? *size : gap->entries().back().size;
    const Seconds time = (*gap)(of);
    if (of.value == 0 || time.value <= 0) return infinity;
    return (of / time).value;
}

GapLine fit_line(const CostTable& gap) {
    // Weighted by 1 / time^2, so that deviations count relatively to the time.
    double weights = 0;
    double sizes = 0;
    double times = 0;
    double squares = 0;
    double products = 0;
    for (const auto& [size, time] : gap.entries()) {
        if (time.value <= 0) continue;
        const auto x = static_cast<double>(size.value);
        const double weight = 1 / (time.value * time.value);
        weights += weight;
        sizes += weight * x;
        times += weight * time.value;
        squares += weight * x * x;
        products += weight * x * time.value;
    }
    if (weights == 0) return {Seconds(0), std::nullopt};
    const double spread = weights * squares - sizes * sizes;
    if (sizes == 0) return {Seconds(times / weights), std::nullopt};
    if (spread > 1e-12 * weights * squares) {
        const double slope = (weights * products - sizes * times) / spread;
        const double startup = (times - slope * sizes) / weights;
        if (slope > 0 && startup >= 0) return {Seconds(startup), BytesPerSecond(1 / slope)};
        if (slope <= 0) return {Seconds(times / weights), std::nullopt};
    }
    return {Seconds(0), BytesPerSecond(squares / products)};
}

const PairCosts* KnownCosts::find(std::size_t from, std::size_t to) const {
    const auto found = pairs.find({from, to});
    return found == pairs.end() ? nullptr : &found->second;
}

void KnownCosts::count(const Value& value) {
    if (!counted_.insert(&value).second) return;
    measurements += value.measurements;
    oldest = std::min(oldest, value.oldest);
    newest = std::max(newest, value.newest);
    const auto place = std::lower_bound(by.begin(), by.end(), value.by);
    if (place == by.end() || *place != value.by) by.insert(place, value.by);
}

KnownCosts known_costs(const std::vector<Value>& values, const Rule& rule,
                       const std::vector<std::string>& order) {
    KnownCosts known;
    known.nodes = list_nodes(values, order);
    known.egress.resize(known.nodes.size());
    known.ingress.resize(known.nodes.size());
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < known.nodes.size(); ++i) index.emplace(known.nodes[i], i);
    for (std::size_t begin = 0; begin < values.size();) {
        const Pair& pair = values[begin].pair;
        PairReader reader(rule, known);
        bool alone = false;
        for (; begin < values.size() && values[begin].pair == pair; ++begin) {
            if (!values[begin].company.empty()) continue;
            reader.add(values[begin]);
            alone = true;
        }
        if (!alone) continue;
        if (pair.from.empty())
            known.ingress[index.at(pair.to)] = reader.total();
        else if (pair.to.empty())
            known.egress[index.at(pair.from)] = reader.total();
        else
            known.pairs.emplace(std::pair(index.at(pair.from), index.at(pair.to)), reader.costs());
    }
    return known;
}

}  // namespace espalier::directory
