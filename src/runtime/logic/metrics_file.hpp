#pragma once

#include "core/units.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace espalier::runtime {

/// A file that is written again and again while a program runs, in a thread of its own, so that no
/// call waits for a disk. That a write fails is told once, and tried again all the same.
class MetricsFile {
public:
    /// The content; `ended`: it is the last one.
    using Text = std::function<std::string(bool ended)>;
    using Warn = std::function<void(const std::string& line)>;

    /// Makes the folder where there is none. `period`: from one time to the next; 0: only at the
    /// end.
    MetricsFile(std::string path, Seconds period, Text text, Warn warn);
    MetricsFile(const MetricsFile&) = delete;
    MetricsFile& operator=(const MetricsFile&) = delete;
    ~MetricsFile() { stop(); }

    /// Writes the last one.
    void end();

private:
    void work(Seconds period);
    void write(bool ended);
    void stop();

    const std::string path_;
    const Text text_;
    const Warn warn_;
    bool warned_ = false;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool is_over_ = false;
    std::thread worker_;
};

}  // namespace espalier::runtime
