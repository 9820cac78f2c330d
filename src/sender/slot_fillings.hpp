#pragma once

#include "sender/slot_prices.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::sender {

/// The ways to share out the slots of one point among the classes that pass some linear tests, the
/// nearest to a target first.
class SlotFillings {
public:
    struct Class {
        std::uint64_t most = 0;  ///< nodes that could take such a slot
        double target = 0;
    };
    struct Filling {
        std::int64_t slack = 0;  ///< the least that a test leaves
        std::size_t first = 0;   ///< of the counts in counts(), one per class
    };

    /// Begins the enumeration for so many slots; there are enough nodes for them.
    void begin(std::uint64_t slots, std::span<const Class> classes);
    /// A filling must not lose more than `slack`, where a slot given to a class loses
    /// `loss` >= 0.
    void add_test(std::int64_t slack, std::span<const std::int64_t> loss);
    /// Lists fillings, at most `budget` of them. True if it has them all.
    bool list(std::size_t budget);

    [[nodiscard]] std::span<const Filling> fillings() const { return fillings_; }
    [[nodiscard]] std::span<const std::uint64_t> counts(const Filling& filling) const {
        return {counts_.data() + filling.first, classes_.size()};
    }

private:
    struct Range {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        [[nodiscard]] bool empty() const { return low > high; }
    };
    [[nodiscard]] Range range(std::size_t c, std::uint64_t slots) const;
    /// Whether the listing has to end here.
    bool enough();
    void share(std::size_t c, std::uint64_t slots);
    void give(std::size_t c, std::uint64_t count, std::uint64_t slots);
    void keep();

    std::uint64_t slots_ = 0;
    std::vector<Class> classes_;
    std::vector<std::uint64_t> later_;  // nodes of later classes
    std::size_t tests_ = 0;
    std::vector<std::int64_t> slack_;       // of each test
    std::vector<std::int64_t> loss_;        // test by test
    std::vector<std::int64_t> least_loss_;  // of the classes from each on
    // While listing:
    std::vector<std::int64_t> rest_;  // slack of each test before each class
    std::vector<std::uint64_t> count_;
    std::uint64_t radius_ = 0;
    std::size_t budget_ = 0;
    std::size_t steps_left_ = 0;
    bool complete_ = true;
    std::vector<Filling> fillings_;
    std::vector<std::uint64_t> counts_;
};

}  // namespace espalier::sender
