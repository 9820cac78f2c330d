#include "testbed/keeper.hpp"

#include "core/error.hpp"
#include "core/file_descriptor.hpp"
#include "testbed/calibration.hpp"
#include "testbed/changer.hpp"
#include "testbed/channel.hpp"
#include "testbed/congestion.hpp"
#include "testbed/emulator.hpp"
#include "testbed/kernel_network.hpp"
#include "testbed/own_namespace.hpp"
#include "testbed/promptness.hpp"
#include "testbed/system.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace espalier::testbed {

namespace {

/// A packet may be delivered so much before its time: less than a wait is inexact.
constexpr Nanoseconds tolerance = 25'000;
/// How the estimate of what waits last too long follows them, and its greatest value.
constexpr Nanoseconds lateness_step = 500;
constexpr Nanoseconds greatest_lateness = 100'000;
/// Packets of one host before the others have their turn.
constexpr int packets_in_turn = 16;
/// No trace is longer.
constexpr std::size_t longest_words = 64U << 20;

struct Client {
    FileDescriptor connection;
    std::optional<std::size_t> size;  ///< of its words, if it changes something
    std::string words;                ///< as far as they are there
};

FileDescriptor listen_at(const std::string& path) {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    require(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), path);
    require(listen(socket.get(), SOMAXCONN), path);
    return socket;
}

