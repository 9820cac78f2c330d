#include "testbed/calibration.hpp"

#include "core/statistics.hpp"
#include "testbed/promptness.hpp"
#include "testbed/state.hpp"
#include "testbed/system.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <exception>

namespace espalier::testbed {

namespace {

/// How long a probe takes about, and how many packets it sends.
constexpr double probe_s = 60e-3;
constexpr int fewest = 5;
constexpr int most = 1001;
constexpr double undisturbed = 10;  // percent
/// The first wait for what is set up with them.
constexpr int unmeasured = 3;
constexpr double smallest_frame = 84;
constexpr timeval patience{.tv_sec = 1};

/// A socket in the host's network, which this process is in from then on.
FileDescriptor socket_on(pid_t host, std::size_t number, sockaddr_in& address) {
    const std::string path = fmt::format("/proc/{}/ns/net", host);
    const FileDescriptor there(require(open(path.c_str(), O_RDONLY | O_CLOEXEC), path));
    require(setns(there.get(), CLONE_NEWNET), "network of a host");
    FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    address = {};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, address_of(number).c_str(), &address.sin_addr);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    require(bind(socket.get(), general, sizeof address), "socket on a host");
    socklen_t size = sizeof address;
    getsockname(socket.get(), general, &size);
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return socket;
}

/// What one packet in ten takes at most: others that run on this machine add to many.
Nanoseconds measure(int from, int to, const sockaddr_in& address, int packets) {
    std::vector<double> times;
    std::array<char, 8> data{};
    for (int i = 0; i < packets + unmeasured; ++i) {
        const Nanoseconds start = now();
        (void)!sendto(from, data.data(), data.size(), 0,
                      reinterpret_cast<const sockaddr*>(&address), sizeof address);
        if (recv(to, data.data(), data.size(), 0) < 0) return -1;
        if (i >= unmeasured) times.push_back(static_cast<double>(now() - start));
    }
    return static_cast<Nanoseconds>(percentile(times, undisturbed));
}

double expected_ns(const Topology& topology, const Path& path) {
    double seconds = path.latency.value;
    for (const auto* queues : {&path.before, &path.after})
        for (const std::uint32_t queue : *queues)
            seconds += smallest_frame / topology.queues[queue].rate.value;
    return seconds * 1e9;
}

}  // namespace

std::vector<ProbedPath> paths_to_probe(const Topology& topology) {
    std::vector<ProbedPath> paths;
    for (const bool idle : {false, true}) {
        std::optional<ProbedPath> best;
        Seconds least(0);
        for (std::uint32_t from = 0; from < topology.hosts.size(); ++from)
            for (std::uint32_t to = 0; to < topology.hosts.size(); ++to) {
                const Seconds latency = topology.paths(from, to).latency;
                if (from == to || is_idle_path(latency) != idle) continue;
                if (best && latency >= least) continue;
                best = ProbedPath{from, to, idle};
                least = latency;
            }
        if (best) paths.push_back(*best);
    }
    return paths;
}

Probe::Probe(const Topology& topology, ProbedPath path, const std::vector<pid_t>& hosts)
    : expected_ns_(expected_ns(topology, topology.paths(path.from, path.to))) {
    std::array<int, 2> ends{};
    require(pipe2(ends.data(), O_CLOEXEC), "pipe");
    result_ = FileDescriptor(ends[0]);
    const FileDescriptor inside(ends[1]);
    process_ = Subprocess([&] {
        Nanoseconds took = -1;
        try {
            sockaddr_in address{};
            const FileDescriptor from = socket_on(hosts[path.from], path.from, address);
            const FileDescriptor to = socket_on(hosts[path.to], path.to, address);
            const double packets = probe_s * 1e9 / expected_ns_;
            took = measure(from.get(), to.get(), address,
                           static_cast<int>(std::clamp(packets, 1.0 * fewest, 1.0 * most)));
        } catch (const std::exception&) {
            // Its latencies are then as much too long as the machine has them.
        }
        return write(inside.get(), &took, sizeof took) == sizeof took ? 0 : 1;
    });
}

std::optional<Nanoseconds> Probe::own_delay() const {
    Nanoseconds took = -1;
    if (read(result_.get(), &took, sizeof took) != sizeof took || took < 0) return std::nullopt;
    return std::max<Nanoseconds>(took - static_cast<Nanoseconds>(expected_ns_), 0);
}

}  // namespace espalier::testbed
