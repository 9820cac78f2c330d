#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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
        // By little, since there may be many rows.
        if (row.size() == row.capacity()) row.reserve(row.size() + row.size() / 8 + 1);
        row.insert(std::ranges::upper_bound(row, other, {}, &Sample::other),
                   {other, static_cast<float>(seconds)});
    }

    /// Whether no pair was measured.
    [[nodiscard]] bool empty() const {
        return std::ranges::all_of(rows_, [](const auto& row) { return row.empty(); });
    }
    [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return !samples(a, b).empty(); }
    /// Those of a pair, the first first.
    [[nodiscard]] std::vector<double> operator()(std::size_t a, std::size_t b) const {
        std::vector<double> seconds;
        for (const Sample& sample : samples(a, b)) seconds.push_back(sample.seconds);
        return seconds;
    }
    /// Calls `take(a, b, seconds)` with each pair that was measured, a < b, in their order.
    void for_each(const std::function<void(std::size_t, std::size_t, const std::vector<double>&)>&
                      take) const {
        for (std::size_t a = 0; a < rows_.size(); ++a)
            for (std::size_t k = 0; k < rows_[a].size();) {
                const std::size_t b = rows_[a][k].other;
                const std::vector<double> seconds = (*this)(a, b);
                take(a, b, seconds);
                k += seconds.size();
            }
    }

private:
    struct Sample {
        std::uint32_t other;  ///< the higher of the pair; the lower has the row
        float seconds;
    };

    [[nodiscard]] std::span<const Sample> samples(std::size_t a, std::size_t b) const {
        const std::span<const Sample> row = rows_[std::min(a, b)];
        const auto other = static_cast<std::uint32_t>(std::max(a, b));
        const auto first = std::ranges::lower_bound(row, other, {}, &Sample::other);
        const auto last = std::ranges::upper_bound(row, other, {}, &Sample::other);
        return row.subspan(static_cast<std::size_t>(first - row.begin()),
                           static_cast<std::size_t>(last - first));
    }

    std::vector<std::vector<Sample>> rows_;  ///< by the other of the pair
};

}  // namespace espalier::measure
