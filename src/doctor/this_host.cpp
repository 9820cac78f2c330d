#include "doctor/this_host.hpp"

#include "core/file_descriptor.hpp"
#include "core/subprocess.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

namespace espalier::doctor {

namespace {

constexpr std::array settings{"net.ipv4.tcp_slow_start_after_idle",
                              "net.ipv4.tcp_rmem",
                              "net.ipv4.tcp_wmem",
                              "net.ipv4.tcp_congestion_control",
                              "net.ipv4.tcp_window_scaling",
                              "net.ipv4.tcp_sack",
                              "net.ipv4.tcp_timestamps",
                              "net.ipv4.tcp_moderate_rcvbuf",
                              "net.ipv4.tcp_mtu_probing",
                              "net.core.rmem_max",
                              "net.core.wmem_max"};

/// The first line of a file, its blanks made single; empty where it can't be read.
std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    std::istringstream words(line);
    std::string text;
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::map<std::string, std::string> read_settings() {
    std::map<std::string, std::string> found;
    for (const std::string name : settings) {
        std::string path = name;
        std::ranges::replace(path, '.', '/');
        if (const std::string value = first_line("/proc/sys/" + path); !value.empty())
            found.emplace(name, value);
    }
    return found;
}

bool chooses_an_interface(std::string_view name) {
    constexpr std::array<std::string_view, 6> endings{"_SOCKET_IFNAME",  "_tcp_if_include",
                                                      "_tcp_if_exclude", "_NET_DEVICES",
                                                      "_IFACE",          "_NETWORK_INTERFACE"};
    return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

std::map<std::string, std::string> read_environment() {
    std::map<std::string, std::string> found;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos && chooses_an_interface(text.substr(0, equals)))
            found.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return found;
}

std::string text_of(const sockaddr* address) {
    std::array<char, INET_ADDRSTRLEN> text{};
    sockaddr_in internet{};
    std::memcpy(&internet, address, sizeof internet);
    inet_ntop(AF_INET, &internet.sin_addr, text.data(), text.size());
    return text.data();
}

unsigned prefix_of(const sockaddr* mask) {
    if (mask == nullptr) return 32;
    sockaddr_in internet{};
    std::memcpy(&internet, mask, sizeof internet);
    return static_cast<unsigned>(std::popcount(internet.sin_addr.s_addr));
}

std::string hardware_of(const sockaddr* address) {
    sockaddr_ll link{};
    std::memcpy(&link, address, sizeof link);
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(link.sll_halen, sizeof link.sll_addr); ++i)
        text += fmt::format("{}{:02x}", i == 0 ? "" : ":", link.sll_addr[i]);
    return text;
}

ifreq request_for(const std::string& name) {
    ifreq request{};
    name.copy(request.ifr_name, sizeof request.ifr_name - 1);
    return request;
}

/// Bytes a second that the driver states, 0 where it states none.
double stated_speed(int socket, const std::string& name) {
    ethtool_cmd command{};
    command.cmd = ETHTOOL_GSET;
    ifreq request = request_for(name);
    request.ifr_data = reinterpret_cast<char*>(&command);
    if (ioctl(socket, SIOCETHTOOL, &request) != 0) return 0;
    const std::uint32_t speed = ethtool_cmd_speed(&command);
    constexpr double bytes_per_megabit = 125e3;
    return speed == static_cast<std::uint32_t>(SPEED_UNKNOWN) ? 0 : speed * bytes_per_megabit;
}

std::vector<Interface> read_interfaces() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
    const FileDescriptor any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    std::vector<Interface> found;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr) continue;
        // An address may bear a label of its own: eth0:1.
        const std::string label = entry->ifa_name;
        const std::string name = label.substr(0, label.find(':'));
        auto card = std::ranges::find(found, name, &Interface::name);
        if (card == found.end()) {
            card = found.insert(found.end(), Interface{});
            card->name = name;
            constexpr unsigned both = IFF_UP | IFF_RUNNING;
            card->up = (entry->ifa_flags & both) == both;
            card->loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0;
            ifreq request = request_for(name);
            if (ioctl(any.get(), SIOCGIFMTU, &request) == 0)
                card->mtu = static_cast<unsigned>(request.ifr_mtu);
            card->speed_Bps = stated_speed(any.get(), name);
        }
        if (entry->ifa_addr->sa_family == AF_INET)
            card->addresses.push_back({text_of(entry->ifa_addr), prefix_of(entry->ifa_netmask)});
        if (entry->ifa_addr->sa_family == AF_PACKET && !card->loopback)
            card->hardware = hardware_of(entry->ifa_addr);
    }
    return found;
}

std::string own_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "?";
}

std::vector<std::string> looked_up(const std::string& name) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (getaddrinfo(name.c_str(), nullptr, &hints, &list) != 0) return {};
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
    std::vector<std::string> found;
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next)
        found.push_back(text_of(entry->ai_addr));
    return found;
}

}  // namespace

Host describe_this_host() {
    Host host;
    host.name = own_name();
    host.machine = first_line("/proc/sys/kernel/random/boot_id");
    struct stat network {};
    host.place = host.machine;
    if (stat("/proc/self/ns/net", &network) == 0) host.place += fmt::format("/{}", network.st_ino);
    host.interfaces = read_interfaces();
    host.settings = read_settings();
    host.environment = read_environment();
    return host;
}

std::map<std::string, std::vector<std::string>> look_up(const std::vector<std::string>& names) {
    constexpr Seconds patience{2};
    const Apart apart = run_apart(
        [&names] {
            std::string lines;
            for (const std::string& name : names) {
                lines += name;
                for (const std::string& address : looked_up(name)) lines += " " + address;
                lines += "\n";
            }
            return lines;
        },
        patience, [] {});
    std::map<std::string, std::vector<std::string>> found;
    for (const std::string& name : names) found[name];
    if (apart.end != Apart::End::done) return found;
    std::istringstream lines(apart.text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        for (std::string address; words >> address;) found[name].push_back(address);
    }
    return found;
}

double time_work() {
    using Clock = std::chrono::steady_clock;
    // Long enough for a limit of three tenths of a processor to show, whose period is 0.1 s.
    constexpr int steps = 50'000'000;
    const auto start = Clock::now();
    std::uint64_t state = 1;
    for (int step = 0; step < steps; ++step) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
    }
    // The loop's result is used, so that it is not left out.
    volatile std::uint64_t kept = state;
    (void)kept;
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace espalier::doctor
