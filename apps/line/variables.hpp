#pragma once

#include "line/app.hpp"

#include <string_view>
#include <vector>

namespace espalier::line {

/// A variable of the environment that a command goes by, or the library in programs that it starts.
struct Variable {
    std::string_view name;
    std::string_view value;
    std::string_view words;
};

/// Those of a command; of the program itself all.
[[nodiscard]] std::vector<Variable> variables_of(const CLI::App& command);

}  // namespace espalier::line
