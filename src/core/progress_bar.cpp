#include "core/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace espalier {

namespace {

constexpr std::size_t width = 30;
constexpr std::string_view clear_line = "\r\033[K";

/// Clears the line, and lets the signal do what it does.
extern "C" void clear_and_die(int signal) {
    const auto written = ::write(STDERR_FILENO, clear_line.data(), clear_line.size());
    (void)written;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

ProgressBar::ProgressBar(bool forced) : visible_(forced || ::isatty(STDERR_FILENO) == 1) {
    if (!visible_) return;
    on_interrupt_ = std::signal(SIGINT, clear_and_die);
    on_end_ = std::signal(SIGTERM, clear_and_die);
}

ProgressBar::~ProgressBar() {
    if (!visible_) return;
    fmt::print(stderr, "{}", clear_line);
    std::fflush(stderr);
    std::signal(SIGINT, on_interrupt_);
    std::signal(SIGTERM, on_end_);
}

void ProgressBar::show(double part, std::string_view text) const { say(line(part, text)); }

void ProgressBar::say(std::string_view text) const {
    if (!visible_) return;
    fmt::print(stderr, "{}{}", clear_line, text);
    std::fflush(stderr);
}

std::string ProgressBar::line(double part, std::string_view text) {
    const double shown = std::clamp(part, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(shown * static_cast<double>(width));
    return fmt::format("[{:#<{}}{:.<{}}] {}", "", filled, "", width - filled, text);
}

}  // namespace espalier
