#pragma once

#include "simulate/fabric.hpp"

#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// Values as words that MPI can move.
class WordWriter {
public:
    void number(std::uint64_t value) { words_.push_back(value); }
    void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
    void text(const std::string& value) {
        number(value.size());
        for (const char letter : value) number(static_cast<unsigned char>(letter));
    }
    /// Nothing is 0, and a value one more than it is.
    void optional(const std::optional<std::size_t>& value) { number(value ? *value + 1 : 0); }
    void cost(const simulate::MessageCost& value) {
        real(value.gap.value);
        real(value.latency.value);
    }
    std::vector<std::uint64_t> take() { return std::move(words_); }

private:
    std::vector<std::uint64_t> words_;
};

/// The same values, in the same order.
class WordReader {
public:
    explicit WordReader(std::span<const std::uint64_t> words) : words_(words) {}

    std::uint64_t number() {
        assert(next_ < words_.size());
        return words_[next_++];
    }
    double real() { return std::bit_cast<double>(number()); }
    std::string text() {
        std::string value(number(), '\0');
        for (char& letter : value) letter = static_cast<char>(number());
        return value;
    }
    std::optional<std::size_t> optional() {
        const std::uint64_t value = number();
        return value == 0 ? std::nullopt : std::optional<std::size_t>(value - 1);
    }
    simulate::MessageCost cost() {
        const Seconds gap(real());
        return {gap, Seconds(real())};
    }
    [[nodiscard]] bool at_end() const { return next_ == words_.size(); }

private:
    std::span<const std::uint64_t> words_;
    std::size_t next_ = 0;
};

}  // namespace espalier::runtime
