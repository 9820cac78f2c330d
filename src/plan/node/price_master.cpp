#include "plan/node/price_master.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace espalier::plan::node {

namespace {

constexpr double least_gain = 1e-10;
constexpr double least_pivot = 1e-9;
constexpr std::size_t no_variable = std::numeric_limits<std::size_t>::max();

}  // namespace

void PriceMaster::reset(std::size_t rows, double buy) {
    rows_ = rows;
    buy_ = buy;
    columns_ = 0;
    use_.clear();
    gain_.clear();
    scale_.clear();
    const std::size_t n = size();
    basis_.resize(n);
    in_basis_.assign(fixed_variables(), false);
    for (std::size_t r = 0; r < n; ++r) {
        basis_[r] = r == rows_ ? 2 * rows_ : r;
        in_basis_[basis_[r]] = true;
    }
    inverse_.assign(n * n, 0);
    for (std::size_t r = 0; r < n; ++r) inverse_[r * n + r] = 1;
    level_.assign(n, 1);
    dual_.assign(n, 0);
    direction_.resize(n);
    entering_column_.resize(n);
    shares_.clear();
    value_ = 0;
}

void PriceMaster::add_column(std::span<const double> use, double gain) {
    assert(use.size() == rows_);
    double scale = std::max(1.0, std::abs(gain));
    for (const double entry : use) scale = std::max(scale, entry);
    for (const double entry : use) use_.push_back(entry / scale);
    gain_.push_back(gain / scale);
    scale_.push_back(1 / scale);
    in_basis_.push_back(false);
    ++columns_;
}

double PriceMaster::gain_of(std::size_t variable) const {
    if (variable >= fixed_variables()) return gain_[variable - fixed_variables()];
    return variable >= rows_ && variable < 2 * rows_ ? -buy_ : 0;
}

void PriceMaster::entries_of(std::size_t variable, std::span<double> out) const {
    std::ranges::fill(out, 0);
    if (variable < rows_) {
        out[variable] = 1;
    } else if (variable < 2 * rows_) {
        out[variable - rows_] = -1;
    } else {
        out[rows_] = 1;
        if (variable == 2 * rows_) return;
        const std::size_t column = variable - fixed_variables();
        out[rows_] = scale_[column];
        const double* use = use_.data() + column * rows_;
        std::copy(use, use + rows_, out.begin());
    }
}

double PriceMaster::dot_dual(std::size_t variable) const {
    if (variable < rows_) return dual_[variable];
    if (variable < 2 * rows_) return -dual_[variable - rows_];
    if (variable == 2 * rows_) return dual_[rows_];
    const std::size_t column = variable - fixed_variables();
    double sum = dual_[rows_] * scale_[column];
    const double* use = use_.data() + column * rows_;
    for (std::size_t r = 0; r < rows_; ++r) sum += dual_[r] * use[r];
    return sum;
}

void PriceMaster::compute_duals() {
    const std::size_t n = size();
    std::ranges::fill(dual_, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const double gain = gain_of(basis_[i]);
        if (gain == 0) continue;
        for (std::size_t r = 0; r < n; ++r) dual_[r] += gain * inverse_[i * n + r];
    }
}

std::size_t PriceMaster::entering() const {
    double most = least_gain;
    std::size_t best = no_variable;
    for (std::size_t variable = 0; variable < in_basis_.size(); ++variable) {
        if (in_basis_[variable]) continue;
        const double gain = gain_of(variable) - dot_dual(variable);
        if (gain > most) {
            most = gain;
            best = variable;
        }
    }
    return best;
}

bool PriceMaster::pivot(std::size_t variable) {
    const std::size_t n = size();
    entries_of(variable, entering_column_);
    double steepest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t r = 0; r < n; ++r) sum += inverse_[i * n + r] * entering_column_[r];
        direction_[i] = sum;
        steepest = std::max(steepest, std::abs(sum));
    }
    std::size_t leaving = n;
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        if (direction_[i] <= least_pivot * std::max(1.0, steepest)) continue;
        const double ratio = std::max(level_[i], 0.0) / direction_[i];
        const bool steeper = leaving < n && direction_[i] > direction_[leaving];
        if (ratio < step - 1e-14 || (ratio <= step + 1e-14 && steeper)) {
            step = std::min(step, ratio);
            leaving = i;
        }
    }
    if (leaving == n) return false;
    const double scale = 1 / direction_[leaving];
    for (std::size_t r = 0; r < n; ++r) inverse_[leaving * n + r] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
        if (i == leaving || direction_[i] == 0) continue;
        const double factor = direction_[i];
        for (std::size_t r = 0; r < n; ++r)
            inverse_[i * n + r] -= factor * inverse_[leaving * n + r];
    }
    // From the inverse, so that errors don't add up: the right-hand side is all ones.
    for (std::size_t i = 0; i < n; ++i) {
        level_[i] = 0;
        for (std::size_t r = 0; r < n; ++r) level_[i] += inverse_[i * n + r];
    }
    in_basis_[basis_[leaving]] = false;
    in_basis_[variable] = true;
    basis_[leaving] = variable;
    return true;
}

void PriceMaster::solve() {
    const std::size_t most_pivots = 50 + 10 * size();  // ends a cycle, should there ever be one
    compute_duals();
    for (std::size_t pivots = 0; pivots < most_pivots; ++pivots) {
        const std::size_t variable = entering();
        if (variable == no_variable || !pivot(variable)) break;
        compute_duals();
    }
    read_solution();
}

void PriceMaster::read_solution() {
    shares_.assign(columns_, 0);
    value_ = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        value_ += gain_of(basis_[i]) * level_[i];
        if (basis_[i] < fixed_variables()) continue;
        const std::size_t column = basis_[i] - fixed_variables();
        shares_[column] = std::max(0.0, level_[i]) * scale_[column];
    }
}

}  // namespace espalier::plan::node
