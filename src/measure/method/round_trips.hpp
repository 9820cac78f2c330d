#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace espalier::measure {

/// The round trips of each time that a pair of hosts was measured, in seconds. One after the other
/// without a list for each pair, since large jobs have many.
class RoundTrips {
public:
    explicit RoundTrips(std::size_t hosts) : rows_(hosts) {}

    void add(std::size_t a, std::size_t b, double seconds) {
        auto& row = rows_[std::min(a, b)];
        const auto other = static_cast<std::uint32_t>(std::max(a, b));
        row.insert(std::ranges::upper_bound(row, other, {}, &Sample::other), {other, seconds});
    }

    /// Whether no pair was measured.
    [[nodiscard]] bool empty() const {
        return std::ranges::all_of(rows_, [](const auto& row) { return row.empty(); });
    }
    [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return !samples(a, b).empty(); }
    /// Those of a pair, the first first.
    [[nodiscard]] std::vector<double> operator()(std::size_t a, std::size_t b) const {
        return seconds_of(samples(a, b));
    }
    /// Calls `take(a, b, seconds)` with each pair that was measured, a < b, in their order.
    void for_each(const std::function<void(std::size_t, std::size_t, const std::vector<double>&)>&
                      take) const {
        for (std::size_t a = 0; a < rows_.size(); ++a)
            for (auto first = rows_[a].begin(); first != rows_[a].end();) {
                const std::size_t b = first->other;
                const std::ranges::subrange own = samples(a, b);
                take(a, b, seconds_of(own));
                first = own.end();
            }
    }

private:
    struct Sample {
        std::uint32_t other;  ///< the higher of the pair; the lower has the row
        double seconds;
    };

    [[nodiscard]] std::ranges::subrange<std::vector<Sample>::const_iterator> samples(
        std::size_t a, std::size_t b) const {
        const auto other = static_cast<std::uint32_t>(std::max(a, b));
        return std::ranges::equal_range(rows_[std::min(a, b)], other, {}, &Sample::other);
    }
    [[nodiscard]] static std::vector<double> seconds_of(const auto& samples) {
        std::vector<double> seconds;
        for (const Sample& sample : samples) seconds.push_back(sample.seconds);
        return seconds;
    }

    std::vector<std::vector<Sample>> rows_;  ///< by the other of the pair
};

}  // namespace espalier::measure
