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

/// `512 B`, `64 KiB`, `4 MB`: four significant digits, in units by 1024 or by 1000, whichever say
/// the size exactly and in fewer digits; by 1024 where neither do.
std::string format_bytes(Bytes size);
/// The same in the kind of units that `like` is said in: a part of a message beside the whole.
std::string format_bytes(Bytes size, Bytes like);
/// `47.6 us`, `12.2 ms`, `3.41 s`, `27.2 h`, `41.6 d`: three significant digits, seconds up to
/// 10,000.
std::string format_seconds(Seconds time);
/// `47.2 MB/s`: three significant digits, units by 1000.
std::string format_rate(BytesPerSecond rate);

}  // namespace espalier
