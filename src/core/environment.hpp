#pragma once

#include <optional>
#include <string>

namespace espalier {

/// A variable of this process's environment; nullopt where it is not set.
[[nodiscard]] std::optional<std::string> environment(const std::string& name);

}  // namespace espalier
