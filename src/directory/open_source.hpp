#pragma once

#include "directory/source.hpp"

#include <memory>
#include <string>

namespace espalier::directory {

/// Whether this names a source of measurements, rather than a file of another kind: the URL of a
/// Prometheus server, or an SQLite file.
[[nodiscard]] bool is_source(const std::string& path_or_url);

/// Throws InputError naming what it can't open.
[[nodiscard]] std::unique_ptr<Source> open_source(const std::string& path_or_url);

}  // namespace espalier::directory
