#pragma once

#include "sender/ticks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::sender {

/// What slots are worth by the time that is left before a deadline, for problems with too many
/// sums of times to look at them all. It knows the worth at some times left only: sums of few
/// terms, where what is worth something changes, and steps between them. Any other time left
/// counts as the next greater one of these, which is worth no less. So it bounds from above what
/// slots are worth (docs/sender.md, slot prices), and almost always exactly.
///
/// Something that ends when no time is left is too late: what does not fit proves that nothing is
/// over before the deadline.
class DeadlineTable {
public:
    /// Worths up to `longest`, at no more than about `most_points` times.
    DeadlineTable(const TickProblem& problem, Ticks longest, std::size_t most_points);

    static constexpr std::uint16_t nobody = UINT16_MAX;

    /// The time of the table that `left` counts as; 0 is none left.
    [[nodiscard]] std::size_t point(Ticks left) const;
    [[nodiscard]] std::size_t points() const { return at_.size(); }

    /// Fills in the worths at `price` (in nodes, >= 0) among the classes of `able`, up to `point`.
    void evaluate(std::span<const double> price, std::span<const std::size_t> able,
                  std::size_t point);
    /// Of a slot.
    [[nodiscard]] double slot(std::size_t point) const { return slot_[point]; }
    /// Of a slot in which a node of class `c` is placed at that price.
    [[nodiscard]] double placed(std::size_t point, std::size_t c, double price) const;
    /// Of what a broadcast's node of class `c` sends, the first to arrive with `left` left.
    [[nodiscard]] double stream(Ticks left, std::size_t c) const;

    /// Adds to `used` how many nodes of each class go to `count` slots and those that they open.
    /// Gives up where `budget` slots were looked at.
    void follow(std::size_t point, double count, std::span<double> used, std::size_t& budget) const;
    void follow_stream(Ticks left, std::size_t c, double count, std::span<double> used,
                       std::size_t& budget) const;

private:
    [[nodiscard]] std::uint32_t after(std::size_t point, std::size_t c) const {
        return after_[point * classes_ + c];
    }

    std::size_t classes_;
    bool broadcast_;
    double opened_;  ///< slots that a node opens: a broadcast's each time that it sends
    std::vector<Ticks> time_;
    std::vector<Ticks> at_;
    std::vector<std::uint32_t> after_;   ///< by point and class: when a send from there is over
    std::vector<std::uint32_t> bucket_;  ///< by the time's leading bits: the first point to look at
    int shift_ = 0;
    std::vector<double> slot_;
    std::vector<double> sender_;  ///< by point and class: all that its sends are worth
    std::vector<std::uint16_t> choice_;
};

}  // namespace espalier::sender
