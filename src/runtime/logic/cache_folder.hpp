#pragma once

#include "runtime/logic/settings.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace espalier::runtime {

/// The folder of what one run of a program keeps for later ones: `chosen` (ESPALIER_CACHE), else
/// espalier in $XDG_CACHE_HOME, else ~/.cache/espalier. Empty if no variable says so. XDG Base
/// Directory Specification: a relative path there counts as unset.
[[nodiscard]] std::string cache_folder(const std::string& chosen, const Environment& environment);

/// Like read_file(), but never waits for a pipe, and takes no file for ours that can't be.
[[nodiscard]] std::string read_kept(const std::string& path);

/// The files of a kind that are kept; beyond that the oldest go.
inline constexpr std::size_t most_kept = 256;

/// Removes the oldest of the JSON files in `folder` that have `-KIND-` in their name, beyond the
/// `most_kept` newest; returns them.
std::vector<std::filesystem::path> forget_oldest(const std::string& folder,
                                                 const std::string& kind);

}  // namespace espalier::runtime
