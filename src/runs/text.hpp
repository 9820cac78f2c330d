#pragma once

#include "runs/run.hpp"

#include <string>

namespace espalier::runs {

/// All that a run's file says to people: its summary, the calls in which rank 0 was longest, by
/// what they were done, what was predicted and measured, and all that was left to MPI and why.
[[nodiscard]] std::string text(const Run& run);

}  // namespace espalier::runs
