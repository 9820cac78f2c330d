#include "sender/pricing.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::sender {

namespace {

/// A way to fill the slots may place any number of nodes; more than this are too many for
/// floating-point numbers.
constexpr double enough = 1e200;
/// The least difference, in proportion to the nodes that are left, whose sign a master in floating
/// point can be trusted to tell.
constexpr double noise = 1e-9;
/// Worths to keep at once, some 512 MiB.
constexpr std::size_t most_cells = std::size_t{1} << 26;
/// The price that the master pays for a supply that it exceeds.
constexpr double most_dual = 2;

}  // namespace

Pricer::Pricer(const Window& window, Meter& meter, std::size_t capacity)
    : window_(&window), meter_(&meter), capacity_(capacity), flow_(window) {
    pool_.reserve(capacity);
    used_by_.reserve(capacity);
}

void Pricer::suggest(std::vector<std::int64_t> price) {
    const std::size_t index = fresh();
    pool_[index].price = std::move(price);
    window_->evaluate(pool_[index]);
}

/// A valuation that this call has not used; one more than fit where it has used them all.
std::size_t Pricer::fresh() {
    std::size_t index = pool_.size();
    if (pool_.size() >= capacity_) {
        const auto oldest = std::ranges::min_element(used_by_);
        if (*oldest < call_) index = static_cast<std::size_t>(oldest - used_by_.begin());
    }
    if (index == pool_.size()) {
        pool_.emplace_back();
        used_by_.emplace_back();
    }
    used_by_[index] = call_;
    return index;
}

void Pricer::begin(const Position& position) {
    ++call_;
    first_point_ = position.waiting.empty() ? window_->points() - 1
                                            : window_->point_of(position.waiting.front().stream);
    active_.clear();
    supply_.clear();
    left_ = 0;
    stand_in_.assign(position.left.size(), Valuation::none);
    for (std::size_t c = 0; c < position.left.size(); ++c) {
        if (position.left[c] > 0) {
            active_.push_back(c);
            left_ += static_cast<double>(position.left[c]);
            supply_.push_back(left_);
        }
        // A faster node can do a slower one's work.
        if (!active_.empty()) stand_in_[c] = static_cast<std::uint16_t>(active_.back());
    }
    // For one that is faster than all that are left: the fastest.
    for (std::size_t c = 0; c < active_.front(); ++c)
        stand_in_[c] = static_cast<std::uint16_t>(active_.front());
    columns_.clear();
    mix_.clear();
    ranked_.clear();
    for (std::size_t i = 0; i < pool_.size(); ++i)
        if (pool_[i].from <= first_point_)
            ranked_.emplace_back(window_->surplus(pool_[i], position), i);
}

void Pricer::begin_master() {
    const std::size_t rows = active_.size() - 1;
    master_ = Simplex(std::vector<double>(rows + 1, 1));
    for (std::size_t r = 0; r < rows; ++r)
        master_.add_column(std::vector<Simplex::Entry>{{r, -1}}, -most_dual);
}

void Pricer::add_column(std::size_t index, const Position& position) {
    used_by_[index] = call_;
    used_.resize(position.left.size());
    flow_.follow(pool_[index].choice, stand_in_, position, enough, used_);
    const std::size_t rows = active_.size() - 1;
    column_.clear();
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        sum += used_[active_[r]];
        if (sum > 0) column_.push_back({r, sum / supply_[r]});
    }
    column_.push_back({rows, 1});
    master_.add_column(column_, (sum + used_[active_[rows]]) / left_);
    columns_.push_back(index);
}

void Pricer::price_by_master() {
    const auto unit = static_cast<double>(window_->unit());
    wanted_.assign(stand_in_.size(), window_->forbidding());
    double price = 0;
    wanted_[active_.back()] = 0;
    for (std::size_t r = active_.size() - 1; r-- > 0;) {
        price += std::clamp(master_.prices()[r], 0.0, most_dual) * left_ / supply_[r] * unit;
        wanted_[active_[r]] = std::min(static_cast<std::int64_t>(price), window_->forbidding());
    }
}

void Pricer::move_towards(const Valuation& centre, double share) {
    trial_ = wanted_;
    if (share == 0) return;
    for (const std::size_t c : active_)
        trial_[c] = static_cast<std::int64_t>(share * static_cast<double>(centre.price[c]) +
                                              (1 - share) * static_cast<double>(wanted_[c]));
}

