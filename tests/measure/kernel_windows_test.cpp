#include "measure/method/kernel_windows.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace espalier::measure {
namespace {

TEST(KernelWindows, restart_unless_the_kernel_says_otherwise) {
    std::string pattern = std::filesystem::temp_directory_path() / "espalier-kernel-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    const std::filesystem::path folder = pattern;
    EXPECT_EQ(windows_restart(folder), std::nullopt);
    const auto set = [&](const char* name, const char* value) {
        std::ofstream(folder / name) << value << '\n';
    };
    set("tcp_slow_start_after_idle", "1");
    EXPECT_EQ(windows_restart(folder), true);
    set("tcp_congestion_control", "cubic");
    EXPECT_EQ(windows_restart(folder), true);
    set("tcp_congestion_control", "bbr");
    EXPECT_EQ(windows_restart(folder), false);
    set("tcp_congestion_control", "cubic");
    set("tcp_slow_start_after_idle", "0");
    EXPECT_EQ(windows_restart(folder), false);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace espalier::measure
