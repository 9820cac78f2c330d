#pragma once

#include "core/file_descriptor.hpp"
#include "core/units.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::testbed {

using Sysctls = std::vector<std::pair<std::string, std::string>>;

/// What a host is to be.
struct HostSettings {
    std::string name;
    std::string address;                 ///< dotted
    std::string hosts_file;              ///< becomes its /etc/hosts
    std::string name_file;               ///< becomes its /etc/hostname
    Sysctls sysctls;                     ///< net.ipv4.tcp_rmem and the like
    std::optional<BytesPerSecond> card;  ///< the rate of what it sends, if its paths have that
    bool device = true;                  ///< with a TUN device; else it gets one when it is up
};

/// A host that is up: the first process of its PID namespace, which has network, host name and
/// mounts of its own. When it dies, the kernel ends all that runs there. It dies with the process
/// that started it.
struct HostProcess {
    pid_t pid = -1;
    FileDescriptor control;  ///< takes connections of clients (send_message)
    FileDescriptor device;   ///< its TUN device, if it has one
    FileDescriptor shaper;   ///< of that (shaper.hpp)
};

/// Throws an Error that names the host where something can't be made; nothing is left then.
[[nodiscard]] HostProcess start_host(const HostSettings& settings);

}  // namespace espalier::testbed
