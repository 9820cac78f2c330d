#pragma once

#include "testbed/keeper.hpp"

#include <string>

namespace espalier::testbed {

struct CheckOptions {
    std::string file;
    std::string window = "1.5s";  ///< a time > 0, as text
    bool json = false;
};

/// Brings a testbed up, has it checked by `check-running` of this program, which prints what it
/// finds, and takes it down. 0, or 3 where it is not what was asked for.
[[nodiscard]] int check_testbed(const CheckOptions& options, const Settings& settings);

/// The work of `check-running`, inside a testbed of that file.
[[nodiscard]] int check_running(const CheckOptions& options);

}  // namespace espalier::testbed
