#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
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
        if (place != row.end() && place->other == other) return place->value;
        const auto index = place - row.begin();
        // By little, since there may be many rows.
        if (row.size() == row.capacity()) row.reserve(row.size() + row.size() / 8 + 1);
        return row.insert(row.begin() + index, Entry{other, T{}})->value;
    }

    /// Of the same pairs, what `of` makes of their values.
    template <typename Of>
    [[nodiscard]] auto map(const Of& of) const {
        SparsePairs<std::invoke_result_t<Of, const T&>> mapped(size());
        for (std::size_t i = 0; i < size(); ++i) {
            mapped.rows_[i].reserve(rows_[i].size());
            for (const Entry& entry : rows_[i])
                mapped.rows_[i].push_back({entry.other, of(entry.value)});
        }
        return mapped;
    }

    /// What is known of the pairs of one with those behind it, in their order.
    [[nodiscard]] const std::vector<Entry>& from(std::size_t one) const { return rows_[one]; }
    /// The same, which is not known here any longer.
    [[nodiscard]] std::vector<Entry> take(std::size_t one) { return std::exchange(rows_[one], {}); }

private:
    template <typename Other>
    friend class SparsePairs;

    [[nodiscard]] static auto find(auto& row, std::size_t other) {
        return std::ranges::lower_bound(row, other, {}, &Entry::other);
    }

    std::vector<std::vector<Entry>> rows_;
};

}  // namespace espalier
