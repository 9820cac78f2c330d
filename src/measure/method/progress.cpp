#include "measure/method/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace espalier::measure {

std::string ProgressBar::line(const std::string& stage, double fraction) {
    constexpr std::size_t width = 30;
    const double shown = std::clamp(fraction, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(shown * static_cast<double>(width));
    return fmt::format("[{}{}] {:3.0f}% of the time: {}", std::string(filled, '#'),
                       std::string(width - filled, '.'), shown * 100, stage);
}

void ProgressBar::report(const std::string& stage, double fraction) {
    fmt::print(terminal_, "\r\x1b[K{}", line(stage, fraction));
    std::fflush(terminal_);
}

void ProgressBar::done() {
    fmt::print(terminal_, "\r\x1b[K");
    std::fflush(terminal_);
}

}  // namespace espalier::measure
