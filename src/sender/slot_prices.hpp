#pragma once

#include "sender/lattice.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace espalier::sender {

/// Sums of worths and prices. Prices that are far from good add up to more than 64 bits hold.
__extension__ using Wide = __int128;

/// Slots of one kind that wait to be filled with nodes.
struct Waiting {
    std::uint32_t stream = 0;  ///< see Window::stream
    std::uint64_t count = 0;   ///< of slots
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
};

/// A moment of a schedule: the nodes still to be placed and the slots that wait for them. Later
/// slots open as nodes are placed.
struct Position {
    std::vector<std::uint64_t> left;  ///< nodes of each class
    std::vector<Waiting> waiting;     ///< in the order of their streams
    friend auto operator<=>(const Position&, const Position&) = default;
};

/// The worth of slots at given prices, in units of Window::unit (liu-2002 and liu-2000 have nothing
/// like it; docs/sender.md, slot prices).
template <typename Worth>
struct BasicValuation {
    std::vector<std::int64_t> price;    ///< of a node of each class; >= 0
    std::vector<Worth> worth;           ///< of each stream; at most `boundless`
    std::vector<std::uint16_t> choice;  ///< of each point: the class that is worth most, or `none`
    std::size_t from = 0;               ///< what follows is known from this point on
    static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
    /// Stands for all worths that are no less.
    static constexpr Worth boundless = static_cast<Worth>(
        std::is_integral_v<Worth> ? static_cast<double>(std::int64_t{1} << 60) : 1e250);
    using Sum = std::conditional_t<std::is_integral_v<Worth>, Wide, double>;
};
using Valuation = BasicValuation<std::int64_t>;
/// A valuation in floating point, which is exact as long as nothing is worth eight times all nodes.
using RoughValuation = BasicValuation<double>;

/// The lattice up to a deadline, and the slots at its points.
///
/// A slot is a chance to place a node: to deliver the message to it (broadcast), or to let it send
/// (reduction, backwards in time). A broadcast node placed at s opens a slot on each of its ports
/// at s + t, s + 2 t, ...: a stream, that is named by its class and its next slot. A reduction node
/// placed at s must have s + t <= deadline and opens a slot at s + t on each of its ports and on
/// the one that listened to it. A slot of no stream stands alone; those of reductions all do.
class Window {
public:
    /// `last`: the last point of the lattice that is not after the deadline.
    Window(const TickProblem& problem, const Lattice& lattice, std::size_t last);

