#pragma once

#include <filesystem>
#include <optional>

namespace espalier::measure {

/// Whether windows of this host's TCP connections get smaller while these are idle, as its kernel
/// says: those of Linux do, unless `tcp_slow_start_after_idle` is 0 or the congestion control is
/// BBR, which keeps a rate. nullopt: there are no such settings.
[[nodiscard]] std::optional<bool> windows_restart(
    const std::filesystem::path& settings = "/proc/sys/net/ipv4");

}  // namespace espalier::measure
