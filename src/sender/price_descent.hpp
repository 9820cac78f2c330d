#pragma once

#include "core/meter.hpp"
#include "sender/slot_prices.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace espalier::sender {

/// Prices in nodes, and what they exclude.
struct Prices {
    std::vector<double> of;  ///< each class
    /// The first time of the lattice from which on not all can be reached at these prices. So
    /// nothing is over sooner than the lattice's end is after it.
    Ticks from = 0;
};

/// Moves slot prices by steps along subgradients of what they bound, on a lattice that rounds
/// times, for problems with too many sums of times, or of too many classes, for a master of prices
/// (pricing.hpp). What its prices exclude is excluded (docs/sender.md, slot prices).
class PriceDescent {
public:
    /// See rounding_lattice.
    PriceDescent(const TickProblem& problem, std::vector<Ticks> at, Ticks end);

    [[nodiscard]] const Window& window() const { return window_; }
    [[nodiscard]] Ticks end() const { return end_; }
    /// The point that a time counts as.
    [[nodiscard]] std::size_t point(Ticks at) const { return lattice_.last_by(at); }

    /// Slots of so many ports of a sender at `at` and each time that it sends from then on; of
    /// nobody, at `at` alone. In the order in which they are added.
    void add_slots(Position& position, Ticks at, std::uint64_t count,
                   std::optional<std::size_t> sender) const;
    /// The problem, begun at `at`.
    [[nodiscard]] Position start(Ticks at) const;

    /// Finds worths among the classes of `able` from a point on, and a position's surplus in nodes.
    double surplus(const Position& position, std::span<const double> price,
                   std::span<const std::size_t> able, std::size_t from);
    /// These prices in whole units, as they count in the proof.
    [[nodiscard]] std::vector<std::int64_t> in_units(std::span<const double> price) const;
    /// The worths that were found last.
    [[nodiscard]] const RoughValuation& valuation() const { return valuation_; }

    /// The parameters of a step of the descent.
    struct Step {
        double pace = 1;
        double aim = 0;       ///< nodes below what suffices, to aim at
        double softness = 0;  ///< how evenly slots are shared; none: each by the one best class
    };
    /// Forgets the steps before.
    void begin() { direction_.assign(window_.classes(), 0); }
    /// A step of Polyak's by what was found last, that remembers those before.
    void improve(const Position& position, double surplus, std::span<const std::size_t> able,
                 const Step& step, std::vector<double>& price);

    /// The number of nodes of each class that flow into the slots from a position on at these
    /// prices.
    std::vector<double> flow(const Position& position, std::span<const double> price,
                             double softness, std::vector<Flow::Share>* shares);

    /// Moves prices so that they exclude later and later deadlines.
    [[nodiscard]] Prices exclude(std::vector<double> start, std::size_t rounds, Meter& meter);

private:
    [[nodiscard]] Ticks first_excluded(std::span<const double> price);

    Ticks end_;
    Lattice lattice_;
    Window window_;
    RoughValuation valuation_;
    Flow flow_;
    std::vector<std::size_t> all_;  ///< classes
    std::vector<std::uint16_t> themselves_;
    std::vector<double> direction_;
    std::vector<double> used_;
};

}  // namespace espalier::sender
