#include "core/text.hpp"

#include "core/csv.hpp"
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

constexpr std::array<Unit, 11> size_units{{{"", 1},
                                           {"B", 1},
                                           {"KiB", 1024.0},
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"TiB", 1099511627776.0},
                                           {"kB", 1e3},
                                           {"KB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12}}};
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

/// Units that a size is said in: each is `step` of the one before.
struct SizeUnits {
    double step;
    std::array<std::string_view, 5> names;
};
constexpr SizeUnits by_1024{1024, {"B", "KiB", "MiB", "GiB", "TiB"}};
constexpr SizeUnits by_1000{1000, {"B", "kB", "MB", "GB", "TB"}};

std::string said_in(const SizeUnits& units, double size) {
    std::size_t unit = 0;
    while (size >= units.step && unit + 1 < units.names.size()) {
        size /= units.step;
        ++unit;
    }
    return fmt::format("{:.4g} {}", size, units.names.at(unit));
}

/// Those that say a size in fewer digits without rounding it.
const SizeUnits& units_for(Bytes size) {
    const auto exactly = [&](const SizeUnits& units) {
        const std::string text = said_in(units, static_cast<double>(size.value));
        return scaled(text, size_units) == static_cast<double>(size.value) ? text.find(' ')
                                                                           : std::string::npos;
    };
    return exactly(by_1000) < exactly(by_1024) ? by_1000 : by_1024;
}

/// What to write in place of `4M` or `4mb`, for the end of a sentence; empty for what means
/// nothing.
std::string meant_size(std::string_view text) {
    const std::size_t digits = text.find_first_not_of("0123456789. ");
    if (digits == 0 || digits == std::string_view::npos) return {};
    std::string unit(text.substr(digits));
    for (char& letter : unit)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    const std::string number(trimmed(text.substr(0, digits)));
    if (unit.size() > 3 || std::string_view("KMGT").find(unit.front()) == std::string_view::npos)
        return {};
    const char prefix = unit.front();
    const std::string_view rest = std::string_view(unit).substr(1);
    if (rest == "IB" || rest == "I") return fmt::format("; write {}{}iB", number, prefix);
    if (!rest.empty() && rest != "B") return {};
    return fmt::format("; write {0}{1}iB (by 1024) or {0}{2}B (by 1000)", number, prefix,
                       prefix == 'K' ? 'k' : prefix);
}

}  // namespace

Bytes parse_bytes(std::string_view text, const std::string& where) {
    const double size = scaled(text, size_units);
    if (!(size >= 0 && size < 0x1.0p63) || size != std::floor(size))
        throw InputError(
            where, "",
            fmt::format("'{}' is not a size such as 512, 64KiB or 4MB{}", text, meant_size(text)));
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

std::string format_bytes(Bytes size, Bytes like) {
    return said_in(units_for(like), static_cast<double>(size.value));
}

std::string format_bytes(Bytes size) { return format_bytes(size, size); }

std::string format_seconds(Seconds time) {
    constexpr std::array<std::string_view, 4> names{"ns", "us", "ms", "s"};
    constexpr double hour = 3600;
    constexpr double day = 24 * hour;
    const double size = std::abs(time.value);
    if (size == 0) return "0 s";
    if (size >= 1e5 * day) return fmt::format("{:.3g} s", time.value);
    if (size >= 100 * hour)
        return fmt::format("{:.{}f} d", time.value / day, size >= 100 * day ? 0 : 1);
    if (size >= 1e4) return fmt::format("{:.3g} h", time.value / hour);
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

std::string format_rate(BytesPerSecond rate) {
    constexpr std::array<std::string_view, 5> names{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    double scaled_rate = rate.value;
    std::size_t unit = 0;
    while (std::abs(scaled_rate) >= 999.5 && unit + 1 < names.size()) {
        scaled_rate /= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}", scaled_rate, names.at(unit));
}

}  // namespace espalier
