#pragma once

#include "overview/overview.hpp"

#include <string>

namespace espalier::cli {

/// Throws InputError for a file that is neither .svg nor .html, or that can't be written.
void check_network_drawing(const std::string& file);
/// Writes a picture (.svg) or a page (.html) of a network, which was read from `source`.
void draw_network(const std::string& file, const overview::Overview& overview,
                  const std::string& source, const std::string& made);
/// One line about that file: `out.svg: grid of 5 clusters, 14 nodes`.
[[nodiscard]] std::string describe_network_drawing(const std::string& file,
                                                   const overview::Overview& overview);

}  // namespace espalier::cli
