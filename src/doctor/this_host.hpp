#pragma once

#include "doctor/facts.hpp"

#include <cstdint>

namespace espalier::doctor {

/// What this host's kernel, environment and name say of it.
[[nodiscard]] Host describe_this_host();

/// What these hosts' names stand for here. A name service that does not answer within two seconds
/// knows none of them.
[[nodiscard]] std::map<std::string, std::vector<std::string>> look_up(
    const std::vector<std::string>& names);

/// Seconds that a fixed piece of computing takes now: about a tenth.
[[nodiscard]] double time_work();

}  // namespace espalier::doctor
