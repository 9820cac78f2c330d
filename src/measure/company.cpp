#include "measure/company.hpp"

#include "core/statistics.hpp"
#include "core/wire.hpp"

#include <algorithm>
#include <optional>

namespace espalier::measure {

namespace {

constexpr int company_tag = 40;
constexpr int message_bytes = 256;
/// The messages of each member in a round, to one after the other of the others: so many that what
/// they take of processors is not lost beside how long one is in flight.
constexpr std::size_t messages_of_each = 16;
constexpr std::size_t batches = 8;
constexpr double most_rounds = 4;
/// The least slowdown that shows that hosts share processors: some host is always a little late.
constexpr double clearly_slower = 1.2;

/// The members to which a member sends each message of a round, and from which it receives each.
struct Peers {
    std::vector<int> to;
    std::vector<int> from;
};

/// The next members of the rank's group, to which it sends; nullopt if it is in no group of two or
/// more.
std::optional<Peers> peers_of(const std::vector<std::vector<int>>& groups, int rank) {
    for (const std::vector<int>& group : groups) {
        const auto own = std::ranges::find(group, rank);
        if (own == group.end() || group.size() < 2) continue;
        const auto place = static_cast<std::size_t>(own - group.begin());
        Peers peers;
        for (std::size_t message = 0; message < messages_of_each; ++message) {
            const std::size_t step = 1 + message % (group.size() - 1);
            peers.to.push_back(group[(place + step) % group.size()]);
            peers.from.push_back(group[(place + group.size() - step) % group.size()]);
        }
        return peers;
    }
    return std::nullopt;
}

/// The only two members that exchange messages in the first measurement, as many as any member does
/// later.
std::optional<Peers> peers_alone(const std::vector<std::vector<int>>& groups, int rank) {
    for (const std::vector<int>& group : groups) {
        if (group.size() < 2) continue;
        if (rank != group[0] && rank != group[1]) return std::nullopt;
        const int other = rank == group[0] ? group[1] : group[0];
        return Peers{std::vector<int>(messages_of_each, other),
                     std::vector<int>(messages_of_each, other)};
    }
    return std::nullopt;
}

/// Seconds of a round, in which all that is sent to this rank has come and all it sends has left.
double time_of_round(const Channel& channel, const Peers& peers, std::size_t rounds) {
    std::vector<char> sent(message_bytes);
    std::vector<char> received(message_bytes);
    std::vector<MPI_Request> requests;
    std::vector<double> times;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const double began = channel.now();
        for (std::size_t round = 0; round < rounds; ++round) {
            requests.clear();
            // What arrives means nothing, so that all may arrive at one place.
            for (const int peer : peers.from)
                channel.check(PMPI_Irecv(received.data(), message_bytes, MPI_BYTE, peer,
                                         company_tag, channel.comm(),
                                         &requests.emplace_back(MPI_REQUEST_NULL)));
            for (const int peer : peers.to)
                channel.check(PMPI_Isend(sent.data(), message_bytes, MPI_BYTE, peer, company_tag,
                                         channel.comm(), &requests.emplace_back(MPI_REQUEST_NULL)));
            channel.wait_all(requests);
        }
        times.push_back((channel.now() - began) / static_cast<double>(rounds));
    }
    return lower_quartile(times);
}

/// The median over all ranks that have peers, on rank 0. Collective.
double time_of_rounds(const Channel& channel, const std::optional<Peers>& peers,
                      std::size_t rounds) {
    WireWriter to;
    if (peers) to(time_of_round(channel, *peers, rounds));
    std::vector<double> times;
    for (const std::string& bytes : channel.gather(to.bytes()))
        if (!bytes.empty()) times.push_back(WireReader(bytes).take<double>());
    return times.empty() ? 0 : median(times);
}

}  // namespace

double time_in_company(const Channel& channel, const std::vector<std::vector<int>>& groups,
                       double round_trip, double seconds) {
    const double fitting = seconds / (2 * batches * std::max(round_trip, 1e-9));
    const auto rounds = static_cast<std::size_t>(std::clamp(fitting, 1.0, most_rounds));
    const double alone = time_of_rounds(channel, peers_alone(groups, channel.rank()), rounds);
    // Nobody begins before those two are done.
    (void)channel.broadcast({});
    const double together = time_of_rounds(channel, peers_of(groups, channel.rank()), rounds);
    std::size_t messages = 0;
    for (const std::vector<int>& group : groups)
        if (group.size() > 1) messages += group.size() * messages_of_each;
    if (messages == 0 || together <= clearly_slower * alone) return 0;
    return (together - alone) / static_cast<double>(messages);
}

}  // namespace espalier::measure
