#include "runtime/logic/tags.hpp"

#include <algorithm>
#include <bit>

namespace espalier::runtime {

Tags::Tags(int greatest, int ranks) {
    const auto width = [](unsigned value) { return static_cast<int>(std::bit_width(value)); };
    const int bits = width(unsigned(greatest) + 1) - 1 - width(unsigned(ranks) - 1);
    bits_of_numbers_ = std::max(bits / 2, 0);
    bits_of_calls_ = bits - bits_of_numbers_;
}

std::optional<Tags::Block> Tags::take(int rank) {
    const std::scoped_lock lock(mutex_);
    const Block all = Block{1} << bits_of_numbers_;
    if (!has_some() || taken_.size() == all) return std::nullopt;
    // What was given back rests for as long as there are others.
    while (!taken_.insert(next_).second) next_ = (next_ + 1) % all;
    const Block number = next_;
    next_ = (next_ + 1) % all;
    return (static_cast<Block>(rank) << bits_of_numbers_) | number;
}

void Tags::give_back(Block block) {
    const std::scoped_lock lock(mutex_);
    taken_.erase(block & ((Block{1} << bits_of_numbers_) - 1));
}

int Tags::tag(Block block, std::uint64_t call) const {
    const std::uint64_t calls = (std::uint64_t{1} << bits_of_calls_) - 1;
    return static_cast<int>((std::uint64_t{block} << bits_of_calls_) | (1 + call % calls));
}

}  // namespace espalier::runtime
