#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::cli {

/// By when each message is due, and what missing that counts: a CSV of pairs of these nodes. Throw
/// InputError naming the file and the pair for a value that is not positive.
[[nodiscard]] Matrix<std::optional<Seconds>> read_deadlines(const std::string& path,
                                                            const std::vector<std::string>& names);
[[nodiscard]] Matrix<double> read_priorities(const std::string& path,
                                             const std::vector<std::string>& names);

}  // namespace espalier::cli
