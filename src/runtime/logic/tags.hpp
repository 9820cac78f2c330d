#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

namespace espalier::runtime {

/// Shares out the tags of the one communicator of our own among all communicators of the program:
/// each has a block, which names its leader and its number among those that this rank leads, so
/// that no two that have ranks in common use the same. Threads may share it.
class Tags {
public:
    using Block = std::uint32_t;

    /// Tags go up to `greatest`, at least 32767; `ranks` of the world.
    Tags(int greatest, int ranks);

    /// A block for a communicator that this process leads, which is `rank` in the world; nullopt:
    /// all of them are in use.
    [[nodiscard]] std::optional<Block> take(int rank);
    void give_back(Block block);
    /// The first that rank 0 of the world gets.
    static constexpr Block first = 0;
    /// Whether there are any.
    [[nodiscard]] bool has_some() const { return bits_of_calls_ >= fewest_bits; }
    /// The tag of a communicator's call, counted from 0: above 0, other than those of the calls
    /// before it, and the same for calls far apart.
    [[nodiscard]] int tag(Block block, std::uint64_t call) const;
    /// One more of the block, which no call has.
    [[nodiscard]] int tag_beside_calls(Block block) const {
        return static_cast<int>(std::uint64_t{block} << bits_of_calls_);
    }

private:
    /// A call needs at least two.
    static constexpr int fewest_bits = 2;
    int bits_of_calls_;
    int bits_of_numbers_;
    std::mutex mutex_;
    Block next_ = 0;
    std::set<Block> taken_;  ///< numbers
};

}  // namespace espalier::runtime
