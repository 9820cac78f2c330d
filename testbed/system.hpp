#pragma once

#include <string>
#include <vector>

namespace espalier::testbed {

/// Throws an Error of status 2 that says what could not be done and, from errno, why not.
[[noreturn]] void fail(const std::string& what);
/// The result of a system call, unless it failed.
int require(int result, const std::string& what);

/// Writes all of the text to a file that exists, such as those below /proc/sys. False, and errno
/// says why, where that can't be.
[[nodiscard]] bool put(const std::string& path, const std::string& text);
/// The first line of a file; empty where it can't be read.
[[nodiscard]] std::string first_line(const std::string& path);

/// This process becomes the command, or says why it can't be started and ends as a shell would.
[[noreturn]] void become_or_end(const std::vector<std::string>& words);

/// The signals that ask a process to end.
[[nodiscard]] const std::vector<int>& ending_signals();
/// A descriptor that reads these signals, which no longer interrupt this process; close-on-exec.
[[nodiscard]] int signals_read_from_descriptor(const std::vector<int>& signals);
/// Signals as they are for a new process.
void usual_signals();

}  // namespace espalier::testbed
