#pragma once

#include "core/meter.hpp"
#include "core/simplex.hpp"
#include "sender/slot_prices.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::sender {

/// Finds prices under which a position's surplus is least, by column generation (Dantzig-Wolfe):
/// the master mixes ways to fill the slots (the choices of a valuation) and hands out prices, at
/// which a backward pass gives a bound and the best way for these prices. What it finds it keeps,
/// because positions that follow want much the same prices.
///
/// The master has a row for each class with nodes left but the slowest, how many nodes of it and of
/// faster classes the mix places, in proportion to those that are left, and a last one for the
/// shares, which sum to 1. A row's supply can be exceeded at a price, which limits the duals.
class Pricer {
public:
    /// Keeps at most `capacity` valuations.
    Pricer(const Window& window, Meter& meter, std::size_t capacity);

    enum class Goal {
        sign,   ///< whether the least surplus is below 0
        amount  ///< also how much it is, roughly
    };
    struct Outcome {
        Wide surplus = 0;  ///< of valuation `best`: a bound, in units
        std::size_t best = 0;
        double reached = 0;  ///< in nodes: the least surplus is no less, but for rounding
        bool cut_short = false;
    };
    /// Minimises the surplus of a position with nodes left. Afterwards at least one valuation is
    /// known from the position's first slot on.
    Outcome minimise(const Position& position, Goal goal);

    /// The indices of the known valuations that are fit for the position.
    [[nodiscard]] std::span<const std::size_t> known() const { return known_; }
    [[nodiscard]] const Valuation& valuation(std::size_t index) const { return pool_[index]; }
    /// Adds prices to begin with, for positions from the start on.
    void suggest(std::vector<std::int64_t> price);
    /// Says that no position to come has a slot before this point.
    void advance(std::size_t point) { from_ = point; }

    /// A way to fill the slots and how much of it the best mix has.
    struct Part {
        std::size_t valuation = 0;
        double share = 0;
    };
    /// The mix of the last position; empty if only one class is left.
    [[nodiscard]] std::span<const Part> mix() const { return mix_; }
    /// The class that the last position places if a valuation chooses class c.
    [[nodiscard]] std::span<const std::uint16_t> stand_in() const { return stand_in_; }

private:
    void begin(const Position& position);
    std::size_t fresh();
    void begin_master();
    void add_column(std::size_t index, const Position& position);
    void price_by_master();
    void move_towards(const Valuation& centre, double share);
    std::size_t price_out_all_but_slowest();
    Outcome begin_bound(const Position& position);
    [[nodiscard]] bool is_near(const Outcome& outcome, Goal goal) const;
    Outcome generate(const Position& position, Goal goal);

    const Window* window_;
    Meter* meter_;
    std::size_t capacity_;
    std::vector<Valuation> pool_;
    std::vector<std::uint64_t> used_by_;  // the call of minimise that used it last
    std::vector<std::size_t> known_;
    std::uint64_t call_ = 0;

    Simplex master_{{}};
    Flow flow_;
    std::size_t from_ = 0;
    std::size_t first_point_ = 0;
    double left_ = 0;
    std::vector<std::size_t> active_;  // classes with nodes left
    std::vector<double> supply_;       // nodes left of an active class and faster ones
    std::vector<std::uint16_t> stand_in_;
    std::vector<std::size_t> columns_;  // the valuation of each column
    std::vector<double> used_;
    std::vector<Simplex::Entry> column_;
    std::vector<std::int64_t> wanted_;  // prices by the master
    std::vector<std::int64_t> trial_;
    std::vector<std::pair<Wide, std::size_t>> ranked_;
    std::vector<Part> mix_;
};

}  // namespace espalier::sender
