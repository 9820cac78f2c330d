#pragma once

#include "plan/gather/problem.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace espalier::plan::gather {

/// A ring that is changed a few neighbours at a time, and knows at once whether a change makes it
/// better: of rings with the same slowest step, the one in which fewer things are as slow as that.
class Tour {
public:
    struct Leg {
        std::size_t from = 0;
        std::size_t to = 0;
    };

    Tour(const Problem& problem, Aim aim, Order order);

    [[nodiscard]] const Order& order() const { return order_; }
    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] std::size_t at(std::size_t place) const { return order_[place % size()]; }
    [[nodiscard]] const Value& value() const { return value_; }

    /// Whether the ring is better with these legs in place of those. Constant time for few legs.
    [[nodiscard]] bool is_better(std::span<const Leg> removed, std::span<const Leg> added);

    void replace(Order order);

private:
    /// How many things become, and cease to be, as slow as the slowest; false: one is slower.
    [[nodiscard]] bool count_slowest(std::span<const Leg> removed, std::span<const Leg> added,
                                     int& change);
    void cross(const Leg& leg, int by);
    void survey();

    const Problem& problem_;
    Aim aim_;
    Order order_;
    Value value_;
    std::vector<int> crossings_;  ///< of each capacity
    std::vector<int> changes_;    ///< of those, by the legs that are looked at
    std::vector<std::uint32_t> touched_;
};

}  // namespace espalier::plan::gather
