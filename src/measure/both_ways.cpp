#include "measure/both_ways.hpp"

#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace espalier::measure {

namespace {

constexpr int order_tag = 30;
constexpr int ready_tag = 31;
constexpr int stream_tag = 32;

constexpr std::uint64_t message_bytes = both_ways_bytes;
constexpr std::uint64_t few = 8;
constexpr std::uint64_t many = 40;
constexpr std::size_t repeats = 3;

/// `count` messages each way, at once; the time from the common start until all have come.
double exchange(const Channel& channel, int peer, std::uint64_t count) {
    const MPI_Comm comm = channel.comm();
    std::vector<char> sent(message_bytes);
    std::vector<char> received(message_bytes);
    std::vector<MPI_Request> receives(count, MPI_REQUEST_NULL);
    std::vector<MPI_Request> sends(count + 1, MPI_REQUEST_NULL);
    for (MPI_Request& request : receives)
        channel.check(PMPI_Irecv(received.data(), static_cast<int>(message_bytes), MPI_BYTE, peer,
                                 stream_tag, comm, &request));
    // Whoever hears that the other is ready as well starts; the two are one latency apart at most.
    MPI_Request other = MPI_REQUEST_NULL;
    channel.check(PMPI_Irecv(nullptr, 0, MPI_BYTE, peer, ready_tag, comm, &other));
    channel.check(PMPI_Isend(nullptr, 0, MPI_BYTE, peer, ready_tag, comm, &sends.back()));
    channel.wait(other);
    const double began = channel.now();
    for (std::uint64_t k = 0; k < count; ++k)
        channel.check(PMPI_Isend(sent.data(), static_cast<int>(message_bytes), MPI_BYTE, peer,
                                 stream_tag, comm, &sends[k]));
    channel.wait_all(receives);
    const double elapsed = channel.now() - began;
    channel.wait_all(sends);
    return elapsed;
}

double ordered_exchange(const Channel& channel, int peer, std::uint64_t count) {
    channel.send_now(&count, 1, MPI_UINT64_T, peer, order_tag);
    return exchange(channel, peer, count);
}

}  // namespace

double slowdown_both_ways(const Channel& channel, int peer, const LinkCosts& costs, double time) {
    // The budget may have been over before the first probe.
    const double one_way = costs.points.empty() ? 0 : fit(costs).gap(Bytes(message_bytes)).value;
    std::vector<double> ratios;
    // What two processors lose by doing both at once would seem to be the link's.
    if (costs.noisy) time = 0;
    const double needed = 3 * static_cast<double>(few + many) * one_way;
    while (one_way > 0 && ratios.size() < repeats &&
           needed * static_cast<double>(ratios.size() + 1) <= time) {
        const double shorter = ordered_exchange(channel, peer, few);
        const double longer = ordered_exchange(channel, peer, many);
        ratios.push_back((longer - shorter) / (static_cast<double>(many - few) * one_way));
    }
    const std::uint64_t none = 0;
    channel.send_now(&none, 1, MPI_UINT64_T, peer, order_tag);
    return ratios.empty() ? 1 : std::clamp(median(ratios), 1.0, 2.0);
}

void answer_both_ways(const Channel& channel, int peer) {
    for (;;) {
        std::uint64_t count = 0;
        MPI_Request order = MPI_REQUEST_NULL;
        channel.check(PMPI_Irecv(&count, 1, MPI_UINT64_T, peer, order_tag, channel.comm(), &order));
        channel.wait_idly(order);
        if (count == 0) return;
        (void)exchange(channel, peer, count);
    }
}

}  // namespace espalier::measure
