#pragma once

#include "directory/measurement.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace espalier::directory {

/// `latency`, `bandwidth` or `gap`.
[[nodiscard]] std::string_view name_of(Quantity quantity);
/// Throws InputError that names `where`.
[[nodiscard]] Quantity parse_quantity(std::string_view text, const std::string& where);

/// `A:B`. Where names hold colons themselves, the middle one divides (`a:80:b:80`). Throws
/// InputError that names `where`, also where both names are empty.
[[nodiscard]] Pair parse_pair(std::string_view text, const std::string& where);
/// `A:B,C:D`.
[[nodiscard]] std::vector<Pair> parse_pairs(std::string_view text, const std::string& where);
[[nodiscard]] std::string to_string(const Pair& pair);

/// Throws InputError naming `where` for what can't be true: a value that is negative or no finite
/// number, a bandwidth of 0, a gap without a size, a pair without names, an end left out of
/// anything but a bandwidth, a time before 1970.
void require_sound(const Measurement& measurement, const std::string& where);

/// All pairs that were active while it was measured, itself among them, in order; empty for a
/// measurement that was taken alone. Equal for measurements that were taken together.
[[nodiscard]] std::vector<Pair> company_of(const Measurement& measurement);

}  // namespace espalier::directory
