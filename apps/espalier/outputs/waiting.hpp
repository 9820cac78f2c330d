#pragma once

#include "core/progress_bar.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace espalier::cli {

/// `--progress`: whether a Waiting is forced.
void add_progress_option(CLI::App& app, bool& forced);

/// While it lives, a line on standard error says what people wait for, and for how long they have;
/// from half a second on, and only where a ProgressBar shows.
class Waiting {
public:
    /// `what`: `planning`. `forced`: from the beginning, and also into a file or a pipe.
    explicit Waiting(std::string what, bool forced = false);
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting();

private:
    void speak();

    std::string what_;
    const bool forced_;
    ProgressBar bar_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread speaker_;
};

}  // namespace espalier::cli
