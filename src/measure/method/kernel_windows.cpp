#include "measure/method/kernel_windows.hpp"

#include <fstream>
#include <string>

namespace espalier::measure {

std::optional<bool> windows_restart(const std::filesystem::path& settings) {
    const auto read = [&](const char* name) {
        std::string word;
        std::ifstream(settings / name) >> word;
        return word;
    };
    const std::string restarts = read("tcp_slow_start_after_idle");
    if (restarts.empty()) return std::nullopt;
    return restarts != "0" && !read("tcp_congestion_control").starts_with("bbr");
}

}  // namespace espalier::measure
