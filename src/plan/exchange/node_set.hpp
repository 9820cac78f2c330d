#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::plan::exchange {

/// A set of nodes, one bit for each there is.
class NodeSet {
public:
    explicit NodeSet(std::size_t nodes) : words_((nodes + word_bits - 1) / word_bits, 0) {}

    void insert(std::size_t node) { words_[node / word_bits] |= bit(node); }
    void erase(std::size_t node) { words_[node / word_bits] &= ~bit(node); }
    void clear() { words_.assign(words_.size(), 0); }
    [[nodiscard]] bool contains(std::size_t node) const {
        return (words_[node / word_bits] & bit(node)) != 0;
    }

    void keep_only(const NodeSet& others) {
        for (std::size_t word = 0; word < words_.size(); ++word)
            words_[word] &= others.words_[word];
    }

    /// Calls `use(node)` for each that is in `others` too, in ascending order.
    template <typename Use>
    void for_each_common(const NodeSet& others, Use use) const {
        for (std::size_t word = 0; word < words_.size(); ++word)
            for (std::uint64_t rest = words_[word] & others.words_[word]; rest != 0;
                 rest &= rest - 1)
                use(word * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
    }

private:
    static constexpr std::size_t word_bits = 64;
    [[nodiscard]] static std::uint64_t bit(std::size_t node) {
        return std::uint64_t{1} << (node % word_bits);
    }

    std::vector<std::uint64_t> words_;
};

}  // namespace espalier::plan::exchange
