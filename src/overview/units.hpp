#pragma once

#include "core/matrix.hpp"
#include "overview/overview.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace espalier::overview {

/// The unit in which a table or a picture writes all of its numbers.
struct Unit {
    double one = 1;    ///< in the overview's own units
    std::string name;  ///< `ms`; empty: none

    /// Three significant digits, without the unit.
    [[nodiscard]] std::string number(double value) const;
    /// The same; `-` for what is not known.
    [[nodiscard]] std::string number(const std::optional<double>& value) const;
    /// With the unit behind it.
    [[nodiscard]] std::string with_name(double value) const;
    /// `title (ms)`; the title alone if there is no unit.
    [[nodiscard]] std::string after(const std::string& title) const;
};

/// The largest of `ascending` in which the greatest value is at least 1 and the least but 0 at
/// least `readable`; else the first.
[[nodiscard]] Unit unit_for(const std::vector<double>& values, double readable,
                            std::initializer_list<Unit> ascending);
/// The largest unit in which the greatest value is at least 1 and the least at least 0.01, or else
/// the one below: us, ms or s.
[[nodiscard]] Unit time_unit(const Overview& overview, const std::vector<double>& times);
/// Likewise kbit/s, Mbit/s or Gbit/s, the least being at least 0.1.
[[nodiscard]] Unit rate_unit(const Overview& overview, const std::vector<double>& rates);

/// What is known in some rows and columns of a matrix.
[[nodiscard]] std::vector<double> known_values(const Matrix<std::optional<double>>& cells,
                                               const std::vector<std::size_t>& groups);

}  // namespace espalier::overview
