#include "testbed/probe.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/subprocess.hpp"
#include "testbed/channel.hpp"
#include "testbed/client.hpp"
#include "testbed/system.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

namespace espalier::testbed {

namespace {

double present() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

FileDescriptor make_socket(int type) {
    return FileDescriptor(
        require(socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "making a socket"));
}

void bind_to(const FileDescriptor& socket, const sockaddr_in& address) {
    require(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            "taking a port");
}

sockaddr_in address_of(const FileDescriptor& socket) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    require(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length),
            "asking for a socket's address");
    return address;
}

/// While one lives, this process is not kept waiting by others, where that is allowed: the network
/// is to be measured, and not how busy the machine is.
class Promptly {
public:
    Promptly() {
        const sched_param priority{1};
        prompt_ = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
    }
    ~Promptly() {
        const sched_param usual{0};
        if (prompt_) sched_setscheduler(0, SCHED_OTHER, &usual);
    }
    Promptly(const Promptly&) = delete;
    Promptly& operator=(const Promptly&) = delete;

private:
    bool prompt_ = false;
};

/// Waits until it can be read, or until that time.
bool readable(int socket, double until) {
    for (double left = until - present(); left > 0; left = until - present()) {
        const double whole = std::floor(left);
        const timespec wait{static_cast<time_t>(whole), static_cast<long>((left - whole) * 1e9)};
        pollfd waiting{socket, POLLIN, 0};
        const int ready = ppoll(&waiting, 1, &wait, nullptr);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) fail("waiting for a datagram");
    }
    return false;
}

/// Takes datagrams until one has this number; false after `until`.
bool receive_numbered(int socket, std::vector<char>& text, std::uint64_t number, double until) {
    while (readable(socket, until)) {
        const ssize_t size = recv(socket, text.data(), text.size(), 0);
        std::uint64_t found = 0;
        if (size < static_cast<ssize_t>(sizeof found)) continue;
        std::memcpy(&found, text.data(), sizeof found);
        if (found == number) return true;
    }
    return false;
}

bool send_datagram(const ProbeSockets& from, const ProbeSockets& to,
                   const std::vector<char>& text) {
    return sendto(from.datagrams.get(), text.data(), text.size(), 0,
                  reinterpret_cast<const sockaddr*>(&to.address),
                  sizeof to.address) == static_cast<ssize_t>(text.size());
}

/// A connection that is sent over as fast as it takes it.
class Flow {
public:
    Flow(ProbeSockets& from, const ProbeSockets& to) {
        if (from.senders.empty()) throw std::logic_error("no sender is left on a host");
        sender_ = std::move(from.senders.back());
        from.senders.pop_back();
        const int begun = connect(sender_.get(), reinterpret_cast<const sockaddr*>(&to.address),
                                  sizeof to.address);
        if (begun < 0 && errno != EINPROGRESS) fail("connecting two hosts");
        if (!readable(to.listener.get(), present() + 120))
            throw Error(ExitStatus::bad_input, "no connection between two hosts");
        receiver_ = FileDescriptor(
            require(accept4(to.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK),
                    "accepting a connection"));
    }
    ~Flow() {
        // What is still on its way shall not disturb what is measured next.
        const linger at_once{1, 0};
        setsockopt(sender_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    [[nodiscard]] int sender() const { return sender_.get(); }
    [[nodiscard]] int receiver() const { return receiver_.get(); }
    [[nodiscard]] std::uint64_t received() const { return received_; }

    void send_on() const {
        static const std::vector<char> zeros(1 << 18);
        while (send(sender(), zeros.data(), zeros.size(), MSG_NOSIGNAL) > 0) {
        }
        if (errno != EAGAIN && errno != EINTR) fail("sending between two hosts");
    }
    void receive_on() {
        // Thrown away in the kernel, uncopied.
        ssize_t size = 0;
        while ((size = recv(receiver(), nullptr, 1 << 20, MSG_TRUNC)) > 0)
            received_ += static_cast<std::uint64_t>(size);
        if (size < 0 && errno != EAGAIN && errno != EINTR) fail("receiving between two hosts");
    }

private:
    FileDescriptor sender_;
    FileDescriptor receiver_;
    std::uint64_t received_ = 0;
};

using Flows = std::vector<std::unique_ptr<Flow>>;

/// Keeps all flows going until then.
void carry_on(Flows& flows, double until) {
    std::vector<pollfd> waiting;
    for (const auto& flow : flows) {
        waiting.push_back({flow->sender(), POLLOUT, 0});
        waiting.push_back({flow->receiver(), POLLIN, 0});
    }
    for (double left = until - present(); left > 0; left = until - present()) {
        if (poll(waiting.data(), waiting.size(), static_cast<int>(left * 1000) + 1) < 0) {
            if (errno == EINTR) continue;
            fail("waiting for data");
        }
        for (std::size_t flow = 0; flow < flows.size(); ++flow) {
            if (waiting[2 * flow].revents != 0) flows[flow]->send_on();
            if (waiting[2 * flow + 1].revents != 0) flows[flow]->receive_on();
        }
    }
}

}  // namespace

void give_sockets(int channel, const std::string& address, std::size_t senders) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    if (inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1)
        throw InputError(address, "", "not an address");
    std::vector<FileDescriptor> sockets;
    sockets.push_back(make_socket(SOCK_DGRAM));
    bind_to(sockets[0], place);
    place = address_of(sockets[0]);
    sockets.push_back(make_socket(SOCK_STREAM));
    bind_to(sockets[1], place);
    require(listen(sockets[1].get(), 64), "listening");
    for (std::size_t i = 0; i < senders; ++i) sockets.push_back(make_socket(SOCK_STREAM));
    for (const auto& socket : sockets) {
        const char text = 0;
        const int number = socket.get();
        if (!send_message(channel, {&text, 1}, {&number, 1})) fail("handing over sockets");
    }
}

