#include "runtime/logic/cache_folder.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

namespace espalier::runtime {

namespace {

namespace fs = std::filesystem;

/// A larger file is not one of ours: a network of 1000 hosts that all differ take less.
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

}  // namespace

std::string cache_folder(const std::string& chosen, const Environment& environment) {
    if (!chosen.empty()) return chosen;
    const std::string cache = environment("XDG_CACHE_HOME").value_or("");
    if (fs::path(cache).is_absolute()) return fs::path(cache) / "espalier";
    const std::string home = environment("HOME").value_or("");
    return home.empty() ? "" : fs::path(home) / ".cache" / "espalier";
}

std::string read_kept(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        throw InputError(path, "", error ? error.message() : "is no file");
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (!error && bytes > most_bytes) throw InputError(path, "", "is too large");
    return read_file(path);
}

std::vector<fs::path> forget_oldest(const std::string& folder, const std::string& kind) {
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
        const fs::path& path = file->path();
        if (path.extension() != ".json" ||
            path.filename().string().find("-" + kind + "-") == std::string::npos)
            continue;
        std::error_code gone;
        const auto time = fs::last_write_time(path, gone);
        if (!gone) files.emplace_back(time, path);
    }
    std::sort(files.begin(), files.end());
    std::vector<fs::path> forgotten;
    for (std::size_t i = 0; i + most_kept < files.size(); ++i) {
        fs::remove(files[i].second, error);
        forgotten.push_back(std::move(files[i].second));
    }
    return forgotten;
}

}  // namespace espalier::runtime
