#pragma once

#include "testbed/keeper.hpp"

#include <string>

namespace espalier::testbed {

/// Brings a testbed up, has it checked by `check-running FILE [--json]` of this program, which
/// prints what it finds, and takes it down. 0, or 3 where it is not what was asked for.
[[nodiscard]] int check_testbed(const std::string& file, const Settings& settings, bool json);

/// The work of `check-running`, inside a testbed of that file.
[[nodiscard]] int check_running(const std::string& file, bool json);

}  // namespace espalier::testbed
