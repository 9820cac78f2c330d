#pragma once

#include "measure/channel.hpp"
#include "measure/method/compute.hpp"

#include <string>
#include <vector>

namespace espalier::measure {

/// The name of the kernel that ranks compute: `path`, or our own kernel if that is empty.
[[nodiscard]] std::string kernel_name(const std::string& path);

/// Lets all ranks compute at once for about `seconds`, because so they will, and tells rank 0 each
/// host's cycle time; nothing elsewhere. `path` is a file for load_kernel(); empty: our own kernel.
/// Collective. Throws InputError everywhere if some rank finds no kernel, or one whose work or time
/// is nothing.
[[nodiscard]] std::vector<CycleTime> time_computing(
    const Channel& channel, const std::vector<std::vector<int>>& ranks_of_host,
    const std::string& path, double seconds);

}  // namespace espalier::measure
