#include "overview/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace espalier::overview {

Unit unit_for(const std::vector<double>& values, double readable,
              std::initializer_list<Unit> ascending) {
    Unit chosen = *ascending.begin();
    double least = 0;
    double greatest = 0;
    for (const double value : values) {
        if (!(value > 0)) continue;
        least = least > 0 ? std::min(least, value) : value;
        greatest = std::max(greatest, value);
    }
    for (const Unit& unit : ascending)
        if (greatest >= unit.one && least >= readable * unit.one) chosen = unit;
    return chosen;
}

std::string Unit::number(double value) const {
    const double scaled = value / one;
    // 99.95 is what three digits would round up to 100.
    constexpr double most_written_out = 1e9;
    if (std::abs(scaled) >= 999.5 && std::abs(scaled) < most_written_out)
        return fmt::format("{:.0f}", scaled);
    return fmt::format("{:.3g}", scaled);
}

std::string Unit::number(const std::optional<double>& value) const {
    return value ? number(*value) : "-";
}

std::string Unit::with_name(double value) const {
    return name.empty() ? number(value) : number(value) + " " + name;
}

std::string Unit::after(const std::string& title) const {
    return name.empty() ? title : fmt::format("{} ({})", title, name);
}

Unit time_unit(const Overview& overview, const std::vector<double>& times) {
    if (!overview.in_seconds()) return {1, overview.time_unit};
    return unit_for(times, 0.01, {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}});
}

Unit rate_unit(const Overview& overview, const std::vector<double>& rates) {
    if (!overview.in_seconds()) return {};
    return unit_for(rates, 0.1, {{1e3 / 8, "kbit/s"}, {1e6 / 8, "Mbit/s"}, {1e9 / 8, "Gbit/s"}});
}

std::vector<double> known_values(const Matrix<std::optional<double>>& cells,
                                 const std::vector<std::size_t>& groups) {
    std::vector<double> values;
    if (cells.rows() == 0) return values;
    for (const std::size_t i : groups)
        for (const std::size_t j : groups)
            if (const auto& cell = cells(i, j)) values.push_back(*cell);
    return values;
}

}  // namespace espalier::overview
