#include "testbed/kernel_network.hpp"

#include "core/command.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/subprocess.hpp"
#include "testbed/channel.hpp"
#include "testbed/kernel_commands.hpp"
#include "testbed/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <span>

namespace espalier::testbed {

namespace {

using Program = KernelCommand::Program;

FileDescriptor network_of(const std::string& process) {
    const std::string path = fmt::format("/proc/{}/ns/net", process);
    return FileDescriptor(require(open(path.c_str(), O_RDONLY | O_CLOEXEC), path));
}

/// Does something in a process of its own. Throws InputError with what that complained of.
void in_child(const std::function<void()>& work) {
    constexpr Seconds any_time(1e8);
    const Apart outcome = run_apart(
        [&] {
            work();
            return std::string();
        },
        any_time, [] {});
    if (outcome.end != Apart::End::done) throw InputError(outcome.text);
}

/// Where administrators' programs are, whatever this user's path is.
void find_programs() {
    const std::string path = environment("PATH").value_or("/usr/bin:/bin");
    setenv("PATH", fmt::format("{}:/usr/sbin:/sbin", path).c_str(), 1);
}

/// The first line that the program complains with is what goes wrong; empty where all went well.
std::string run_batch(const std::string& program, const std::string& lines) {
    const CommandOutcome outcome = run_command({program, "-batch", "-"}, lines);
    if (outcome.status == 0) return "";
    const std::string complaint = outcome.errors.substr(0, outcome.errors.find('\n'));
    return complaint.empty() ? "failed without a word" : complaint;
}

/// Commands of one namespace and one program, in this process, which is there.
void perform(std::span<const KernelCommand> commands) {
    if (commands.front().program == Program::sysctl) {
        for (const KernelCommand& command : commands) {
            const std::size_t equals = command.words.find('=');
            std::string path = "/proc/sys/" + command.words.substr(0, equals);
            std::replace(path.begin() + 10, path.end(), '.', '/');
            // A kernel without IPv6 needs none of its settings.
            if (!put(path, command.words.substr(equals + 1)) && errno != ENOENT)
                fail(command.words);
        }
        return;
    }
    const std::string program = commands.front().program == Program::ip ? "ip" : "tc";
    std::string lines;
    for (const KernelCommand& command : commands) lines += command.words + "\n";
    const std::string complaint = run_batch(program, lines);
    if (!complaint.empty())
        throw InputError(fmt::format("the kernel's network: {}: {}", program, complaint));
}

bool delays(const Topology& topology) {
    for (std::size_t from = 0; from < topology.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            if (topology.paths(from, to).latency > Seconds(0)) return true;
    return false;
}

}  // namespace

bool kernel_has_netem() {
    try {
        in_child([] {
            require(unshare(CLONE_NEWNET), "a network namespace");
            find_programs();
            for (const char* words : {"link add d0 type veth peer name d0x", "link set d0 up"})
                perform(std::array{KernelCommand{Program::ip, std::nullopt, words}});
            perform(std::array{
                KernelCommand{Program::tc, std::nullopt, "qdisc add dev d0 root netem delay 1ms"}});
        });
        return true;
    } catch (const InputError&) {
        return false;
    }
}

FileDescriptor build_kernel_network(const Topology& topology, const std::vector<pid_t>& hosts) {
    if (delays(topology) && !kernel_has_netem())
        throw InputError(
            "the kernel can't be the network: it has no netem, or iproute2 is missing");
    std::vector<std::string> names;
    for (const pid_t host : hosts) names.push_back(std::to_string(host));
    const auto commands = kernel_commands(topology, names);

    // A process of its own makes the router's namespace, and lives until it is held here.
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
    const FileDescriptor here(ends[0]);
    FileDescriptor there(ends[1]);
    in_child([&] {
        require(unshare(CLONE_NEWNET), "a network namespace");
        const FileDescriptor network = network_of("self");
        const int number = network.get();
        if (!send_message(there.get(), std::string("+"), {&number, 1})) fail("sendmsg");
    });
    std::vector<FileDescriptor> router;
    (void)receive_message(here.get(), 1, router);
    if (router.size() != 1) fail("a network namespace");

    run_kernel_commands(commands, router.front().get(), hosts);
    return std::move(router.front());
}

void run_kernel_commands(const std::vector<KernelCommand>& commands, int router,
                         const std::vector<pid_t>& hosts) {
    for (auto first = commands.begin(); first != commands.end();) {
        const auto last = std::find_if(first, commands.end(), [&](const KernelCommand& other) {
            return other.host != first->host || other.program != first->program;
        });
        const std::span<const KernelCommand> same(first, last);
        in_child([&] {
            const FileDescriptor own =
                first->host ? network_of(std::to_string(hosts[*first->host])) : FileDescriptor();
            require(setns(own ? own.get() : router, CLONE_NEWNET), "entering a network namespace");
            find_programs();
            perform(same);
        });
        first = last;
    }
}

}  // namespace espalier::testbed
