#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string_view>

namespace espalier::cli {

namespace {

constexpr std::size_t bar_width = 20;
constexpr std::string_view clear_line = "\r\033[K";

/// Clears the line, and lets the signal do what it does.
extern "C" void clear_and_die(int signal) {
    const auto written = ::write(STDERR_FILENO, clear_line.data(), clear_line.size());
    (void)written;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

Progress::Progress(std::size_t total, bool forced)
    : visible_(forced || ::isatty(STDERR_FILENO) == 1), total_(total) {
    if (!visible_) return;
    std::signal(SIGINT, clear_and_die);
    std::signal(SIGTERM, clear_and_die);
}

Progress::~Progress() {
    if (!visible_) return;
    fmt::print(stderr, "{}", clear_line);
    std::fflush(stderr);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

void Progress::begin(const std::string& what) {
    ++begun_;
    what_ = what;
    since_ = std::chrono::steady_clock::now();
    refresh();
}

void Progress::refresh() const {
    if (!visible_ || begun_ == 0) return;
    const std::size_t filled = bar_width * (begun_ - 1) / std::max<std::size_t>(total_, 1);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since_;
    fmt::print(stderr, "{}[{:#<{}}{:.<{}}] {}/{} {}, {:.1f} s", clear_line, "", filled, "",
               bar_width - filled, begun_, total_, what_, passed.count());
    std::fflush(stderr);
}

}  // namespace espalier::cli
