#include "doctor/probing.hpp"

#include "core/random.hpp"
#include "core/received_datagram.hpp"
#include "doctor/arrivals.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <numeric>
#include <utility>

namespace espalier::doctor {

namespace {

constexpr std::int64_t second = 1'000'000'000;
/// How long to go on listening: for those that are still on their way.
constexpr std::int64_t afterwards = second / 2;
/// Of small datagrams one in so many is echoed.
constexpr unsigned echoed = 4;
constexpr unsigned shortest_train = 4;
constexpr unsigned longest_train = 128;
/// What a train should last where all goes well.
constexpr double train_s = 0.0003;
/// Of what a way carries, large datagrams of all hosts take so much at most, were it shared by all.
constexpr double part_for_trains = 0.15;
/// IPv4's and UDP's headers.
constexpr unsigned headers = 28;

enum class Datagram : std::uint16_t { small, large, echo };

struct Header {
    std::uint64_t token = 0;
    std::uint16_t from = 0;
    std::uint16_t to = 0;
    std::uint16_t network = 0;
    Datagram kind = Datagram::small;
    std::uint16_t number = 0;  ///< of a small one, or of a train
    std::uint16_t place = 0;   ///< in a train
    std::uint32_t padding = 0;
    std::int64_t sent = 0;  ///< by the clock of whoever sent what is echoed
    std::int64_t kept = 0;  ///< an echo: how long the other had it
    double rate = 0;        ///< an echo: of trains so far, 0: none
};

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * second + time.tv_nsec;
}

void set_option(int socket, int level, int name, int value) {
    (void)setsockopt(socket, level, name, &value, sizeof value);
}

/// A datagram of some prober, and how it came.
struct Arrival : ReceivedDatagram {
    Header header;
};

/// The next one that is there; false where there is none.
bool take(int socket, Arrival& arrival) {
    std::array<char, 1U << 16U> buffer;
    const std::optional<ReceivedDatagram> received = receive_datagram(socket, buffer);
    if (!received) return false;
    arrival = {*received, {}};
    if (received->bytes >= sizeof(Header))
        std::memcpy(&arrival.header, buffer.data(), sizeof(Header));
    if (received->when == 0) arrival.when = now();
    return true;
}

/// What was sent to a target, and what echoes said.
struct Outgoing {
    std::uint64_t small = 0;
    std::uint64_t large = 0;
    std::uint64_t large_bytes = 0;
    std::uint16_t trains = 0;
    double rate = 0;
    std::optional<std::int64_t> round_trip;
};

class Prober {
public:
    Prober(int socket, const Probing& probing)
        : socket_(socket),
          probing_(probing),
          outgoing_(probing.targets.size()),
          order_(probing.targets.size()),
          random_(probing.token + probing.self) {
        std::iota(order_.begin(), order_.end(), 0U);
        for (std::size_t i = 0; i < probing.targets.size(); ++i)
            number_[{probing.targets[i].host, probing.targets[i].network}] = i;
        constexpr int room = 1 << 23;
        set_option(socket, SOL_SOCKET, SO_RCVBUF, room);
        (void)note_arrivals(socket);  // or this process does
        set_option(socket, SOL_SOCKET, SO_RXQ_OVFL, 1);
        // As large as the interface takes, whatever was learnt of the way: never cut in pieces.
        set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
    }

    void run() {
        const std::size_t small = probing_.small * probing_.targets.size();
        const std::size_t trains = probing_.trains * probing_.targets.size();
        const auto whole = static_cast<double>(second) * probing_.duration.value;
        const std::int64_t start = now();
        // Trains that left at one time everywhere would meet wherever ways are shared.
        const double phase = random_.uniform();
        const auto due = [&](std::size_t done, std::size_t all, double late) {
            if (done == all) return start + static_cast<std::int64_t>(whole) + afterwards;
            return start + static_cast<std::int64_t>(whole * (static_cast<double>(done) + late) /
                                                     static_cast<double>(all));
        };
        std::size_t small_done = 0;
        std::size_t trains_done = 0;
        while (true) {
            const std::int64_t next_small = due(small_done, small, 0);
            const std::int64_t next_train = due(trains_done, trains, phase);
            const std::int64_t next = std::min(next_small, next_train);
            const std::int64_t time = now();
            if (time < next) {
                listen_until(next);
            } else if (small_done == small && trains_done == trains) {
                return;
            } else if (next_small <= next_train) {
                send_small(small_done++ % probing_.targets.size());
            } else {
                send_train(next_in_random_order(trains_done++));
            }
            receive();
        }
    }

