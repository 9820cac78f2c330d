#pragma once

#include <string>
#include <vector>

namespace espalier::report {

enum class Scale { linear, log };
/// The unit of the numbers along an axis: none, or seconds or bytes, written with their unit.
enum class AxisUnit { number, seconds, bytes };

struct Range {
    double from = 0;
    double to = 1;
};

struct Tick {
    double value = 0;
    std::string label;
};

/// Round numbers (1, 2 or 5 times a power of ten; powers of two for bytes) within the range, at
/// most `at_most` (>= 2) of them, with labels in one unit. A logarithmic range must be positive.
[[nodiscard]] std::vector<Tick> ticks(Range range, Scale scale, AxisUnit unit, std::size_t at_most);

/// The least range around this one that begins and ends on round numbers and is not empty.
[[nodiscard]] Range rounded(Range range, Scale scale, AxisUnit unit, std::size_t at_most);

/// Maps values to pixels.
class AxisMap {
public:
    AxisMap(Range values, Range pixels, Scale scale = Scale::linear)
        : values_(values), pixels_(pixels), scale_(scale) {}
    [[nodiscard]] double operator()(double value) const;

private:
    Range values_;
    Range pixels_;
    Scale scale_;
};

}  // namespace espalier::report
