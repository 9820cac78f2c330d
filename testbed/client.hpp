#pragma once

#include "testbed/state.hpp"

#include <string>
#include <vector>

namespace espalier::testbed {

/// NAME=value of each variable of this process, and of ESPALIER_TESTBED.
[[nodiscard]] std::vector<std::string> environment_on(const State& state);

/// Runs a command on a host, in this process's place: its folder, its standard streams; signals
/// that would end this process go to the command. The exit status of the command, 128 and the
/// number of a signal that ended it. Throws InputError where the testbed is not up, has no such
/// host, or ends.
[[nodiscard]] int run_on_host(const State& state, const std::string& host,
                              const std::vector<std::string>& words,
                              const std::vector<std::string>& environment);

/// Has the network changed, and waits until it is; `words` as Changer::answer has them, whose
/// result it is. Throws InputError where none is up, or with what the testbed complains of.
[[nodiscard]] std::string change(const State& state, const std::vector<std::string>& words);

/// Has the testbed taken down, and waits for that. Throws InputError where none is up.
void take_down(const State& state);

}  // namespace espalier::testbed
