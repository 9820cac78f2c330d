#include "measure/method/train_port.hpp"

#include "core/received_datagram.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <system_error>

namespace espalier::measure {

namespace {

constexpr std::size_t datagrams_of_train = 6;
/// So that tunnels cut none in pieces; IPv4's and UDP's headers; what TCP carries of as many bytes.
constexpr std::size_t datagram_bytes = 1400;
constexpr double headers = 28;
constexpr double content_of_tcp = 1448.0 / 1500;
constexpr int room = 1 << 20;

struct Label {
    std::uint64_t password = 0;
    std::uint64_t from = 0;
    std::uint32_t number = 0;
    std::uint32_t place = 0;
};
using Datagram = std::array<char, datagram_bytes>;

sockaddr_in address_at(std::uint32_t address, std::uint16_t port) {
    sockaddr_in all{};
    all.sin_family = AF_INET;
    all.sin_addr.s_addr = address;
    all.sin_port = port;
    return all;
}

/// Its own address, or that of the other end; 0 where there is none of IPv4.
std::uint32_t end_of(int socket, decltype(getsockname)* end) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (end(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0 ||
        storage.ss_family != AF_INET)
        return 0;
    sockaddr_in all{};
    std::memcpy(&all, &storage, sizeof all);
    return all.sin_addr.s_addr;
}

/// This host's addresses that others may reach.
std::vector<std::uint32_t> own_addresses() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
    std::vector<std::uint32_t> addresses;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        constexpr unsigned wanted = IFF_UP | IFF_RUNNING;
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET ||
            (one->ifa_flags & (wanted | IFF_LOOPBACK)) != wanted)
            continue;
        sockaddr_in all{};
        std::memcpy(&all, one->ifa_addr, sizeof all);
        addresses.push_back(all.sin_addr.s_addr);
    }
    return addresses;
}

/// The two ends of each TCP connection that this process has: own, and the other one.
std::set<std::pair<std::uint32_t, std::uint32_t>> connections() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
        const std::string name = entry.path().filename();
        int number = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc())
            continue;
        int kind = 0;
        socklen_t size = sizeof kind;
        if (getsockopt(number, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 || kind != SOCK_STREAM)
            continue;
        const std::uint32_t other = end_of(number, getpeername);
        if (other != 0) found.emplace(end_of(number, getsockname), other);
    }
    return found;
}

/// The address from which the kernel sends to another one; 0 if it would not.
std::uint32_t source_towards(std::uint32_t address, std::uint16_t port) {
    const FileDescriptor probe(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = address_at(address, port);
    if (!probe || connect(probe.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
        return 0;
    return end_of(probe.get(), getsockname);
}

}  // namespace

TrainStation TrainPort::station() {
    socket_ = FileDescriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_in any = address_at(INADDR_ANY, 0);
    if (!socket_ || bind(socket_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
        !note_arrivals(socket_.get())) {
        close();
        return {};
    }
    (void)setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    (void)getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size);
    std::random_device random;
    return {own_addresses(), bound.sin_port, (std::uint64_t{random()} << 32U) | random()};
}

void TrainPort::know(std::vector<TrainStation> stations, std::size_t own) {
    stations_ = std::move(stations);
    own_ = own;
    // An address that several hosts have, as inside containers, leads to none of them.
    std::map<std::uint32_t, int> hosts;
    for (const TrainStation& station : stations_)
        for (const std::uint32_t address : station.addresses) ++hosts[address];
    for (TrainStation& station : stations_)
        std::erase_if(station.addresses, [&](std::uint32_t address) { return hosts[address] > 1; });
}

TrainPort::Ends TrainPort::ends_of_mpi() const {
    std::map<std::uint32_t, std::size_t> hosts;
    for (std::size_t host = 0; host < stations_.size(); ++host)
        for (const std::uint32_t address : stations_[host].addresses) hosts[address] = host;
    Ends ends;
    for (const auto& [here, there] : connections()) {
        const auto host = hosts.find(there);
        if (host == hosts.end() || host->second == own_) continue;
        ends.here.insert(here);
        ends.there[host->second] = there;
    }
    return ends;
}

/// At which MPI talks to the host, or would by the interface that it talks to others by; 0: none.
std::uint32_t TrainPort::address_of(std::size_t host) {
    if (!ends_) ends_ = ends_of_mpi();
    if (const auto known = ends_->there.find(host); known != ends_->there.end())
        return known->second;
    const TrainStation& to = stations_[host];
    const auto usual = std::ranges::find_if(to.addresses, [&](std::uint32_t address) {
        return ends_->here.contains(source_towards(address, to.port));
    });
    return usual == to.addresses.end() ? 0 : *usual;
}

void TrainPort::depart(std::size_t to, std::uint32_t number) {
    if (!socket_ || stations_[to].port == 0) return;
    const std::uint32_t address = address_of(to);
    if (address == 0) return;
    sockaddr_in there = address_at(address, stations_[to].port);
    std::array<Datagram, datagrams_of_train> train{};
    std::array<iovec, datagrams_of_train> parts{};
    std::array<mmsghdr, datagrams_of_train> messages{};
    for (std::uint32_t place = 0; place < datagrams_of_train; ++place) {
        const Label label{stations_[to].password, own_, number, place};
        std::memcpy(train[place].data(), &label, sizeof label);
        parts[place] = {train[place].data(), train[place].size()};
        msghdr& message = messages[place].msg_hdr;
        message.msg_name = &there;
        message.msg_namelen = sizeof there;
        message.msg_iov = &parts[place];
        message.msg_iovlen = 1;
    }
    // What can't be sent does not come.
    (void)sendmmsg(socket_.get(), messages.data(), datagrams_of_train, MSG_NOSIGNAL);
}

void TrainPort::take_in() {
    if (!socket_) return;
    Datagram datagram;
    while (const auto received = receive_datagram(socket_.get(), datagram)) {
        if (received->bytes != datagram_bytes || received->when == 0) continue;
        Label label;
        std::memcpy(&label, datagram.data(), sizeof label);
        if (label.password != stations_[own_].password) continue;
        const std::int64_t time = received->when;
        Train& train = trains_[{label.from, label.number}];
        if (train.datagrams == 0) {
            train = {label.place, label.place, 1, time, time};
        } else if (label.place > train.last) {
            train.last = label.place;
            train.end = time;
            ++train.datagrams;
        }
    }
}

double TrainPort::rate(std::size_t from, std::uint32_t number) const {
    const auto place = trains_.find({from, number});
    if (place == trains_.end()) return 0;
    const Train& train = place->second;
    if (train.datagrams < 3 || train.end <= train.begin) return 0;
    const double bytes = (train.last - train.first) * (datagram_bytes + headers);
    return content_of_tcp * bytes / (1e-9 * static_cast<double>(train.end - train.begin));
}

}  // namespace espalier::measure
