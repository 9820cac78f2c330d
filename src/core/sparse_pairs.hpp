#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace espalier {

/// Values of some of the unordered pairs of so many things: it takes as much memory as those that
/// are known.
template <typename T>
class SparsePairs {
public:
    struct Entry {
        std::uint32_t other;
        T value;
    };

    SparsePairs() = default;
    explicit SparsePairs(std::size_t size) : rows_(size) {}

    [[nodiscard]] std::size_t size() const { return rows_.size(); }

    /// nullopt where the pair is not known.
    [[nodiscard]] std::optional<T> operator()(std::size_t i, std::size_t j) const {
        const auto& row = rows_[std::min(i, j)];
        const auto place = find(row, std::max(i, j));
        if (place == row.end() || place->other != std::max(i, j)) return std::nullopt;
        return place->value;
    }
    /// Of a pair that will be known.
    [[nodiscard]] T& at(std::size_t i, std::size_t j) {
        assert(i < size() && j < size());
        auto& row = rows_[std::min(i, j)];
        const auto other = static_cast<std::uint32_t>(std::max(i, j));
        auto place = find(row, other);
        if (place == row.end() || place->other != other)
            place = row.insert(place, Entry{other, T{}});
        return place->value;
    }

    /// What is known of the pairs of one with those behind it, in their order.
    [[nodiscard]] const std::vector<Entry>& from(std::size_t one) const { return rows_[one]; }

private:
    [[nodiscard]] static auto find(auto& row, std::size_t other) {
        return std::ranges::lower_bound(row, other, {}, &Entry::other);
    }

    std::vector<std::vector<Entry>> rows_;
};

}  // namespace espalier
