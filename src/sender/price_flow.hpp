#pragma once

#include "sender/ticks.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::sender {

/// What slots are worth at every tick before a deadline, and how nodes flow into them, for problems
/// of so many classes that nobody enumerates sums: times are few ticks, and every tick is looked
/// at. Where several classes suit a slot nearly alike, it is shared between them (by the
/// exponential of what they are worth over `softness`), so that small changes of the prices change
/// the flow by little and prices can be tuned.
class PriceFlow {
public:
    /// `longest`: ticks before the deadline, at the most.
    PriceFlow(const TickProblem& problem, std::size_t longest);

    /// What a slot is worth with so many ticks left, and what a given root's slots are, in nodes.
    void evaluate(std::span<const double> price, std::size_t longest);
    [[nodiscard]] double slot(std::size_t left) const { return slot_[left]; }
    [[nodiscard]] double start(std::size_t deadline) const;

    /// So many nodes of one class, in fractions, with so many ticks left.
    struct Share {
        std::uint32_t left = 0;
        std::uint32_t class_index = 0;
        float count = 0;
    };
    /// Lets the nodes flow from the start, `deadline` ticks before the end, by the worths of the
    /// last evaluate. Returns how many of each class there are; `shares`, if not null, is where
    /// they are, the most time left first.
    std::vector<double> flow(std::span<const double> price, std::size_t deadline, double softness,
                             std::vector<Share>* shares);

private:
    [[nodiscard]] double& sender(std::size_t c, std::size_t left) {
        return sender_[c * stride_ + left];
    }
    [[nodiscard]] double worth_if(std::size_t c, std::size_t left, double price) const;

    const TickProblem& problem_;
    bool broadcast_;
    double opened_;
    std::size_t stride_;
    std::vector<double> slot_;
    std::vector<double> sender_;  ///< of broadcasts: what a class's sends are worth, class by class
    std::vector<double> waiting_;  ///< slots of nobody (reduction), by the ticks left
    std::vector<double> streams_;  ///< senders by class and the ticks left at their next delivery
    std::vector<std::pair<std::size_t, double>> sharing_;
};

}  // namespace espalier::sender
