#pragma once

#include <string>
#include <string_view>

namespace espalier {

/// The whole content of a file; `-` is standard input. Throws InputError naming the file.
std::string read_file(const std::string& path);

/// Writes all or nothing: to a temporary name in the same folder, then renamed. `-` is standard
/// output. Throws InputError naming the file where it can't be written.
void write_file(const std::string& path, std::string_view content);

}  // namespace espalier
