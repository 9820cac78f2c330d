#pragma once

#include <optional>
#include <string>

namespace espalier {

/// A variable of this process's environment; nullopt where it is not set, and in a program that
/// runs with more rights than who started it, and chose the variables.
[[nodiscard]] std::optional<std::string> environment(const std::string& name);

}  // namespace espalier
