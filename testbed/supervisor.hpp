#pragma once

#include "testbed/keeper.hpp"

#include <string>
#include <vector>

namespace espalier::testbed {

/// Brings a testbed up, runs a command outside it with ESPALIER_TESTBED set, and takes all down:
/// the testbed and whatever the command left. The exit status of the command. Throws an Error where
/// the testbed can't be brought up or ends before the command, which is then killed.
[[nodiscard]] int run_in_testbed(const Topology& topology, const Settings& settings,
                                 const State& state, const std::vector<std::string>& words);

/// Brings a testbed up that stays until it is taken down.
void bring_up(const Topology& topology, const Settings& settings, const State& state);

}  // namespace espalier::testbed
