#include "measure/company.hpp"

#include "core/statistics.hpp"
#include "core/wire.hpp"

#include <algorithm>
#include <optional>

namespace espalier::measure {

namespace {

constexpr int company_tag = 40;
constexpr int message_bytes = 256;
/// Of messages of each member.
constexpr std::size_t batches = 4;
constexpr double most_in_a_batch = 8;
/// The least part by which messages take longer that shows that hosts share processors: some host
/// is always a little late.
constexpr double clearly_slower = 0.2;

/// The members to which a member sends each message of a batch, and from which it receives each.
struct Peers {
    std::vector<int> to;
    std::vector<int> from;
};

/// The next members of the rank's group, one after the other; nullopt if it is in no group of two
/// or more.
std::optional<Peers> peers_of(const std::vector<std::vector<int>>& groups, int rank,
                              std::size_t messages) {
    for (const std::vector<int>& group : groups) {
        const auto own = std::ranges::find(group, rank);
        if (own == group.end() || group.size() < 2) continue;
        const auto place = static_cast<std::size_t>(own - group.begin());
        Peers peers;
        for (std::size_t message = 0; message < messages; ++message) {
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
std::optional<Peers> peers_alone(const std::vector<std::vector<int>>& groups, int rank,
                                 std::size_t messages) {
    for (const std::vector<int>& group : groups) {
        if (group.size() < 2) continue;
        if (rank != group[0] && rank != group[1]) return std::nullopt;
        const int other = rank == group[0] ? group[1] : group[0];
        return Peers{std::vector<int>(messages, other), std::vector<int>(messages, other)};
    }
    return std::nullopt;
}

/// Seconds from one message to the next. Each waits for the one before it to have come, as in a
/// collective: of those that leave at once a processor deals with many for little more than one
/// takes.
double time_of_message(const Channel& channel, const Peers& peers) {
    std::vector<char> sent(message_bytes);
    std::vector<char> received(message_bytes);
    std::vector<MPI_Request> requests(2);
    std::vector<double> times;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const double began = channel.now();
        for (std::size_t k = 0; k < peers.to.size(); ++k) {
            channel.check(PMPI_Irecv(received.data(), message_bytes, MPI_BYTE, peers.from[k],
                                     company_tag, channel.comm(), &requests[0]));
            channel.check(PMPI_Isend(sent.data(), message_bytes, MPI_BYTE, peers.to[k], company_tag,
                                     channel.comm(), &requests[1]));
            channel.wait_all(requests);
        }
        times.push_back((channel.now() - began) / static_cast<double>(peers.to.size()));
    }
    return lower_quartile(times);
}

}  // namespace

double time_in_company(const Channel& channel, const std::vector<std::vector<int>>& groups,
                       double round_trip, double seconds) {
    const double fitting = seconds / (batches * std::max(round_trip, 1e-9));
    const auto messages = static_cast<std::size_t>(std::clamp(fitting, 1.0, most_in_a_batch));
    const auto time_with = [&](const std::optional<Peers>& peers) {
        return peers ? time_of_message(channel, *peers) : 0;
    };
    const double alone = time_with(peers_alone(groups, channel.rank(), messages));
    // Nobody begins before those two are done.
    (void)channel.gather({});
    (void)channel.broadcast({});
    const double together = time_with(peers_of(groups, channel.rank(), messages));
    WireWriter to;
    if (alone > 0) to(alone, together - alone);
    std::vector<double> usual;
    std::vector<double> longer;
    for (const std::string& bytes : channel.gather(to.bytes())) {
        if (bytes.empty()) continue;
        WireReader from(bytes);
        usual.push_back(from.take<double>());
        longer.push_back(from.take<double>());
    }
    std::size_t more = 0;  // members at a time than alone
    for (const std::vector<int>& group : groups)
        if (group.size() > 2) more += group.size() - 2;
    if (more == 0 || usual.empty() || median(longer) <= clearly_slower * median(usual)) return 0;
    return median(longer) / static_cast<double>(more);
}

}  // namespace espalier::measure
