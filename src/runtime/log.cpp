#include "runtime/log.hpp"

#include <cstdio>

namespace espalier::runtime {

namespace {

/// Prints the line in one piece, so that lines of several ranks do not mix.
void print(const std::string& line) {
    const std::string text = "espalier: " + line + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

void Log::warn(const std::string& line) {
    if (level_ == Settings::Log::quiet) return;
    const std::scoped_lock lock(mutex_);
    if (said_.insert(line).second) print(line);
}

void Log::debug(const std::string& line) const {
    if (has_debug()) print(line);
}

}  // namespace espalier::runtime
