#include "core/text.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace espalier {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array<Unit, 10> size_units{{{"", 1},
                                           {"B", 1},
                                           {"KiB", 1024.0},
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"TiB", 1099511627776.0},
                                           {"kB", 1e3},
                                           {"KB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9}}};
constexpr std::array<Unit, 8> time_units{{{"", 1},
                                          {"s", 1},
                                          {"ms", 1e-3},
                                          {"us", 1e-6},
                                          {"ns", 1e-9},
                                          {"min", 60},
                                          {"h", 3600},
                                          {"d", 86400}}};

constexpr std::array<Unit, 19> rate_units{{{"bps", 1.0 / 8},
                                           {"kbps", 1e3 / 8},
                                           {"Mbps", 1e6 / 8},
                                           {"Gbps", 1e9 / 8},
                                           {"bit/s", 1.0 / 8},
                                           {"kbit/s", 1e3 / 8},
                                           {"Mbit/s", 1e6 / 8},
                                           {"Gbit/s", 1e9 / 8},
                                           {"Bps", 1.0},
                                           {"kBps", 1e3},
                                           {"MBps", 1e6},
                                           {"GBps", 1e9},
                                           {"B/s", 1.0},
                                           {"kB/s", 1e3},
                                           {"MB/s", 1e6},
                                           {"GB/s", 1e9},
                                           {"KiB/s", 1024.0},
                                           {"MiB/s", 1048576.0},
                                           {"GiB/s", 1073741824.0}}};

/// The number at the head of `text` times the unit at its tail; NaN where either can't be read.
double scaled(std::string_view text, std::span<const Unit> units) {
    double number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{}) return std::nan("");
    std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
    while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
    for (const Unit& unit : units)
        if (suffix == unit.name) return number * unit.factor;
    return std::nan("");
}

}  // namespace

Bytes parse_bytes(std::string_view text, const std::string& where) {
    const double size = scaled(text, size_units);
    if (!(size >= 0 && size < 0x1.0p63) || size != std::floor(size))
        throw InputError(where, "",
                         fmt::format("'{}' is not a size such as 512, 64KiB or 4MB", text));
    return Bytes(static_cast<std::uint64_t>(size));
}

Seconds parse_seconds(std::string_view text, const std::string& where) {
    const double time = scaled(text, time_units);
    if (!(time >= 0) || std::isinf(time))
        throw InputError(where, "", fmt::format("'{}' is not a time such as 10ms or 2s", text));
    return Seconds(time);
}

BytesPerSecond parse_rate(std::string_view text, const std::string& where) {
    const double rate = scaled(text, rate_units);
    if (!(rate >= 0) || std::isinf(rate))
        throw InputError(where, "",
                         fmt::format("'{}' is not a rate such as 500kbps or 10MB/s", text));
    return BytesPerSecond(rate);
}

double parse_number(std::string_view text, const std::string& where) {
    double number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || rest != text.data() + text.size() || !std::isfinite(number))
        throw InputError(where, "", fmt::format("'{}' is not a number", text));
    return number;
}

std::uint64_t parse_count(std::string_view text, const std::string& where, std::uint64_t least) {
    std::uint64_t number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || rest != text.data() + text.size() || number < least)
        throw InputError(where, "",
                         fmt::format("'{}' is not a whole number of at least {}", text, least));
    return number;
}

std::string format_bytes(Bytes size) {
    constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
    double scaled_size = static_cast<double>(size.value);
    std::size_t unit = 0;
    while (scaled_size >= 1024 && unit + 1 < names.size()) {
        scaled_size /= 1024;
        ++unit;
    }
    return fmt::format("{:.4g} {}", scaled_size, names.at(unit));
}

std::string format_seconds(Seconds time) {
    constexpr std::array<std::string_view, 4> names{"ns", "us", "ms", "s"};
    if (time.value == 0) return "0 s";
    double scaled_time = time.value * 1e9;
    std::size_t unit = 0;
    // 999.5 is what three digits would round up to 1000.
    while (std::abs(scaled_time) >= 999.5 && unit + 1 < names.size()) {
        scaled_time /= 1000;
        ++unit;
    }
    return std::abs(scaled_time) < 999.5 ? fmt::format("{:.3g} {}", scaled_time, names.at(unit))
                                         : fmt::format("{:.0f} {}", scaled_time, names.at(unit));
}

}  // namespace espalier
