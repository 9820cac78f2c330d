#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <string>

namespace espalier::report {

/// `Broadcast of 1 MiB from orsay, by ecef`.
[[nodiscard]] std::string title_of(const schedule::Plan& plan);
/// `makespan 3.41 s, 8.1% over the lower bound of 3.15 s for whole messages · 6 nodes ·
/// full-duplex`.
[[nodiscard]] std::string subtitle_of(const schedule::Plan& plan);
/// How far the makespan is from the lower bound, with the bound's scope; empty where none is known.
[[nodiscard]] std::string distance_from_bound(const schedule::Plan& plan);
/// A transfer or local part with its times, in lines.
[[nodiscard]] std::string describe_transfer(const schedule::Plan& plan, std::size_t transfer);
[[nodiscard]] std::string describe_local(const schedule::Plan& plan, std::size_t part);

}  // namespace espalier::report
