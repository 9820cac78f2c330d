#include "testbed/kernel_layout.hpp"

#include "testbed/expect.hpp"
#include "testbed/tun.hpp"
#include "testbed/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace espalier::testbed {

namespace {

/// What tc adds to a packet's length, which has the Ethernet header, and takes for the least.
constexpr int framing = static_cast<int>(ethernet_overhead) - 14;
constexpr int least_on_wire = 84;
/// Packets under way in one netem; more than any buffer lets through.
constexpr int packets_under_way = 100000;

/// The queue at its own end of the path that each host has to itself: the first queue of packets
/// that it sends, or the last one of those that it receives.
std::vector<std::optional<std::uint32_t>> own_queues(const Topology& topology, bool sent) {
    const std::size_t size = topology.hosts.size();
    std::map<std::uint32_t, std::set<std::size_t>> users;
    std::vector<std::set<std::uint32_t>> ends(size);
    for (std::size_t from = 0; from < size; ++from)
        for (std::size_t to = 0; to < size; ++to) {
            const auto queues = queues_of(topology.paths(from, to));
            const std::size_t host = sent ? from : to;
            for (const std::uint32_t queue : queues) users[queue].insert(host);
            if (from != to && !queues.empty())
                ends[host].insert(sent ? queues.front() : queues.back());
        }
    std::vector<std::optional<std::uint32_t>> own(size);
    for (std::size_t host = 0; host < size; ++host)
        if (ends[host].size() == 1 && users[*ends[host].begin()].size() == 1)
            own[host] = *ends[host].begin();
    return own;
}

}  // namespace

KernelLayout kernel_layout(const Topology& topology) {
    KernelLayout layout{.sends = own_queues(topology, true),
                        .receives = own_queues(topology, false)};
    // What is between two hosts alone is one queue.
    for (auto& queue : layout.receives)
        if (std::ranges::find(layout.sends, queue) != layout.sends.end()) queue.reset();
    for (std::size_t queue = 0; queue < topology.queues.size(); ++queue)
        layout.queues.push_back({std::nullopt, fmt::format("q{}", queue)});
    for (std::size_t host = 0; host < topology.hosts.size(); ++host) {
        if (const auto queue = layout.sends[host]) layout.queues[*queue] = {host, device_name};
        if (const auto queue = layout.receives[host])
            layout.queues[*queue] = {std::nullopt, fmt::format("h{}", host)};
    }
    for (std::size_t from = 0; from < topology.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            if (const Seconds latency = topology.paths(from, to).latency; latency > Seconds(0))
                layout.delays.try_emplace(latency, fmt::format("d{}", layout.delays.size()));
    return layout;
}

std::string htb_words(const Queue& queue) {
    const double rate = left_of(queue).value;
    // What may go at once: two frames, and what passes until a timer that is late goes off.
    const double burst = std::max(2.0 * static_cast<double>(full_frame), rate * 500e-6);
    return fmt::format(
        "htb rate {:.0f}bit burst {:.0f} cburst {:.0f} quantum 1600 overhead {} mpu {}", rate * 8,
        burst, burst, framing, least_on_wire);
}

std::string netem_words(const Path& path) {
    // netem's jitter goes both ways.
    const double half_us = path.jitter.value * 0.5e6;
    std::string words = fmt::format("netem delay {:.2f}us", path.latency.value * 1e6 + half_us);
    if (half_us > 0) words += fmt::format(" {:.2f}us", half_us);
    if (path.loss > 0) words += fmt::format(" loss {:.6g}%", path.loss * 100);
    words += fmt::format(" limit {}", packets_under_way);
    // Where it has a rate, it lets nothing overtake.
    if (half_us > 0) words += " rate 1000gbit";
    return words;
}

}  // namespace espalier::testbed
