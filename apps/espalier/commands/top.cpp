#include "commands/all.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "runs/watched.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace espalier::cli {

namespace {

namespace fs = std::filesystem;

struct TopOptions {
    std::string folder;
    bool once = false;
};

/// The files of metrics in a folder. Throws InputError naming it.
std::vector<fs::path> metric_files(const std::string& folder) {
    std::error_code fault;
    std::vector<fs::path> files;
    for (fs::directory_iterator each(folder, fault); !fault && each != fs::directory_iterator();
         each.increment(fault)) {
        const std::string name = each->path().filename();
        if (name.starts_with("espalier-") && name.ends_with(".prom")) files.push_back(each->path());
    }
    if (fault) throw InputError(folder, "", fault.message());
    std::ranges::sort(files);
    return files;
}

/// The runs of a folder, as their rank 0 tells of them; those that go on, and what was written
/// last, first. What other ranks tell of their nodes is for exporters.
std::vector<runs::Watched> runs_in(const std::string& folder) {
    std::vector<runs::Watched> found;
    for (const fs::path& file : metric_files(folder)) {
        std::string text;
        try {
            text = read_file(file);
        } catch (const InputError&) {
            // It was removed meanwhile.
            if (fs::exists(file)) throw;
            continue;
        }
        runs::Watched run = runs::read_metrics(text, file);
        if (run.rank == 0) found.push_back(std::move(run));
    }
    std::ranges::stable_sort(found, [](const runs::Watched& a, const runs::Watched& b) {
        return a.ended != b.ended ? b.ended : a.written > b.written;
    });
    return found;
}

double seconds_since_1970() {
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    return now.count();
}

std::string shown(const std::string& folder, const std::vector<runs::Watched>& found,
                  std::size_t columns) {
    const auto running = std::ranges::count(found, false, &runs::Watched::ended);
    return fmt::format("{}: {}, {} of them at work\n\n", folder, counted(found.size(), "run"),
                       running) +
           runs::text(found, seconds_since_1970(), columns);
}

/// Shows the folder until somebody ends it.
[[noreturn]] void keep_showing(const std::string& folder) {
    constexpr std::chrono::seconds pause(1);
    // From the upper left corner; what was right of a line, or below all, is cleared.
    constexpr std::string_view home = "\033[H\033[2J";
    while (true) {
        std::cout << home << shown(folder, runs_in(folder), columns_of_output(STDOUT_FILENO))
                  << std::flush;
        if (!std::cout) throw InputError("standard output", "", "can't be written");
        std::this_thread::sleep_for(pause);
    }
}

void run_top(TopOptions options) {
    if (options.folder.empty()) {
        options.folder = environment("ESPALIER_METRICS").value_or("");
        if (options.folder.empty())
            throw InputError("DIR", "", "needed, where ESPALIER_METRICS names no folder");
    }
    const std::vector<runs::Watched> found = runs_in(options.folder);
    if (!options.once && ::isatty(STDOUT_FILENO) == 1) keep_showing(options.folder);
    if (found.empty())
        throw InputError(options.folder, "",
                         "holds no metrics; runs with ESPALIER_METRICS write some there");
    std::cout << shown(options.folder, found, columns_of_output(STDOUT_FILENO));
}

}  // namespace

Action add_top(CLI::App& app) {
    auto options = std::make_shared<TopOptions>();
    app.add_option("DIR", options->folder,
                   "the folder of ESPALIER_METRICS in which runs tell of themselves (that of the "
                   "variable)")
        ->type_name("");
    app.add_flag("--once", options->once,
                 "print once and end, as it does where standard output is no terminal");
    return [options](const Passed&) { run_top(*options); };
}

}  // namespace espalier::cli
