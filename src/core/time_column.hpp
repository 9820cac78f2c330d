#pragma once

#include "core/units.hpp"

#include <string>

namespace espalier {

/// Times that stand in a column of a table: all in one unit, which the title names, and with the
/// same number of decimals, so that they can be compared by their look.
class TimeColumn {
public:
    /// In the unit and with the decimals by which `measure` has so many digits. `own_unit`: the
    /// network's own, whose times are said as they are; empty: seconds.
    TimeColumn(Seconds measure, std::size_t digits, std::string own_unit = "");

    /// Of times that a machine takes to compute something: in tenths of a millisecond, so that the
    /// title is the same whatever the machine's speed.
    [[nodiscard]] static TimeColumn of_computing();

    /// `start (ms)`.
    [[nodiscard]] std::string title(const std::string& words) const;
    [[nodiscard]] std::string cell(Seconds time) const;

private:
    std::string unit_;
    double factor_ = 1;
    int decimals_ = -1;  ///< negative: as many as it takes
};

}  // namespace espalier