    [[nodiscard]] const TickProblem& problem() const { return *problem_; }
    [[nodiscard]] std::size_t points() const { return points_; }
    [[nodiscard]] std::size_t classes() const { return classes_; }
    /// Streams per point: one per class and the lone slots last (broadcast), or these only.
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] std::uint32_t stream(std::size_t point, std::size_t kind) const {
        return static_cast<std::uint32_t>(point * width_ + kind);
    }
    [[nodiscard]] std::uint32_t lone_slot(std::size_t point) const {
        return stream(point, width_ - 1);
    }
    [[nodiscard]] std::size_t point_of(std::uint32_t stream) const { return stream / width_; }
    /// The point at the time of `point` plus that of class `c`; points() if that is after the
    /// deadline.
    [[nodiscard]] std::size_t after(std::size_t point, std::size_t c) const {
        return next_[point * classes_ + c];
    }
    /// May a node of class `c` be placed at `point`?
    [[nodiscard]] bool fits(std::size_t point, std::size_t c) const {
        return width_ > 1 || after(point, c) < points_;
    }
    /// Slots that a node opens, at the same point after().
    [[nodiscard]] std::uint64_t opened() const { return opened_; }
    /// The stream that those slots belong to; none where all is over by then.
    [[nodiscard]] std::uint32_t opened_stream(std::size_t point, std::size_t c) const {
        return stream(after(point, c), width_ > 1 ? c : 0);
    }
    /// The first stream that is over before it begins; so are all after it.
    [[nodiscard]] std::uint32_t end_of_streams() const { return stream(points_, 0); }

    [[nodiscard]] Position start() const;

    /// The units of one node in prices and worths.
    [[nodiscard]] std::int64_t unit() const { return unit_; }
    /// A price at which no node is ever worth placing in a schedule of no more nodes than there
    /// are.
    [[nodiscard]] std::int64_t forbidding() const { return forbidding_; }
    static constexpr std::int64_t boundless = Valuation::boundless;
    /// A surplus greater than any other: some stream that waits is worth more than is known.
    static constexpr Wide unknown = static_cast<Wide>(1) << 120;

    /// Fills in all but the prices, for the points from `from` on, in one backward pass.
    template <typename Worth>
    void evaluate(BasicValuation<Worth>& valuation, std::size_t from = 0) const {
        evaluate(valuation, from, all_);
    }
    /// Evaluates with nodes of the classes `able` only. The streams of others have no worth.
    template <typename Worth>
    void evaluate(BasicValuation<Worth>& valuation, std::size_t from,
                  std::span<const std::size_t> able) const;
    /// The worth of a slot in which a node of class `c` is placed.
    template <typename Worth>
    [[nodiscard]] Worth placed(const BasicValuation<Worth>& valuation, std::size_t point,
                               std::size_t c) const {
        return static_cast<Worth>(unit_ - valuation.price[c]) +
               static_cast<Worth>(opened_) * valuation.worth[opened_stream(point, c)];
    }
    /// The surplus, in units: how many more nodes than are left could be placed at the most;
    /// `unknown` if the prices do not tell. If it is negative, the nodes that are left can't all be
    /// placed in time, whatever the prices.
    template <typename Worth>
    [[nodiscard]] auto surplus(const BasicValuation<Worth>& valuation,
                               const Position& position) const ->
        typename BasicValuation<Worth>::Sum;

private:
    const TickProblem* problem_;
    std::size_t points_;
    std::size_t classes_;
    std::size_t width_;
    std::uint64_t opened_;
    std::vector<std::uint32_t> next_;
    std::vector<std::size_t> all_;  ///< classes
    std::int64_t unit_;
    std::int64_t forbidding_;
};

/// Lets nodes flow into the slots from a position to the deadline, to see how many of each class
/// that takes.
class Flow {
public:
    explicit Flow(const Window& window);

    /// Follows the choices of a valuation: `used[c]` becomes the number of nodes of class c. Ends
    /// early if the sum exceeds `enough`. If no node of the chosen class is left, `stand_in[c]`
    /// takes its place (Valuation::none: nobody does).
    void follow(std::span<const std::uint16_t> choice, std::span<const std::uint16_t> stand_in,
                const Position& position, double enough, std::span<double> used);

    /// A number, in fractions, of nodes of one class at a point.
    struct Share {
        std::uint32_t point = 0;
        std::uint32_t class_index = 0;
        float count = 0;
    };
    /// Follows the choices of a valuation in fractions. If several classes suit a slot nearly alike
    /// it is shared between them (by the exponential of their worth over `softness`, in nodes), so
    /// that small changes of the prices change the flow by little. `shares`, if not null, becomes
    /// the list of shares, the first point first.
    void share(const RoughValuation& valuation, std::span<const std::size_t> able,
               const Position& position, double softness, std::span<double> used,
               std::vector<Share>* shares);

private:
    template <typename Fill>
    void run(const Position& position, std::span<double> used, Fill fill);
    void add(std::size_t point, std::size_t kind, double count) {
        open_[point * window_->width() + kind] += count;
        touched_[point] = true;
    }
    void place(std::size_t point, std::size_t c, double count, std::span<double> used);

    const Window* window_;
    std::vector<double> open_;  ///< slots of each stream; all 0 between runs
    std::vector<char> touched_;
    std::vector<std::pair<std::size_t, double>> sharing_;
};

}  // namespace espalier::sender
