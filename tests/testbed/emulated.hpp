#pragma once

#include "testbed/emulator.hpp"
#include "testbed/packets.hpp"

#include <optional>
#include <string>
#include <utility>

namespace espalier::testbed {

inline constexpr double fast = 50e6;  // bytes/s
inline constexpr double slow = 10e6;

/// Hosts with a card out and a card in each; between the first half and the second, all share an
/// uplink and a downlink.
inline Topology emulated_sites(std::size_t hosts, double latency_s,
                               std::uint64_t buffer = 1 << 20) {
    Topology topology;
    topology.paths = Matrix<Path>(hosts, hosts);
    for (std::size_t i = 0; i < hosts; ++i) {
        topology.hosts.push_back({"h" + std::to_string(i), "c", "s"});
        topology.queues.push_back({"out", BytesPerSecond(fast), Bytes(buffer)});
        topology.queues.push_back({"in", BytesPerSecond(fast), Bytes(buffer)});
    }
    const auto uplink = static_cast<std::uint32_t>(topology.queues.size());
    topology.queues.push_back({"uplink", BytesPerSecond(slow), Bytes(buffer)});
    topology.queues.push_back({"downlink", BytesPerSecond(slow), Bytes(buffer)});
    for (std::uint32_t from = 0; from < hosts; ++from) {
        for (std::uint32_t to = 0; to < hosts; ++to) {
            if (from == to) continue;
            Path& path = topology.paths(from, to);
            path.before = {2 * from};
            path.after = {2 * to + 1};
            path.latency = Seconds(50e-6);
            if (from < hosts / 2 && to >= hosts / 2) {
                path.before.push_back(uplink);
                path.after = {uplink + 1, 2 * to + 1};
                path.latency = Seconds(latency_s);
            }
        }
    }
    return topology;
}

inline Packet tcp(std::size_t payload) { return std::move(*packet_of(tcp_packet(payload))); }

/// Times go in steps from one `next` to the other.
inline std::optional<std::pair<Nanoseconds, Emulator::Arrival>> next_arrival(Emulator& emulator) {
    while (emulator.next() != never) {
        const Nanoseconds time = emulator.next();
        Emulator::Arrival arrival{};
        if (emulator.advance(time, arrival)) return std::pair(time, std::move(arrival));
    }
    return std::nullopt;
}

}  // namespace espalier::testbed
