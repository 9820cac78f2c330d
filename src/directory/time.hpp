#pragma once

#include "core/units.hpp"
#include "directory/measurement.hpp"

#include <string>
#include <string_view>

namespace espalier::directory {

/// The time of this machine's clock.
[[nodiscard]] Time now();

/// `2026-11-21T10:30:00Z`, with a fraction where there is one; comes back exactly.
[[nodiscard]] std::string format_time(Time time);
/// Reads `2026-11-21T10:30:00Z`, `2026-11-21T10:30:00.25Z`, `2026-11-21T10:30Z` or `2026-11-21`,
/// all of them UTC, from 1970 to 9999; digits beyond microseconds are cut. Throws InputError that
/// names `where`.
[[nodiscard]] Time parse_date(std::string_view text, const std::string& where);
/// A date, `now`, or `-2h`: so long before `present`.
[[nodiscard]] Time parse_time(std::string_view text, const std::string& where, Time present);

/// The time `span` before `time`, but not before 1970.
[[nodiscard]] Time before(Time time, Seconds span);
/// `45 s`, `12 min`, `3.5 h`, `20 d`: how long something is ago.
[[nodiscard]] std::string format_age(Seconds age);

}  // namespace espalier::directory
