#include "runtime/logic/metrics_file.hpp"

#include "core/files.hpp"
#include "runtime/logic/deaf_thread.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

namespace espalier::runtime {

MetricsFile::MetricsFile(std::string path, Seconds period, Text text, Warn warn)
    : path_(std::move(path)), text_(std::move(text)), warn_(std::move(warn)) {
    std::error_code fault;
    // Where it can't be made, writing says so.
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), fault);
    if (period.value <= 0) return;
    try {
        worker_ = begin_deaf([this, period] { work(period); });
    } catch (const std::system_error&) {
        // As many as there may be: it is written at the end alone.
    }
}

void MetricsFile::work(Seconds period) {
    const std::chrono::duration<double> pause(period.value);
    write(false);
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, pause, [this] { return is_over_; })) {
        lock.unlock();
        write(false);
        lock.lock();
    }
}

void MetricsFile::write(bool ended) {
    std::string problem;
    try {
        write_file(path_, text_(ended));
    } catch (const std::exception& error) {
        problem = error.what();
    }
    if (problem.empty() || std::exchange(warned_, true)) return;
    warn_(fmt::format("ESPALIER_METRICS: {}; written when it can be", problem));
}

void MetricsFile::stop() {
    {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
    }
    stopped_.notify_one();
    if (worker_.joinable()) worker_.join();
}

void MetricsFile::end() {
    stop();
    write(true);
}

}  // namespace espalier::runtime
