#pragma once

#include "core/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace espalier {

/// The whole content of a file; `-` is standard input. Throws InputError naming the file.
std::string read_file(const std::string& path);

/// Writes all or nothing: to a temporary name in the same folder, then renamed. `-` is standard
/// output. Throws InputError naming the file where it can't be written.
void write_file(const std::string& path, std::string_view content);

/// A new file for writing, under a name of its own beside another.
struct TemporaryFile {
    std::string name;
    FileDescriptor file;
};

/// Beside `path`, with the mode of a new file. (Asking for the umask takes setting it, and other
/// threads of a program make files meanwhile.) Throws InputError naming `path`.
[[nodiscard]] TemporaryFile make_temporary(const std::string& path);

/// Throws what write_file would throw, before long work is done in vain; leaves nothing behind.
void require_writable(const std::string& path);

}  // namespace espalier
