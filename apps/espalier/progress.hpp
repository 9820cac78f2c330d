#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace espalier::cli {

/// A line on standard error that says how far a command has come, while people wait. It shows only
/// where standard error is a terminal or where it was asked for, and it is cleared at the end and
/// when the user interrupts. There is one at a time.
class Progress {
public:
    /// `forced`: also into a file or a pipe.
    Progress(std::size_t total, bool forced);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    /// What is being done now; what was before is over.
    void begin(const std::string& what);
    /// Keeps the time on the line up to date.
    void refresh() const;

private:
    bool visible_;
    std::size_t total_;
    std::size_t begun_ = 0;
    std::string what_;
    std::chrono::steady_clock::time_point since_;
};

}  // namespace espalier::cli
