#include "report/axis.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace espalier::report {

namespace {

/// mantissa * 10^exponent, correctly rounded for the exponents that occur, so that a tick at 10^-3
/// is the number 0.001.
double decimal(double mantissa, int exponent) {
    return exponent < 0 ? mantissa / std::pow(10.0, -exponent)
                        : mantissa * std::pow(10.0, exponent);
}

/// A distance between ticks: mantissa * 10^exponent, or a power of two where the mantissa is 0.
struct Step {
    int mantissa = 1;
    int exponent = 0;

    [[nodiscard]] double times(double count) const {
        return mantissa == 0 ? std::ldexp(count, exponent) : decimal(count * mantissa, exponent);
    }
};

/// The multiples of the step that lie in the range; rounding errors outside count as inside.
struct Multiples {
    double first;
    double last;
    [[nodiscard]] double count() const { return last - first + 1; }
};

Multiples multiples_within(Range range, const Step& step) {
    const double size = step.times(1);
    // Adding zero turns a negative zero into a plain one.
    return {std::ceil(range.from / size - 1e-9) + 0.0, std::floor(range.to / size + 1e-9)};
}

Step next(const Step& step) {
    switch (step.mantissa) {
        case 0:
            return {0, step.exponent + 1};
        case 1:
            return {2, step.exponent};
        case 2:
            return {5, step.exponent};
        default:
            return {1, step.exponent + 1};
    }
}

/// The smallest step with at most that many multiples in the range.
Step linear_step(Range range, AxisUnit unit, std::size_t at_most) {
    const double least = (range.to - range.from) / static_cast<double>(at_most);
    assert(least > 0);
    Step step = unit == AxisUnit::bytes
                    ? Step{0, std::max(0, static_cast<int>(std::floor(std::log2(least))))}
                    : Step{1, static_cast<int>(std::floor(std::log10(least)))};
    while (multiples_within(range, step).count() > static_cast<double>(at_most)) step = next(step);
    return step;
}

struct TimeUnit {
    std::string_view name;
    int exponent;
};
constexpr std::array<TimeUnit, 4> time_units{{{"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}}};

/// The largest unit that makes the number at least one.
TimeUnit time_unit_for(double seconds) {
    for (const TimeUnit& unit : time_units)
        if (seconds >= decimal(1, unit.exponent)) return unit;
    return seconds > 0 ? time_units.back() : time_units.front();
}

/// count * mantissa * 10^exponent in a unit, with no more decimals than that needs.
std::string label_decimal(double scaled, int exponent, int unit_exponent) {
    const int shift = exponent - unit_exponent;
    const double value = decimal(scaled, shift);
    if (value == 0) return "0";
    if (std::abs(value) >= 1e7 || shift < -6) return fmt::format("{:g}", value);
    return fmt::format("{:.{}f}", value, std::max(0, -shift));
}

std::string label_bytes(double value) {
    return format_bytes(Bytes(static_cast<std::uint64_t>(std::llround(value))));
}

std::vector<Tick> linear_ticks(Range range, AxisUnit unit, std::size_t at_most) {
    const TimeUnit time_unit = time_unit_for(std::max(std::abs(range.from), std::abs(range.to)));
    if (!(range.to > range.from))
        return {{range.from, unit == AxisUnit::seconds ? format_seconds(Seconds(range.from))
                                                       : fmt::format("{:g}", range.from)}};
    const Step step = linear_step(range, unit, at_most);
    const Multiples multiples = multiples_within(range, step);
    std::vector<Tick> out;
    for (double i = multiples.first; i <= multiples.last; ++i) {
        std::string label;
        if (unit == AxisUnit::bytes)
            label = label_bytes(step.times(i));
        else if (unit == AxisUnit::seconds)
            label = fmt::format("{} {}",
                                label_decimal(i * step.mantissa, step.exponent, time_unit.exponent),
                                time_unit.name);
        else
            label = label_decimal(i * step.mantissa, step.exponent, 0);
        out.push_back({step.times(i), std::move(label)});
    }
    return out;
}

std::string label_log(int mantissa, int exponent, AxisUnit unit) {
    if (unit == AxisUnit::seconds) {
        const TimeUnit time_unit = time_unit_for(decimal(mantissa, exponent));
        return fmt::format("{} {}", label_decimal(mantissa, exponent, time_unit.exponent),
                           time_unit.name);
    }
    return label_decimal(mantissa, exponent, 0);
}

bool within(double value, Range range) {
    return value >= range.from * (1 - 1e-9) && value <= range.to * (1 + 1e-9);
}

/// Multiples of powers of ten by these mantissas; every `stride`-th power only.
std::vector<Tick> decade_ticks(Range range, AxisUnit unit, std::span<const int> mantissas,
                               int stride) {
    std::vector<Tick> out;
    const int last = static_cast<int>(std::ceil(std::log10(range.to)));
    const int first = static_cast<int>(std::floor(std::log10(range.from)));
    for (int exponent = first; exponent <= last; ++exponent) {
        if (exponent % stride != 0) continue;
        for (const int mantissa : mantissas)
            if (const double value = decimal(mantissa, exponent); within(value, range))
                out.push_back({value, label_log(mantissa, exponent, unit)});
    }
    return out;
}

std::vector<Tick> binary_ticks(Range range, int stride) {
    std::vector<Tick> out;
    const int last = static_cast<int>(std::ceil(std::log2(range.to)));
    for (int exponent = std::max(0, static_cast<int>(std::floor(std::log2(range.from))));
         exponent <= last; ++exponent)
        if (const double value = std::ldexp(1, exponent);
            exponent % stride == 0 && within(value, range))
            out.push_back({value, label_bytes(value)});
    return out;
}

std::vector<Tick> log_ticks(Range range, AxisUnit unit, std::size_t at_most) {
    assert(range.from > 0 && range.to >= range.from);
    constexpr std::array<int, 3> fine{1, 2, 5};
    constexpr std::array<int, 1> coarse{1};
    std::vector<Tick> out;
    if (unit != AxisUnit::bytes) {
        out = decade_ticks(range, unit, fine, 1);
        if (out.size() <= at_most) return out;
    }
    for (int stride = 1;; ++stride) {
        out = unit == AxisUnit::bytes ? binary_ticks(range, stride)
                                      : decade_ticks(range, unit, coarse, stride);
        if (out.size() <= at_most) return out;
    }
}

/// The round numbers next to a positive one.
Range log_neighbours(double value, AxisUnit unit) {
    if (unit == AxisUnit::bytes) {
        const double power = std::log2(value);
        return {std::ldexp(1, static_cast<int>(std::floor(power + 1e-9))),
                std::ldexp(1, static_cast<int>(std::ceil(power - 1e-9)))};
    }
    const int exponent = static_cast<int>(std::floor(std::log10(value)));
    Range around{decimal(1, exponent), decimal(1, exponent + 1)};
    for (const int mantissa : {1, 2, 5}) {
        const double candidate = decimal(mantissa, exponent);
        if (candidate <= value * (1 + 1e-9)) around.from = candidate;
    }
    for (const int mantissa : {5, 2, 1}) {
        const double candidate = decimal(mantissa, exponent);
        if (candidate >= value * (1 - 1e-9)) around.to = candidate;
    }
    return around;
}

}  // namespace

std::vector<Tick> ticks(Range range, Scale scale, AxisUnit unit, std::size_t at_most) {
    assert(at_most >= 2);
    return scale == Scale::linear ? linear_ticks(range, unit, at_most)
                                  : log_ticks(range, unit, at_most);
}

Range rounded(Range range, Scale scale, AxisUnit unit, std::size_t at_most) {
    if (scale == Scale::log) {
        assert(range.from > 0);
        Range out{log_neighbours(range.from, unit).from, log_neighbours(range.to, unit).to};
        if (out.from == out.to) {
            out.from /= 2;
            out.to *= 2;
        }
        return out;
    }
    if (!(range.to > range.from)) {
        const double half = range.from == 0 ? 1 : std::abs(range.from) / 2;
        range = {range.from - half, range.to + half};
    }
    const Step step = linear_step(range, unit, at_most);
    const double size = step.times(1);
    return {step.times(std::floor(range.from / size + 1e-9)),
            step.times(std::ceil(range.to / size - 1e-9))};
}

double AxisMap::operator()(double value) const {
    const auto position = [this](double v) { return scale_ == Scale::log ? std::log(v) : v; };
    const double span = position(values_.to) - position(values_.from);
    if (!(span > 0)) return pixels_.from;
    const double share = (position(value) - position(values_.from)) / span;
    return pixels_.from + share * (pixels_.to - pixels_.from);
}

}  // namespace espalier::report
