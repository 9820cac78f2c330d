#include "core/simplex.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace espalier {

namespace {

constexpr double least_gain = 1e-10;
constexpr double least_pivot = 1e-9;
constexpr double same_ratio = 1e-14;
constexpr std::size_t no_variable = std::numeric_limits<std::size_t>::max();

}  // namespace

Simplex::Simplex(std::vector<double> supply)
    : rows_(supply.size()),
      supply_(std::move(supply)),
      basis_(rows_),
      in_basis_(rows_, true),
      inverse_(rows_ * rows_, 0),
      level_(supply_),
      price_(rows_, 0),
      direction_(rows_) {
    std::iota(basis_.begin(), basis_.end(), std::size_t{0});
    for (std::size_t r = 0; r < rows_; ++r) inverse_[r * rows_ + r] = 1;
}

void Simplex::add_column(std::span<const Entry> entries, double gain) {
    double greatest = std::abs(gain);
    for (const Entry& entry : entries) greatest = std::max(greatest, std::abs(entry.amount));
    Column column{.first = entries_.size(), .end = 0, .gain = 0, .scale = 1 / greatest};
    column.gain = gain * column.scale;
    for (const Entry& entry : entries) entries_.push_back({entry.row, entry.amount * column.scale});
    column.end = entries_.size();
    columns_.push_back(column);
    in_basis_.push_back(false);
    amount_.push_back(0);
}

void Simplex::compute_prices() {
    std::ranges::fill(price_, 0.0);
    for (std::size_t i = 0; i < rows_; ++i) {
        if (basis_[i] < rows_) continue;
        const double gain = columns_[basis_[i] - rows_].gain;
        for (std::size_t r = 0; r < rows_; ++r) price_[r] += gain * inverse_[i * rows_ + r];
    }
}

/// The variable that gains the most for a unit, or the first that gains at all.
std::size_t Simplex::entering(bool first) const {
    double most = least_gain;
    std::size_t best = no_variable;
    const auto consider = [&](std::size_t variable, double gain) {
        if (in_basis_[variable] || !(gain > most)) return;
        most = gain;
        best = variable;
    };
    for (std::size_t c = 0; c < columns_.size() && !(first && best != no_variable); ++c) {
        if (in_basis_[rows_ + c]) continue;
        double gain = columns_[c].gain;
        for (const Entry& entry : entries_of(columns_[c])) gain -= price_[entry.row] * entry.amount;
        consider(rows_ + c, gain);
    }
    for (std::size_t r = 0; r < rows_ && !(first && best != no_variable); ++r)
        consider(r, -price_[r]);
    return best;
}

/// Brings the variable into the basis; false if nothing limits it or the pivot is too small to
/// trust.
bool Simplex::pivot(std::size_t variable) {
    const Entry slack{variable, 1};
    const std::span<const Entry> entries =
        variable < rows_ ? std::span(&slack, 1) : entries_of(columns_[variable - rows_]);
    double steepest = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
        direction_[i] = 0;
        for (const Entry& entry : entries)
            direction_[i] += inverse_[i * rows_ + entry.row] * entry.amount;
        steepest = std::max(steepest, std::abs(direction_[i]));
    }
    std::size_t leaving = rows_;
    double step = infinity;
    for (std::size_t i = 0; i < rows_; ++i) {
        if (direction_[i] <= least_pivot * std::max(1.0, steepest)) continue;
        const double ratio = std::max(level_[i], 0.0) / direction_[i];
        const bool steeper = leaving < rows_ && direction_[i] > direction_[leaving];
        if (ratio < step * (1 - same_ratio) || (ratio <= step * (1 + same_ratio) && steeper)) {
            step = std::min(step, ratio);
            leaving = i;
        }
    }
    if (leaving == rows_) return false;
    double* const out = inverse_.data() + leaving * rows_;
    for (std::size_t r = 0; r < rows_; ++r) out[r] /= direction_[leaving];
    for (std::size_t i = 0; i < rows_; ++i) {
        if (i == leaving || direction_[i] == 0) continue;
        double* const row = inverse_.data() + i * rows_;
        for (std::size_t r = 0; r < rows_; ++r) row[r] -= direction_[i] * out[r];
    }
    // From the inverse, so that errors don't add up.
    for (std::size_t i = 0; i < rows_; ++i)
        level_[i] =
            std::inner_product(supply_.begin(), supply_.end(), inverse_.data() + i * rows_, 0.0);
    in_basis_[basis_[leaving]] = false;
    in_basis_[variable] = true;
    basis_[leaving] = variable;
    return true;
}

void Simplex::solve() {
    const std::size_t most_pivots = 50 + 10 * (rows_ + columns_.size());
    compute_prices();
    for (std::size_t pivots = 0; pivots < most_pivots; ++pivots) {
        const std::size_t variable = entering(pivots > most_pivots / 2);
        if (variable == no_variable || !pivot(variable)) break;
        compute_prices();
    }
    read_solution();
}

void Simplex::read_solution() {
    std::ranges::fill(amount_, 0.0);
    value_ = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
        if (basis_[i] < rows_) continue;
        const Column& column = columns_[basis_[i] - rows_];
        value_ += column.gain * level_[i];
        amount_[basis_[i] - rows_] = std::max(0.0, level_[i]) * column.scale;
    }
}

}  // namespace espalier
