#include "testbed/host.hpp"

#include "core/error.hpp"
#include "testbed/channel.hpp"
#include "testbed/host_init.hpp"
#include "testbed/shaper.hpp"
#include "testbed/system.hpp"
#include "testbed/tun.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace espalier::testbed {

namespace {

constexpr std::size_t longest_complaint = 4096;

void mount_over(const std::string& file, const char* place) {
    // A system without the file does without ours, too.
    if (access(place, F_OK) != 0) return;
    require(mount(file.c_str(), place, nullptr, MS_BIND, nullptr), place);
}

void set_up_mounts(const HostSettings& settings) {
    require(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "private mounts");
    mount_over(settings.hosts_file, "/etc/hosts");
    mount_over(settings.name_file, "/etc/hostname");
    // Those of the machine serve, where these are refused: programs then see its devices and all
    // its processes.
    (void)mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    (void)mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
}

void set_sysctl(const std::string& name, const std::string& value) {
    std::string path = "/proc/sys/" + name;
    std::replace(path.begin() + 10, path.end(), '.', '/');
    if (!put(path, value)) fail(fmt::format("{} can't be set to {}", name, value));
}

/// The device and its shaper, or none.
std::vector<FileDescriptor> set_up(const HostSettings& settings) {
    require(sethostname(settings.name.data(), settings.name.size()), "host name");
    set_up_mounts(settings);
    (void)put("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    std::vector<FileDescriptor> made;
    if (settings.device) {
        made.push_back(open_tun(settings.address));
        made.push_back(open_shaper());
        require(made.back().get(), "netlink");
        if (settings.card) (void)shape_device(made.back().get(), device_name, *settings.card);
    }
    for (const auto& [name, value] : settings.sysctls) set_sysctl(name, value);
    return made;
}

[[noreturn]] void host_main(const HostSettings& settings, const FileDescriptor& control) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A parent that died before that has closed its end: nothing can be sent.
    try {
        const std::vector<FileDescriptor> made = set_up(settings);
        const std::array<char, 1> done{'+'};
        std::vector<int> descriptors;
        for (const FileDescriptor& one : made) descriptors.push_back(one.get());
        if (!send_message(control.get(), done, descriptors)) _exit(1);
    } catch (const std::exception& error) {
        const std::string complaint = fmt::format("-host {}: {}", settings.name, error.what());
        (void)send_message(control.get(), complaint, {});
        _exit(1);
    }
    serve_commands(control.get());
}

}  // namespace

HostProcess start_host(const HostSettings& settings) {
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
    HostProcess host{.control = FileDescriptor(ends[0])};
    FileDescriptor inside(ends[1]);

    constexpr unsigned long namespaces = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWPID | CLONE_NEWNS;
    host.pid = static_cast<pid_t>(syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0));
    require(host.pid, fmt::format("host {}: no namespaces", settings.name));
    if (host.pid == 0) {
        host.control.reset();
        host_main(settings, inside);
    }
    inside.reset();

    std::vector<FileDescriptor> descriptors;
    const std::string answer = receive_message(host.control.get(), longest_complaint, descriptors);
    if (answer != "+" || descriptors.size() != (settings.device ? 2U : 0U)) {
        kill(host.pid, SIGKILL);
        waitpid(host.pid, nullptr, 0);
        throw InputError(answer.size() > 1 ? answer.substr(1)
                                           : fmt::format("host {}: did not start", settings.name));
    }
    if (settings.device) {
        host.device = std::move(descriptors[0]);
        host.shaper = std::move(descriptors[1]);
    }
    return host;
}

}  // namespace espalier::testbed
