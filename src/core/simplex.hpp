#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier {

/// A linear program of few rows, by the revised primal simplex method with a dense inverse of the
/// basis (Dantzig's rule; in the end the first column that helps, so that it can't go round):
///
///     max  sum gain_j x_j    s.t.  sum use_rj x_j <= supply_r for each row r,   x >= 0
///
/// Columns may be added after a solution, which goes on from there (column generation).
class Simplex {
public:
    struct Entry {
        std::size_t row = 0;
        double amount = 0;  ///< of any sign
    };

    /// A program without columns, whose gain is 0. `supply` is that of each row, and >= 0.
    explicit Simplex(std::vector<double> supply);

    /// A row occurs at most once.
    void add_column(std::span<const Entry> entries, double gain);
    /// Improves the solution until it is optimal for the columns. Stops earlier where the gain is
    /// unlimited or, numerically, stuck.
    void solve();

    [[nodiscard]] double value() const { return value_; }
    /// The dual values: what one more of each row's supply would gain; >= 0 at the optimum, but for
    /// rounding.
    [[nodiscard]] std::span<const double> prices() const { return price_; }
    /// The amount of each column in the solution, in the order in which columns were added.
    [[nodiscard]] std::span<const double> amounts() const { return amount_; }

private:
    /// A column, scaled by its greatest number so that no entry and no gain is large.
    struct Column {
        std::size_t first = 0;  ///< of its entries
        std::size_t end = 0;
        double gain = 0;
        double scale = 1;  ///< of a unit
    };

    [[nodiscard]] std::span<const Entry> entries_of(const Column& column) const {
        return std::span(entries_).subspan(column.first, column.end - column.first);
    }
    void compute_prices();
    [[nodiscard]] std::size_t entering(bool first) const;
    bool pivot(std::size_t variable);
    void read_solution();

    // The variables are the slacks of the rows, then the columns.
    std::size_t rows_;
    std::vector<double> supply_;
    std::vector<Column> columns_;
    std::vector<Entry> entries_;
    std::vector<std::size_t> basis_;
    std::vector<bool> in_basis_;
    std::vector<double> inverse_;  ///< of the basis, row by row
    std::vector<double> level_;    ///< of the basic variables
    std::vector<double> price_;
    std::vector<double> direction_;
    std::vector<double> amount_;
    double value_ = 0;
};

}  // namespace espalier
