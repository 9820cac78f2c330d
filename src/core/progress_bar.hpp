#pragma once

#include <csignal>
#include <string>
#include <string_view>

namespace espalier {

/// A line on standard error that says how far a program has come, while people wait. It shows only
/// where standard error is a terminal or where it was asked for, and is wiped away at the end and
/// when the user interrupts. There is one at a time.
class ProgressBar {
public:
    /// `forced`: also into a file or a pipe.
    explicit ProgressBar(bool forced = false);
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();

    /// Rewrites the line: that part of the bar, from 0 to 1, is filled, and `text` stands behind
    /// it.
    void show(double part, std::string_view text) const;

    /// Rewrites the line as `text` alone, where nobody knows what part is done.
    void say(std::string_view text) const;

    /// The line without the control characters before it.
    [[nodiscard]] static std::string line(double part, std::string_view text);

private:
    using Handler = void (*)(int);
    bool visible_;
    Handler on_interrupt_ = SIG_DFL;  ///< before
    Handler on_end_ = SIG_DFL;
};

}  // namespace espalier
