#pragma once

#include <cstddef>
#include <list>
#include <utility>

namespace espalier::runtime {

/// The values of the most recently used keys, at most `capacity` of them. Deterministic: the same
/// calls leave the same keys, on every rank of a communicator.
template <typename Key, typename Value>
class RecentlyUsed {
public:
    explicit RecentlyUsed(std::size_t capacity) : capacity_(capacity) {}

    /// nullptr where it is not known; valid until the next insert.
    [[nodiscard]] Value* find(const Key& key) {
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            if (!(entry->first == key)) continue;
            entries_.splice(entries_.begin(), entries_, entry);
            return &entry->second;
        }
        return nullptr;
    }

    /// `key` must not be known.
    Value& insert(const Key& key, Value value) {
        if (entries_.size() == capacity_) entries_.pop_back();
        return entries_.emplace_front(key, std::move(value)).second;
    }

    /// Forgets the values of which `is_over` holds.
    template <typename Predicate>
    void erase_if(const Predicate& is_over) {
        entries_.remove_if([&](const auto& entry) { return is_over(entry.second); });
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    std::size_t capacity_;
    std::list<std::pair<Key, Value>> entries_;  ///< the latest first
};

}  // namespace espalier::runtime
