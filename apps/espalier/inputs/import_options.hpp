#pragma once

#include "frontend/importing.hpp"

#include <CLI/App.hpp>

namespace espalier::cli {

void add_import_options(CLI::App& app, frontend::ImportOptions& options);

}  // namespace espalier::cli
