#pragma once

#include "core/json.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What is wrong with the network of some hosts: what was seen on them and between them (`Facts`),
/// and what follows of it (`diagnose`).
namespace espalier::doctor {

/// An IPv4 address and how many of its bits are its subnet's.
struct Address {
    std::string text;
    unsigned prefix = 32;
};

/// A network interface of a host, as its kernel has it.
struct Interface {
    std::string name;
    std::vector<Address> addresses;
    std::string hardware;  ///< its hardware address; empty: none
    unsigned mtu = 0;      ///< bytes of the largest packet
    double speed_Bps = 0;  ///< that its driver states; 0: none
    bool up = false;       ///< and a cable or a peer is there
    bool loopback = false;
};

struct Host {
    std::string name;
    /// Which kernel and which network of it: two processes with the same are on one host.
    std::string place;
    /// Which kernel: hosts of one share its processors.
    std::string machine;
    /// False where it could not be reached from the first host: then only its name and its
    /// addresses are known.
    bool present = true;
    std::vector<Interface> interfaces;
    /// Settings of the kernel, by the name that `sysctl` knows; those that it does not have are
    /// left out.
    std::map<std::string, std::string> settings;
    /// Variables of the environment that choose a network interface.
    std::map<std::string, std::string> environment;
    /// What hosts' names stand for here; none: the name is not known.
    std::map<std::string, std::vector<std::string>> names;
    /// What a fixed piece of computing took, in seconds, the median of some times; 0: not known.
    double work_s = 0;
    /// Packets that arrived while this host was too busy to take them.
    std::uint64_t overflowed = 0;
};

/// What went from a host to an address of another by datagrams, with the interface that the kernel
/// chose.
struct Pair {
    std::size_t from = 0;     ///< index into Facts::hosts
    std::size_t to = 0;       ///< likewise
    std::size_t network = 0;  ///< index into Facts::networks
    std::uint64_t small_sent = 0;
    std::uint64_t small_received = 0;
    std::uint64_t large_sent = 0;  ///< as large as the interface takes, not to be cut
    std::uint64_t large_received = 0;
    /// Those that another host got than the one that they were meant for.
    std::uint64_t misled = 0;
    /// Whether a TCP connection came about; asked only where no datagram was answered.
    std::optional<bool> connects;
    std::optional<double> round_trip_s;  ///< the least
    /// Half of the datagrams' one-way delays lie in a range of this width.
    std::optional<double> spread_s;
    /// Bytes of datagrams a second in which large ones arrived that had left at once, the median.
    std::optional<double> rate_Bps;
};

/// One interface of some of the hosts each, which can reach one another as far as their subnets and
/// names tell.
struct CardNetwork {
    struct Member {
        std::size_t host = 0;
        std::size_t interface = 0;
        std::string address;
    };
    std::string name;  ///< of the interfaces, the most frequent one
    std::vector<Member> members;
};

struct Facts {
    std::vector<Host> hosts;
    std::vector<CardNetwork> networks;
    std::vector<Pair> pairs;
};

/// Interfaces with an address of hosts that are present, loopback aside: those of one subnet belong
/// together, and those of one name unless a host then had two. An address that several hosts bear
/// is taken only where the interface has no other. Networks of one host are left out.
[[nodiscard]] std::vector<CardNetwork> networks_of(const std::vector<Host>& hosts);

/// What is seen of a host as the part of a file, and back. Throws InputError.
[[nodiscard]] Json to_json(const Host& host);
[[nodiscard]] Host host_from_json(const JsonValue& value);
[[nodiscard]] Json to_json(const Pair& pair);
[[nodiscard]] Pair pair_from_json(const JsonValue& value, std::size_t hosts, std::size_t networks);
/// The fields `hosts` and `pairs` of a file.
void write_facts(Json& document, const Facts& facts);
[[nodiscard]] Facts facts_from_json(const JsonValue& document);

}  // namespace espalier::doctor