    [[nodiscard]] Probed result() const {
        constexpr double nanosecond = 1e-9;
        Probed probed;
        probed.overflowed = overflowed_;
        for (std::size_t i = 0; i < outgoing_.size(); ++i) {
            const Outgoing& one = outgoing_[i];
            Pair pair;
            pair.from = probing_.self;
            pair.to = probing_.targets[i].host;
            pair.network = probing_.targets[i].network;
            pair.small_sent = one.small;
            pair.large_sent = one.large;
            if (one.round_trip)
                pair.round_trip_s =
                    static_cast<double>(std::max<std::int64_t>(*one.round_trip, 0)) * nanosecond;
            probed.sent.push_back(pair);
        }
        for (const auto& [key, arrivals] : arrivals_) {
            Pair pair;
            pair.from = key.first;
            pair.to = probing_.self;
            pair.network = key.second;
            pair.small_received = arrivals.small();
            pair.large_received = arrivals.large();
            pair.spread_s = arrivals.spread();
            pair.rate_Bps = arrivals.rate();
            probed.received.push_back(pair);
        }
        for (const auto& [key, count] : misled_) {
            Pair pair;
            pair.from = key[0];
            pair.to = key[1];
            pair.network = key[2];
            pair.misled = count;
            probed.received.push_back(pair);
        }
        return probed;
    }

private:
    [[nodiscard]] Header header_for(std::size_t host, std::size_t network, Datagram kind) const {
        Header header;
        header.token = probing_.token;
        header.from = static_cast<std::uint16_t>(probing_.self);
        header.to = static_cast<std::uint16_t>(host);
        header.network = static_cast<std::uint16_t>(network);
        header.kind = kind;
        return header;
    }

    /// Every target once, then every one again in another order.
    std::size_t next_in_random_order(std::size_t turn) {
        const std::size_t place = turn % order_.size();
        if (place == 0)
            for (std::size_t i = order_.size(); i-- > 1;)
                std::swap(order_[i], order_[random_.below(i + 1)]);
        return order_[place];
    }

    void send_to(const sockaddr_in& address, const Header& header, std::size_t bytes) {
        buffer_.resize(std::max(buffer_.size(), bytes));
        std::memcpy(buffer_.data(), &header, sizeof header);
        // What can't be sent is lost, and counted so.
        (void)sendto(socket_, buffer_.data(), bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
                     reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }

    void send_small(std::size_t number) {
        const Target& target = probing_.targets[number];
        Outgoing& one = outgoing_[number];
        Header header = header_for(target.host, target.network, Datagram::small);
        header.number = static_cast<std::uint16_t>(one.small++);
        header.sent = now();
        send_to(target.address, header, sizeof header);
    }

    void send_train(std::size_t number) {
        const Target& target = probing_.targets[number];
        Outgoing& one = outgoing_[number];
        const double allowed = one.rate * probing_.duration.value * part_for_trains * 4 /
                               static_cast<double>(probing_.hosts * probing_.hosts);
        const auto length =
            std::clamp(static_cast<unsigned>(std::min(one.rate * train_s / target.packet, 1e6)),
                       shortest_train, longest_train);
        // The first two are sent without knowing what the way carries.
        if (one.trains >= 2 &&
            static_cast<double>(one.large_bytes + std::uint64_t{length} * target.packet) > allowed)
            return;
        Header header = header_for(target.host, target.network, Datagram::large);
        header.number = one.trains++;
        for (unsigned place = 0; place < length; ++place) {
            header.place = static_cast<std::uint16_t>(place);
            header.sent = now();
            send_to(target.address, header, target.packet - headers);
        }
        one.large += length;
        one.large_bytes += std::uint64_t{length} * target.packet;
    }

    void listen_until(std::int64_t time) {
        const std::int64_t left = std::max<std::int64_t>(time - now(), 0);
        const timespec patience{left / second, left % second};
        pollfd polled{socket_, POLLIN, 0};
        (void)ppoll(&polled, 1, &patience, nullptr);
    }

    void receive() {
        Arrival arrival;
        while (take(socket_, arrival)) {
            overflowed_ = std::max(overflowed_, arrival.overflowed);
            const Header& header = arrival.header;
            if (header.token != probing_.token || header.from >= probing_.hosts ||
                header.to >= probing_.hosts)
                continue;
            if (header.to != probing_.self)
                ++misled_[{header.from, header.to, header.network}];
            else if (header.kind == Datagram::echo)
                take_echo(arrival);
            else
                take_datagram(arrival);
        }
    }

    void take_echo(const Arrival& arrival) {
        const Header& header = arrival.header;
        const auto number = number_.find({header.from, header.network});
        if (number == number_.end()) return;
        Outgoing& one = outgoing_[number->second];
        const std::int64_t took = arrival.when - header.sent - header.kept;
        one.round_trip = std::min(one.round_trip.value_or(took), took);
        if (header.rate > 0) one.rate = header.rate;
    }

    void take_datagram(const Arrival& arrival) {
        const Header& header = arrival.header;
        Arrivals& from = arrivals_[{header.from, header.network}];
        if (header.kind == Datagram::large) {
            from.add_large(
                {header.number, header.place, arrival.bytes + headers, header.sent, arrival.when});
            return;
        }
        from.add_small(arrival.when - header.sent);
        if (header.number % echoed != 0) return;
        Header echo = header_for(header.from, header.network, Datagram::echo);
        echo.sent = header.sent;
        echo.rate = from.rate().value_or(0);
        echo.kept = now() - arrival.when;
        send_to(arrival.from, echo, sizeof echo);
    }

    int socket_;
    const Probing& probing_;
    std::vector<Outgoing> outgoing_;
    std::vector<std::size_t> order_;
    Random random_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> number_;
    std::map<std::pair<std::size_t, std::size_t>, Arrivals> arrivals_;
    std::map<std::array<std::size_t, 3>, std::uint64_t> misled_;
    std::uint32_t overflowed_ = 0;
    std::vector<char> buffer_;
};

}  // namespace

Probed probe(int socket, const Probing& probing) {
    Prober prober(socket, probing);
    prober.run();
    return prober.result();
}

}  // namespace espalier::doctor
