#pragma once

#include "runtime/logic/settings.hpp"

#include <mutex>
#include <set>
#include <string>

namespace espalier::runtime {

/// Lines on stderr, each beginning with `espalier: `. Threads may share it.
class Log {
public:
    explicit Log(Settings::Log level) : level_(level) {}

    /// Something that the user should know; the same line only once.
    void warn(const std::string& line);
    /// Lines that come once and last: in one piece, or not at all where nobody takes them at once,
    /// or nobody reads there any more.
    void say_at_end(const std::string& lines) const;
    void debug(const std::string& line) const;
    [[nodiscard]] bool has_debug() const { return level_ == Settings::Log::debug; }

private:
    const Settings::Log level_;
    std::mutex mutex_;
    std::set<std::string> said_;
};

}  // namespace espalier::runtime
