#pragma once

#include <string>
#include <string_view>

namespace espalier {

/// The whole content of a file; `-` is standard input. Throws InputError naming the file.
std::string read_file(const std::string& path);

/// Writes all or nothing: to a temporary name in the same folder, then renamed. `-` is standard
/// output. Throws InputError naming the file where it can't be written.
void write_file(const std::string& path, std::string_view content);

/// Throws what write_file would throw, before long work is done in vain; leaves nothing behind.
void require_writable(const std::string& path);

}  // namespace espalier