/// Each host takes three, and a few more while it starts.
void allow_descriptors(std::size_t hosts) {
    constexpr rlim_t others = 256;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t needed = 3 * hosts + others;
    if (limit.rlim_cur >= needed) return;
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    // Where it is not enough, the host that finds none says so.
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

class Keeper {
public:
    Keeper(const Topology& topology, const Settings& settings, const State& state)
        : topology_(topology),
          awake_(keep_processors_awake()),
          epoll_(require(epoll_create1(EPOLL_CLOEXEC), "epoll")),
          scratch_(largest_packet) {
        std::vector<int> signals = ending_signals();
        signals.push_back(SIGCHLD);
        signals_ = FileDescriptor(signals_read_from_descriptor(signals));
        watch(signals_.get(), EPOLLIN, Source::signals);
        allow_descriptors(topology.hosts.size());
        start_hosts(settings, state);
        // Not before: what runs on the hosts shall not be as prompt.
        be_prompt();
        emulator_.emplace(topology, OwnDelays{});
        if (!router_) calibrate();
        changer_.emplace(topology, *emulator_, hosts_, router_.get());
        if (settings.trace) changer_->require_possible(*settings.trace);
        listener_ = listen_at(state.socket());
        watch(listener_.get(), EPOLLIN, Source::listener);
    }

    void run(const std::optional<Trace>& trace) {
        if (trace) changer_->start(*trace, now());
        while (!ended_) carry();
    }

private:
    enum class Source : std::uint32_t { device, signals, listener, client, probe };

    void watch(int descriptor, std::uint32_t events, Source source, std::uint32_t number = 0) {
        epoll_event event{};
        event.events = events;
        event.data.u64 = static_cast<std::uint64_t>(source) << 32 | number;
        require(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event), "epoll");
    }

    void start_hosts(const Settings& settings, const State& state) {
        Sysctls sysctls = settings.sysctls;
        if (!settings.congestion.empty())
            sysctls.emplace_back("net.ipv4.tcp_congestion_control", settings.congestion);
        const CongestionPermit permit(settings.congestion);
        enter_own_namespace();
        const bool by_kernel = settings.carrier == Carrier::kernel ||
                               (settings.carrier == Carrier::automatic && kernel_has_netem());
        for (std::size_t i = 0; i < topology_.hosts.size(); ++i) {
            const std::string& name = topology_.hosts[i].name;
            const std::optional<std::uint32_t> card = card_of(topology_, i);
            hosts_.push_back(start_host(
                {.name = name,
                 .address = address_of(i),
                 .hosts_file = state.hosts_file(),
                 .name_file = state.name_file(name),
                 .sysctls = sysctls,
                 .card = card ? std::optional(topology_.queues[*card].rate) : std::nullopt,
                 .device = !by_kernel}));
            if (by_kernel) continue;
            // Edges: a device that has to wait for its card must not wake us again and again.
            watch(hosts_[i].device.get(), EPOLLIN | EPOLLET, Source::device,
                  static_cast<std::uint32_t>(i));
        }
        readable_.assign(hosts_.size(), !by_kernel);
        if (!by_kernel) return;
        router_ = build_kernel_network(topology_, processes());
    }

    /// Measures what this machine adds to paths of the testbed, to take it off from then on.
    void calibrate() {
        OwnDelays own;
        for (const ProbedPath path : paths_to_probe(topology_)) {
            const Probe probe(topology_, path, processes());
            probed_ = false;
            watch(probe.done(), EPOLLIN, Source::probe);
            while (!probed_ && !ended_) carry();
            (path.idle ? own.idle : own.busy) = probe.own_delay().value_or(0);
        }
        emulator_.emplace(topology_, own);
    }

    [[nodiscard]] std::vector<pid_t> processes() const {
        std::vector<pid_t> numbers;
        for (const HostProcess& host : hosts_) numbers.push_back(host.pid);
        return numbers;
    }

    void carry() {
        deliver();
        if (changer_) changer_->play(now() + tolerance);
        for (std::uint32_t host = 0; host < hosts_.size(); ++host) take_from(host);
        wait();
    }

    void deliver() {
        Emulator::Arrival arrival{};
        while (emulator_->advance(now() + tolerance, arrival)) {
            // What a host has no room for is lost, as on a card.
            (void)!write(hosts_[arrival.host].device.get(), arrival.packet.data.get(),
                         arrival.packet.size);
            // Its answer, such as an acknowledgement, is there already.
            readable_[arrival.host] = true;
        }
    }

    [[nodiscard]] Nanoseconds next_deed() {
        Nanoseconds next = emulator_->next();
        if (changer_) next = std::min(next, changer_->next());
        for (std::uint32_t host = 0; host < hosts_.size(); ++host)
            if (readable_[host]) next = std::min(next, emulator_->ready_at(host));
        return next;
    }

    /// Waits for packets, clients and signals, at most until something is due. A machine wakes a
    /// process later than the process asked for, by about the same time each time. So this asks to
    /// be woken earlier by the median of that lateness.
    void wait() {
        const Nanoseconds next = next_deed();
        const Nanoseconds start = now();
        const Nanoseconds left =
            next == never ? never : std::max<Nanoseconds>(next - lateness_ - start, 0);
        const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
        std::array<epoll_event, 64> events{};
        const int count = epoll_pwait2(epoll_.get(), events.data(), events.size(),
                                       next == never ? nullptr : &timeout, nullptr);
        if (count == 0 && left > 0) {
            const bool later = now() - start - left > lateness_;
            lateness_ = std::clamp<Nanoseconds>(
                lateness_ + (later ? lateness_step : -lateness_step), 0, greatest_lateness);
        }
        if (count < 0 && errno != EINTR) fail("epoll");
        for (int i = 0; i < count; ++i) {
            const std::uint64_t data = events[static_cast<std::size_t>(i)].data.u64;
            handle(static_cast<Source>(data >> 32), static_cast<std::uint32_t>(data));
        }
    }

    void handle(Source source, std::uint32_t number) {
        switch (source) {
            case Source::device:
                readable_[number] = true;
                break;
            case Source::signals:
                hear_signal();
                break;
            case Source::listener:
                welcome();
                break;
            case Source::client:
                serve(number);
                break;
            case Source::probe:
                probed_ = true;
                break;
        }
    }

    void take_from(std::uint32_t host) {
        for (int i = 0; i < packets_in_turn && readable_[host]; ++i) {
            const Nanoseconds time = now();
            if (emulator_->ready_at(host) > time) return;
            const ssize_t size = read(hosts_[host].device.get(), scratch_.data(), scratch_.size());
            if (size <= 0) {
                readable_[host] = false;
                return;
            }
            std::optional<Packet> packet =
                packet_of(std::span(scratch_).first(static_cast<std::size_t>(size)));
            if (!packet) continue;
            const std::size_t to = host_at(destination(*packet));
            if (to >= hosts_.size() || to == host) continue;
            emulator_->send(host, static_cast<std::uint32_t>(to), std::move(*packet), time);
        }
    }

    void hear_signal() {
        signalfd_siginfo signal{};
        while (read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
            if (signal.ssi_signo != SIGCHLD) {
                ended_ = true;
                continue;
            }
            for (pid_t pid = waitpid(-1, nullptr, WNOHANG); pid > 0;
                 pid = waitpid(-1, nullptr, WNOHANG)) {
                const auto host = std::ranges::find(hosts_, pid, &HostProcess::pid);
                if (host == hosts_.end()) continue;
                const auto number = static_cast<std::size_t>(host - hosts_.begin());
                throw InputError(
                    fmt::format("host {}: died; all is taken down", topology_.hosts[number].name));
            }
        }
    }

    void welcome() {
        FileDescriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!client) return;
        const int number = client.get();
        watch(number, EPOLLIN, Source::client, static_cast<std::uint32_t>(number));
        clients_.push_back({.connection = std::move(client), .size = {}, .words = {}});
    }

    void serve(std::uint32_t descriptor) {
        const auto client = std::ranges::find(clients_, static_cast<int>(descriptor),
                                              [](const Client& c) { return c.connection.get(); });
        if (client == clients_.end()) return;
        if (client->size ? hear_words(*client) : greet(*client)) return;
        epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, client->connection.get(), nullptr);
        clients_.erase(client);
    }

    /// True while there is more to hear from it.
    bool greet(Client& client) {
        Greeting greeting;
        if (read(client.connection.get(), &greeting, sizeof greeting) != sizeof greeting)
            return false;
        switch (greeting.kind) {
            case Greeting::Kind::stop:
                // It sees the end of this process.
                ended_ = true;
                return true;
            case Greeting::Kind::change:
                client.size = std::min<std::size_t>(greeting.number, longest_words);
                return hear_words(client);
            case Greeting::Kind::command:
                break;
        }
        constexpr std::array<char, 1> text{'+'};
        const std::array<int, 1> descriptors{client.connection.get()};
        if (greeting.number < hosts_.size())
            (void)send_message(hosts_[greeting.number].control.get(), text, descriptors);
        return false;
    }

    /// True while there are more to come. Nothing waits for a client that is slow.
    bool hear_words(Client& client) {
        while (client.words.size() < *client.size) {
            std::array<char, 1U << 16> part{};
            const std::size_t most = std::min(part.size(), *client.size - client.words.size());
            const ssize_t got = recv(client.connection.get(), part.data(), most, MSG_DONTWAIT);
            if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
            if (got <= 0) return false;
            client.words.append(part.data(), static_cast<std::size_t>(got));
        }
        std::string answer = "+";
        try {
            deliver();
            answer += changer_->answer(split_at_nul(client.words), now());
        } catch (const Error& error) {
            answer = fmt::format("-{}", error.what());
        }
        (void)!send(client.connection.get(), answer.data(), answer.size(),
                    MSG_DONTWAIT | MSG_NOSIGNAL);
        return false;
    }

    const Topology& topology_;
    std::optional<Emulator> emulator_;
    std::optional<Changer> changer_;  ///< once the emulator knows what the machine adds
    FileDescriptor awake_;
    FileDescriptor epoll_;
    FileDescriptor signals_;
    FileDescriptor listener_;
    std::vector<Client> clients_;
    std::vector<HostProcess> hosts_;
    FileDescriptor router_;       ///< between the hosts, where the kernel is the network
    std::vector<bool> readable_;  ///< a device that had something to read when last seen
    std::vector<std::byte> scratch_;
    Nanoseconds lateness_ = 0;
    bool probed_ = false;  ///< the probe under way has its result
    bool ended_ = false;
};

}  // namespace

void keep(const Topology& topology, const Settings& settings, const State& state, int report) {
    Keeper keeper(topology, settings, state);
    constexpr std::array<char, 1> ready{'+'};
    if (!send_message(report, ready, {})) return;
    keeper.run(settings.trace);
}

}  // namespace espalier::testbed
