#include "ring/exchange.hpp"

#include "core/error.hpp"
#include "core/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

namespace espalier::ring {

namespace {

Bytes as_bytes(double exchange) {
    constexpr double most = 0x1.0p52;  // two messages are still counted exactly
    if (exchange != std::floor(exchange) || exchange > most)
        throw InputError(
            fmt::format("a schedule's messages are whole bytes, and the exchange is {}", exchange));
    return Bytes(static_cast<std::uint64_t>(exchange));
}

/// The node of the host at each place of the ring.
std::vector<std::size_t> nodes_of(const schedule::Ring& ring, const network::LinksNetwork& platform,
                                  const std::vector<std::string>& names) {
    std::vector<std::size_t> nodes;
    for (const std::size_t host : ring.order) {
        const auto found = std::ranges::find(names, platform.nodes[host].name);
        assert(found != names.end());
        nodes.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    return nodes;
}

/// The total exchange in which nodes send each other so much, and a chunk for each message.
void set_sizes(schedule::Schedule& schedule, Matrix<Bytes> sizes) {
    for (std::size_t from = 0; from < sizes.rows(); ++from)
        for (std::size_t to = 0; to < sizes.columns(); ++to)
            if (from != to && sizes(from, to).value > 0)
                schedule.chunks.push_back({sizes(from, to), 1, from, to});
    schedule.collective =
        schedule::exchange_of_sizes(std::make_shared<const Matrix<Bytes>>(std::move(sizes)));
}

}  // namespace

schedule::Schedule exchange_schedule(const schedule::Ring& ring,
                                     const network::LinksNetwork& platform,
                                     const simulate::Fabric& fabric,
                                     std::vector<std::string> names) {
    const Bytes bytes = as_bytes(ring.exchange);
    const std::vector<std::size_t> nodes = nodes_of(ring, platform, names);
    const std::size_t size = nodes.size();
    Matrix<Bytes> sizes(names.size(), names.size());
    for (std::size_t place = 0; size > 1 && place < size; ++place)
        for (const std::size_t to : {(place + 1) % size, (place + size - 1) % size})
            sizes(nodes[place], nodes[to]) += bytes;

    schedule::Schedule schedule;
    schedule.algorithm = "ring";
    schedule.nodes = std::move(names);
    schedule.ports = fabric.ports();
    schedule.ports.count = ring.sharing == schedule::RingSharing::fair ? 2 : 1;
    set_sizes(schedule, std::move(sizes));
    const auto send = [&](std::size_t from, std::size_t to) {
        for (std::size_t chunk = 0; chunk < schedule.chunks.size(); ++chunk)
            if (schedule.chunks[chunk].source == from && schedule.chunks[chunk].target == to)
                schedule.transfers.push_back({from, to, chunk});
    };
    for (std::size_t place = 0; size > 1 && place < size; ++place)
        send(nodes[place], nodes[(place + 1) % size]);
    // Two hosts are each other's successor and predecessor: one message holds both.
    for (std::size_t place = 0; size > 2 && place < size; ++place)
        send(nodes[place], nodes[(place + size - 1) % size]);
    return schedule;
}

}  // namespace espalier::ring
