#pragma once

#include "directory/rules.hpp"
#include "network/cost_table.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace espalier::directory {

/// The known costs of a pair that was measured alone.
struct PairCosts {
    std::optional<network::CostTable> latency;
    /// The latency without a size, if it is among the newest: where all pairs have one, it compares
    /// them better than what some have at several sizes.
    std::optional<Seconds> distance;
    /// The gap by size, or the bandwidth if that is newer; never both.
    std::optional<network::CostTable> gap;
    std::optional<BytesPerSecond> bandwidth;
    std::size_t gap_sizes = 0;  ///< at how many sizes the gap was measured
    Time rate_at;               ///< of what is newest in the gap or the bandwidth
    /// The factor, at least 1, by which its gap is longer while as much comes in the opposite
    /// direction.
    double both_ways = 1;
    /// The greatest relative spread of the values that count; nullopt: none is known.
    std::optional<double> spread = std::nullopt;

    [[nodiscard]] bool has_rate() const { return gap || bandwidth; }
    /// g(m) = m / bandwidth where that is what is known.
    [[nodiscard]] std::optional<network::CostTable> gap_or_rate() const;
    /// The bytes per second of messages of this size, or of the largest that were measured;
    /// infinite if no time passes, nullopt if nothing is known.
    [[nodiscard]] std::optional<double> rate(std::optional<Bytes> size) const;
};

/// Start-up and bandwidth of gap(m) = startup + m / bandwidth.
struct GapLine {
    Seconds startup;
    std::optional<BytesPerSecond> bandwidth;  ///< none: it does not depend on the size
};
/// The line through a gap's points that has the least squares of relative deviations, of those that
/// start at 0 or above and do not fall.
[[nodiscard]] GapLine fit_line(const network::CostTable& gap);

/// All costs of nodes and pairs alone that follow from a rule's values, which must outlive it.
struct KnownCosts {
    std::vector<std::string> nodes;
    /// The costs by indices of nodes; a node with itself: between processes that run there.
    std::map<std::pair<std::size_t, std::size_t>, PairCosts> pairs;
    std::vector<std::optional<BytesPerSecond>> egress;
    std::vector<std::optional<BytesPerSecond>> ingress;
    /// The number and the times of the measurements that these costs come from.
    std::size_t measurements = 0;
    Time oldest = Time::max();
    Time newest = Time::min();
    std::vector<std::string> by;  ///< in the order of the alphabet

    [[nodiscard]] const PairCosts* find(std::size_t from, std::size_t to) const;
    /// Adds to the measurements that count, once however often it is used.
    void count(const Value& value);

private:
    std::set<const Value*> counted_;
};

/// A gap or latency table of the newest values holds together what was measured at one time by one:
/// an older value counts only at sizes below the least or above the greatest of every newer table.
/// `order`: how nodes are listed; others follow by name, numbers in names being compared as
/// numbers.
[[nodiscard]] KnownCosts known_costs(const std::vector<Value>& values, const Rule& rule,
                                     const std::vector<std::string>& order);

}  // namespace espalier::directory
