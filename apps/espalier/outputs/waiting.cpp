#include "outputs/waiting.hpp"

#include <fmt/format.h>

namespace espalier::cli {

void add_progress_option(CLI::App& app, bool& forced) {
    app.add_flag("--progress", forced,
                 "say on standard error how long it has been at work, also where that is no "
                 "terminal");
}

Waiting::Waiting(std::string what, bool forced)
    : what_(std::move(what)), forced_(forced), bar_(forced) {
    speaker_ = std::thread([this] { speak(); });
}

Waiting::~Waiting() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    ended_.notify_one();
    speaker_.join();
}

void Waiting::speak() {
    const std::chrono::milliseconds first(forced_ ? 0 : 500);
    constexpr std::chrono::milliseconds next(200);
    std::unique_lock lock(mutex_);
    for (auto pause = first; !ended_.wait_for(lock, pause, [this] { return over_; });
         pause = next) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since_;
        bar_.say(fmt::format("{}, {:.1f} s", what_, passed.count()));
    }
}

}  // namespace espalier::cli
