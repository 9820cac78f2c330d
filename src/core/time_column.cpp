#include "core/time_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace espalier {

TimeColumn::TimeColumn(Seconds measure, std::size_t digits, std::string own_unit)
    : unit_(std::move(own_unit)) {
    if (!unit_.empty()) return;
    constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
    const auto* const fits =
        std::ranges::find_if(units, [&](const auto& unit) { return measure.value >= unit.second; });
    const auto& [name, factor] = fits != units.end() ? *fits : units.front();
    unit_ = name;
    factor_ = factor;
    const double scaled = std::max(1.0, measure.value / factor);
    decimals_ = std::max(0, static_cast<int>(digits) - 1 - static_cast<int>(std::log10(scaled)));
}

TimeColumn TimeColumn::of_computing() {
    constexpr Seconds in_ms{0.1};
    constexpr std::size_t digits = 4;
    return {in_ms, digits};
}

std::string TimeColumn::title(const std::string& words) const {
    return fmt::format("{} ({})", words, unit_);
}

std::string TimeColumn::cell(Seconds time) const {
    constexpr double most_written_out = 1e9;
    const double scaled = time.value / factor_;
    if (decimals_ < 0) return fmt::format("{:.6g}", scaled);
    if (std::abs(scaled) >= most_written_out) return fmt::format("{:.3g}", scaled);
    return fmt::format("{:.{}f}", scaled, decimals_);
}

}  // namespace espalier
