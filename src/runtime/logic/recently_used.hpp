#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

namespace espalier::runtime {

/// The values of the most recently used keys, at most `capacity` of them. Deterministic: the same
/// calls leave the same keys, on every rank of a communicator.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class RecentlyUsed {
public:
    explicit RecentlyUsed(std::size_t capacity) : capacity_(capacity) {}

    /// nullptr where it is not known; valid until it is forgotten.
    [[nodiscard]] Value* find(const Key& key) {
        const auto found = entries_.find(key);
        if (found == entries_.end()) return nullptr;
        found->second.used = ++uses_;
        return &found->second.value;
    }

    /// Looks at all, in no order; that is no use of them.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        for (const auto& [key, used] : entries_) visit(key, used.value);
    }

    template <typename Visit>
    void for_each(const Visit& visit) {
        for (auto& [key, used] : entries_) visit(key, used.value);
    }

    /// `key` must not be known.
    Value& insert(const Key& key, Value value) {
        if (entries_.size() == capacity_)
            entries_.erase(std::ranges::min_element(
                entries_, {}, [](const auto& entry) { return entry.second.used; }));
        return entries_.emplace(key, Used{std::move(value), ++uses_}).first->second.value;
    }

    /// Forgets keys and values for which `is_over(key, value)` holds.
    template <typename Predicate>
    void erase_if(const Predicate& is_over) {
        std::erase_if(entries_,
                      [&](const auto& entry) { return is_over(entry.first, entry.second.value); });
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    struct Used {
        Value value;
        std::uint64_t used = 0;  ///< when, counted in uses
    };

    std::size_t capacity_;
    std::uint64_t uses_ = 0;
    std::unordered_map<Key, Used, Hash> entries_;
};

}  // namespace espalier::runtime
