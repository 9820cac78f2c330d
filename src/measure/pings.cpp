#include "measure/pings.hpp"

#include "measure/remote_link.hpp"

#include <cstddef>
#include <functional>

namespace espalier::measure {

namespace {

constexpr int ping_tag = 12;
constexpr int answer_tag = 13;

/// Pings each of `peers`, all at the same time, `times` times, and answers their pings; each of
/// them calls it, too. `round_trip(t, k)` is set to how long the answer of peers[k] to the t-th
/// ping took, in seconds; the first ping may have had to connect first. The next ping to a peer
/// leaves when its answer to the last one is there, so that near ones are done with soon.
void ping_at_once(const Channel& channel, const std::vector<int>& peers, std::size_t times,
                  const std::function<double&(std::size_t, std::size_t)>& round_trip) {
    const std::size_t count = peers.size();
    const MPI_Comm comm = channel.comm();
    // First the answers to this rank's pings, then the others' pings.
    std::vector<MPI_Request> expected(2 * count, MPI_REQUEST_NULL);
    std::vector<MPI_Request> sends;
    std::vector<std::size_t> answered(count, 0);  // of this rank's pings
    std::vector<std::size_t> seen(count, 0);      // of the others'
    std::vector<double> sent(count, 0);
    const auto expect = [&](std::size_t k, int tag, MPI_Request& request) {
        channel.check(PMPI_Irecv(nullptr, 0, MPI_BYTE, peers[k], tag, comm, &request));
    };
    const auto send = [&](std::size_t k, int tag) {
        channel.check(PMPI_Isend(nullptr, 0, MPI_BYTE, peers[k], tag, comm,
                                 &sends.emplace_back(MPI_REQUEST_NULL)));
    };
    for (std::size_t k = 0; k < count; ++k) {
        expect(k, answer_tag, expected[k]);
        expect(k, ping_tag, expected[count + k]);
    }
    for (std::size_t k = 0; k < count; ++k) {
        sent[k] = channel.now();
        send(k, ping_tag);
    }
    while (const auto completed = channel.wait_any(expected)) {
        const double now = channel.now();
        const std::size_t done = *completed;
        if (done >= count) {
            const std::size_t k = done - count;
            send(k, answer_tag);
            if (++seen[k] < times) expect(k, ping_tag, expected[done]);
            continue;
        }
        round_trip(answered[done], done) = now - sent[done];
        if (++answered[done] == times) continue;
        expect(done, answer_tag, expected[done]);
        sent[done] = channel.now();
        send(done, ping_tag);
    }
    channel.wait_all(sends);
}

}  // namespace

std::vector<double> play(const Channel& channel, const JobMap& job, const LatencyPart& part) {
    const std::size_t host = job.host_of_rank[static_cast<std::size_t>(channel.rank())];
    if (job.first_rank(host) != channel.rank() || part.opponents.empty()) return {};
    std::vector<double> waits(part.times * part.rounds, 0);
    std::vector<int> peers;
    for (const auto& opponent : part.opponents) peers.push_back(job.first_rank(opponent.host));
    const auto wait = [&](std::size_t time, std::size_t k) -> double& {
        return waits[time * part.rounds + part.opponents[k].round];
    };
    if (part.at_once)
        ping_at_once(channel, peers, part.times, wait);
    else
        for (std::size_t time = 0; time < part.times; ++time)
            for (std::size_t k = 0; k < peers.size(); ++k) wait(time, k) = meet(channel, peers[k]);
    return waits;
}

}  // namespace espalier::measure