ProbeSockets take_sockets(const State& state, const HostEntry& host, const std::string& program,
                          std::size_t senders) {
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), "making a socket");
    const FileDescriptor here(ends[0]);
    FileDescriptor there(ends[1]);
    Subprocess child([&] {
        try {
            require(dup2(there.get(), STDOUT_FILENO), "passing on a socket");
            return run_on_host(state, host.name,
                               {program, "probe-sockets", host.address, std::to_string(senders)},
                               environment_on(state));
        } catch (const std::exception& error) {
            fmt::print(stderr, "{}\n", error.what());
            return 1;
        }
    });
    there.reset();
    std::vector<FileDescriptor> sockets;
    while (!receive_message(here.get(), 1, sockets).empty()) {
    }
    (void)child.wait();
    if (sockets.size() != senders + 2)
        throw Error(ExitStatus::bad_input, fmt::format("'{}' gave no sockets", host.name));
    ProbeSockets taken{address_of(sockets[0]), std::move(sockets[0]), std::move(sockets[1]), {}};
    for (std::size_t i = 2; i < sockets.size(); ++i) taken.senders.push_back(std::move(sockets[i]));
    return taken;
}

std::optional<Seconds> round_trip(const ProbeSockets& from, const ProbeSockets& to, Bytes payload,
                                  std::size_t repeats, Seconds asked) {
    const Promptly promptly;
    std::vector<char> text(std::max<std::size_t>(payload.value, sizeof(std::uint64_t)));
    std::vector<double> times;
    // The first finds out the path, and does not count.
    for (std::uint64_t number = 0; number <= repeats; ++number) {
        std::memcpy(text.data(), &number, sizeof number);
        const double start = present();
        const double until = start + asked.value + 1;
        if (!send_datagram(from, to, text) ||
            !receive_numbered(to.datagrams.get(), text, number, until) ||
            !send_datagram(to, from, text) ||
            !receive_numbered(from.datagrams.get(), text, number, until))
            continue;
        if (number > 0) times.push_back(present() - start);
    }
    if (times.size() * 2 < repeats || times.empty()) return std::nullopt;
    return Seconds(median(times));
}

std::vector<BytesPerSecond> goodputs(std::vector<ProbeSockets>& hosts,
                                     const std::vector<HostPair>& pairs, Seconds warm,
                                     Seconds window) {
    Flows flows;
    for (const HostPair& pair : pairs)
        flows.push_back(std::make_unique<Flow>(hosts[pair.from], hosts[pair.to]));
    const double start = present() + warm.value;
    carry_on(flows, start);
    std::vector<std::uint64_t> before;
    for (const auto& flow : flows) before.push_back(flow->received());
    const double begun = present();
    carry_on(flows, begun + window.value);
    const double took = present() - begun;
    std::vector<BytesPerSecond> rates;
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
        rates.emplace_back(static_cast<double>(flows[flow]->received() - before[flow]) / took);
    return rates;
}

}  // namespace espalier::testbed
