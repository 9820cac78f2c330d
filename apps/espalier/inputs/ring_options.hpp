#pragma once

#include "frontend/ring_file.hpp"

#include <CLI/App.hpp>

namespace espalier::cli {

/// What a ring file may leave out.
void add_ring_options(CLI::App& app, frontend::RingOptions& options);

}  // namespace espalier::cli