/// Prices at which it never pays to place any but the slowest: high, but a bound; the least where
/// none but the slowest are left.
std::size_t Pricer::price_out_all_but_slowest() {
    const std::size_t index = fresh();
    Valuation& valuation = pool_[index];
    valuation.price.assign(stand_in_.size(), window_->forbidding());
    for (const std::size_t c : active_) valuation.price[c] = Window::boundless;
    valuation.price[active_.back()] = 0;
    window_->evaluate(valuation, from_);
    if (active_.size() == 1) return index;
    const auto opened = static_cast<std::int64_t>(window_->opened());
    for (const std::size_t c : active_) {
        if (c == active_.back()) break;
        std::int64_t most = 0;
        for (std::size_t point = first_point_; point < window_->points(); ++point) {
            if (!window_->fits(point, c)) continue;
            const std::int64_t later = std::min(valuation.worth[window_->opened_stream(point, c)],
                                                Window::boundless / opened);
            most = std::max(most, window_->unit() + opened * later -
                                      valuation.worth[window_->lone_slot(point)]);
        }
        valuation.price[c] = most;
    }
    window_->evaluate(valuation, from_);
    return index;
}

Pricer::Outcome Pricer::minimise(const Position& position, Goal goal) {
    begin(position);
    const Outcome outcome = generate(position, goal);
    known_.clear();
    for (std::size_t i = 0; i < pool_.size(); ++i)
        if (pool_[i].from <= first_point_) known_.push_back(i);
    return outcome;
}

/// The best known bound for the position, from prices that are known or that price nearly all out.
Pricer::Outcome Pricer::begin_bound(const Position& position) {
    std::ranges::sort(ranked_);
    if (active_.size() == 1 || ranked_.empty() || ranked_.front().first == Window::unknown) {
        const std::size_t index = price_out_all_but_slowest();
        ranked_.insert(ranked_.begin(), {window_->surplus(pool_[index], position), index});
    }
    used_by_[ranked_.front().second] = call_;
    return {.surplus = ranked_.front().first, .best = ranked_.front().second};
}

bool Pricer::is_near(const Outcome& outcome, Goal goal) const {
    const double best = static_cast<double>(outcome.surplus) / static_cast<double>(window_->unit());
    if (goal == Goal::sign && outcome.reached > noise * left_) return true;
    const double tolerance = goal == Goal::sign ? 0 : std::max(0.01, 0.02 * best);
    return best - outcome.reached <= std::max(noise * left_, tolerance);
}

Pricer::Outcome Pricer::generate(const Position& position, Goal goal) {
    const std::size_t rows = active_.size() - 1;
    Outcome outcome = begin_bound(position);
    // Boundless even so: the slowest alone could do it many times over.
    if (rows == 0 || outcome.surplus < 0 || outcome.surplus == Window::unknown) return outcome;
    begin_master();
    for (std::size_t i = 0; i < std::min(ranked_.size(), rows + 1); ++i)
        if (ranked_[i].first < Window::unknown) add_column(ranked_[i].second, position);
    // The master's prices jump about, so they are mixed with the best known ones where there are
    // many rows, and the more so where worths were boundless.
    const double usual = rows >= 4 ? 0.5 : 0;
    double share = usual;
    // One call keeps the valuations of all its columns.
    const std::size_t affordable = most_cells / (window_->points() * window_->width());
    for (std::size_t trials = std::min(60 + 20 * rows, affordable); trials > 0; --trials) {
        master_.solve();
        outcome.reached = (master_.value() - 1) * left_;
        if (is_near(outcome, goal)) break;
        if (meter_->over()) {
            outcome.cut_short = true;
            break;
        }
        price_by_master();
        move_towards(pool_[outcome.best], share);
        const std::size_t index = fresh();
        Valuation& valuation = pool_[index];
        valuation.price = trial_;
        window_->evaluate(valuation, from_);
        meter_->spend((window_->points() - from_) * window_->classes());
        const Wide surplus = window_->surplus(valuation, position);
        if (surplus == Window::unknown) {
            RoughValuation rough;
            rough.price = trial_;
            window_->evaluate(rough, from_);
            valuation.choice = std::move(rough.choice);
        }
        add_column(index, position);
        share = surplus == Window::unknown ? (1 + share) / 2 : usual;
        if (surplus >= outcome.surplus) continue;
        outcome.surplus = surplus;
        outcome.best = index;
        if (surplus < 0) break;
    }
    // The last columns may have come after the last solution.
    const auto shares = master_.amounts().subspan(rows);
    for (std::size_t j = 0; j < shares.size(); ++j)
        if (shares[j] > 0) mix_.push_back({columns_[j], shares[j]});
    return outcome;
}

}  // namespace espalier::sender
