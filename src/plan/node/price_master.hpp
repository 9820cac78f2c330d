#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::plan::node {

/// The master program of a Dantzig-Wolfe decomposition with a handful of rows, by the primal
/// simplex method: mix known columns so that they gain the most within the supplies.
///
///     max  sum w_j gain_j - sum buy_r z_r
///     s.t. sum w_j use_jr <= 1 + z_r  for each row r,   sum w_j <= 1,   w, z >= 0
///
/// The duals of the rows are prices between 0 and `buy`. It starts from a column that is all zeros,
/// so it always has a solution.
class PriceMaster {
public:
    /// Forgets all columns.
    void reset(std::size_t rows, double buy);
    /// `use` has one entry per row.
    void add_column(std::span<const double> use, double gain);
    /// Improves the solution until it is optimal for the columns (or, numerically, stuck).
    void solve();

    [[nodiscard]] double value() const { return value_; }
    [[nodiscard]] double price(std::size_t row) const { return dual_[row]; }
    /// The share of each column, in the order in which they were added.
    [[nodiscard]] std::span<const double> shares() const { return shares_; }

private:
    [[nodiscard]] double gain_of(std::size_t variable) const;
    void entries_of(std::size_t variable, std::span<double> out) const;
    [[nodiscard]] double dot_dual(std::size_t variable) const;
    void compute_duals();
    [[nodiscard]] std::size_t entering() const;
    /// False where nothing limits the variable or the pivot is too small to trust.
    bool pivot(std::size_t variable);
    void read_solution();

    // Variables: a slack of each row, a purchase of each row, the slack of the shares' sum, then
    // the columns.
    [[nodiscard]] std::size_t fixed_variables() const { return 2 * rows_ + 1; }
    [[nodiscard]] std::size_t size() const { return rows_ + 1; }

    std::size_t rows_ = 0;
    double buy_ = 0;
    std::size_t columns_ = 0;
    std::vector<double> use_;  // scaled, so that none of a column's entries is large
    std::vector<double> gain_;
    std::vector<double> scale_;
    std::vector<std::size_t> basis_;
    std::vector<bool> in_basis_;
    std::vector<double> inverse_;  // of the basis, row by row
    std::vector<double> level_;    // of the basic variables
    std::vector<double> dual_;
    std::vector<double> direction_;
    std::vector<double> entering_column_;
    std::vector<double> shares_;
    double value_ = 0;
};

}  // namespace espalier::plan::node
