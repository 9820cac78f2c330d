#pragma once

#include "core/units.hpp"

#include <string>
#include <string_view>

namespace espalier {

/// Reads `512`, `64KiB`, `4MB`, `1.5GiB`: powers of 1024 with an i, of 1000 without.
/// Throws InputError that names `where` (an option, a field) unless it is a whole number of bytes.
Bytes parse_bytes(std::string_view text, const std::string& where);
/// Reads `10ms`, `2s`, `47us`, `3ns`, `1min`, `6h`, `7d`; a bare number is seconds.
Seconds parse_seconds(std::string_view text, const std::string& where);
/// Reads `10Mbps`, `500kbit/s`, `1.2GB/s`, `30MiB/s`: bits with a lower-case b, bytes with an
/// upper-case one, by 1000 but for the units with an i. A unit is needed: a bare number could be
/// either.
BytesPerSecond parse_rate(std::string_view text, const std::string& where);
/// A finite number, whole text; throws InputError that names `where`.
double parse_number(std::string_view text, const std::string& where);
/// A whole number >= least; throws InputError that names `where`.
std::uint64_t parse_count(std::string_view text, const std::string& where, std::uint64_t least = 0);

/// `512 B`, `64 KiB`, `4 MiB`: the largest unit that divides or needs at most two decimals.
std::string format_bytes(Bytes size);
/// `47.6 us`, `12.2 ms`, `3.41 s`: three significant digits.
std::string format_seconds(Seconds time);

}  // namespace espalier
