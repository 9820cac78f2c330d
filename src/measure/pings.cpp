#include "measure/pings.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace espalier::measure {

namespace {

constexpr int arrival_tag = 10;
constexpr int timed_tag = 11;
constexpr int ping_tag = 12;
constexpr int answer_tag = 13;
constexpr int turn_tag = 14;

/// Of a peer, while others are farther away.
constexpr std::size_t most_pings = 12;

/// Pings each of `peers`, all at the same time, and answers their pings; each of them calls it,
/// too. `round_trip(t, k)`, t < times, is set to how long the answers of peers[k] took that were
/// soonest, in seconds; the first ping may have had to connect first. Returns the least time that a
/// message of each was under way, by the clocks of both, as messages say when they left. The next
/// ping to a peer leaves when its answer to the last one is there, so that near ones are
/// done with soon: as long as far ones are not, those go on whose answers differ, since all are
/// less busy then.
std::vector<double> ping_at_once(
    const Channel& channel, const std::vector<int>& peers, std::size_t times,
    const std::function<float&(std::size_t, std::size_t)>& round_trip) {
    constexpr double last = infinity;  // instead of when it left
    const std::size_t count = peers.size();
    const MPI_Comm comm = channel.comm();
    // First the answers to this rank's pings, then the others' pings.
    std::vector<MPI_Request> expected(2 * count, MPI_REQUEST_NULL);
    std::vector<MPI_Request> sends;
    std::deque<double> left;  // when what is sent did
    std::vector<double> answer_left(count, 0);
    std::vector<double> ping_left(count, 0);
    std::vector<std::size_t> answered(count, 0);
    std::vector<double> sent(count, 0);
    std::vector<double> passages(count, infinity);
    std::size_t unanswered = count;  // by peers that are to answer more often
    const auto expect_answer = [&](std::size_t k) {
        channel.check(
            PMPI_Irecv(&answer_left[k], 1, MPI_DOUBLE, peers[k], answer_tag, comm, &expected[k]));
    };
    const auto expect_ping = [&](std::size_t k) {
        channel.check(PMPI_Irecv(&ping_left[k], 1, MPI_DOUBLE, peers[k], ping_tag, comm,
                                 &expected[count + k]));
    };
    const auto send = [&](std::size_t k, int tag, double at) {
        channel.check(PMPI_Isend(&left.emplace_back(at), 1, MPI_DOUBLE, peers[k], tag, comm,
                                 &sends.emplace_back(MPI_REQUEST_NULL)));
    };
    const auto keep = [&](std::size_t k, float took) {
        if (answered[k] < times)
            round_trip(answered[k], k) = took;
        else
            for (std::size_t t = 0; t < times; ++t)
                if (round_trip(t, k) > took) std::swap(round_trip(t, k), took);
        if (++answered[k] == times) --unanswered;
    };
    const auto differ = [&](std::size_t k) {
        std::vector<float> took;
        for (std::size_t t = 0; t < times; ++t) took.push_back(round_trip(t, k));
        std::ranges::sort(took);
        return times < 2 || took[1] > (1 + nothing_new) * took[0];
    };
    for (std::size_t k = 0; k < count; ++k) {
        expect_answer(k);
        expect_ping(k);
    }
    for (std::size_t k = 0; k < count; ++k) {
        sent[k] = channel.now();
        send(k, ping_tag, sent[k]);
    }
    while (const auto completed = channel.wait_any(expected)) {
        const double now = channel.now();
        const std::size_t done = *completed;
        if (done >= count) {
            const std::size_t k = done - count;
            if (ping_left[k] == last) continue;
            passages[k] = std::min(passages[k], now - ping_left[k]);
            send(k, answer_tag, channel.now());
            expect_ping(k);
            continue;
        }
        passages[done] = std::min(passages[done], now - answer_left[done]);
        keep(done, static_cast<float>(now - sent[done]));
        if (answered[done] < times ||
            (answered[done] < most_pings && unanswered > 0 && differ(done))) {
            expect_answer(done);
            sent[done] = channel.now();
            send(done, ping_tag, sent[done]);
        } else {
            send(done, ping_tag, last);
        }
    }
    channel.wait_all(sends);
    return passages;
}

/// What is sent and received of messages whose content means nothing.
class Messages {
public:
    Messages(const Channel& channel, std::uint64_t bytes)
        : channel_(channel), sent_(bytes), received_(bytes) {}

    [[nodiscard]] MPI_Request send(int peer, int tag) const {
        MPI_Request request = MPI_REQUEST_NULL;
        channel_.check(PMPI_Isend(sent_.data(), static_cast<int>(sent_.size()), MPI_BYTE, peer, tag,
                                  channel_.comm(), &request));
        return request;
    }
    [[nodiscard]] MPI_Request receive(int peer, int tag) {
        MPI_Request request = MPI_REQUEST_NULL;
        channel_.check(PMPI_Irecv(received_.data(), static_cast<int>(received_.size()), MPI_BYTE,
                                  peer, tag, channel_.comm(), &request));
        return request;
    }
    void wait(MPI_Request request) const { channel_.wait(request); }
    void doze(MPI_Request request) const { channel_.wait_idly(request); }
    [[nodiscard]] double now() const { return channel_.now(); }

private:
    const Channel& channel_;
    std::vector<char> sent_;
    std::vector<char> received_;
};

/// One meeting of a tournament: both ranks call it. The first messages make sure that both are
/// there; of the second ones, the time from sending one's own to receiving the other's is returned.
/// The two ranks' times together are a round trip, whichever of them was earlier.
double meet(Messages& empty, Messages& full, int peer) {
    const MPI_Request arrival = empty.receive(peer, arrival_tag);
    const MPI_Request timed = full.receive(peer, timed_tag);
    const MPI_Request here = empty.send(peer, arrival_tag);
    // Whoever dozes here hears the other's second message late, and thinks it came at once.
    empty.wait(arrival);
    const double began = full.now();
    const MPI_Request sent = full.send(peer, timed_tag);
    full.wait(timed);
    const double waited = full.now() - began;
    empty.wait(here);
    full.wait(sent);
    return waited;
}

/// Pings a peer that answer()s, which an empty message wakes.
void ask(Messages& empty, Messages& full, int peer, std::size_t times,
         const std::function<float&(std::size_t)>& round_trip) {
    empty.wait(empty.send(peer, arrival_tag));
    empty.wait(empty.receive(peer, arrival_tag));
    for (std::size_t time = 0; time < times; ++time) {
        const double began = full.now();
        const MPI_Request sent = full.send(peer, ping_tag);
        full.wait(full.receive(peer, answer_tag));
        round_trip(time) = static_cast<float>(full.now() - began);
        full.wait(sent);
    }
}

void answer(Messages& empty, Messages& full, int peer, std::size_t times) {
    empty.doze(empty.receive(peer, arrival_tag));
    empty.wait(empty.send(peer, arrival_tag));
    for (std::size_t time = 0; time < times; ++time) {
        full.wait(full.receive(peer, ping_tag));
        full.wait(full.send(peer, answer_tag));
    }
}

}  // namespace

Timed play(const Channel& channel, const JobMap& job, const LatencyPart& part) {
    const std::size_t host = job.host_of_rank[static_cast<std::size_t>(channel.rank())];
    if (job.first_rank(host) != channel.rank() || part.opponents.empty()) return {};
    Timed timed;
    timed.waits.resize(part.times * part.rounds);
    std::vector<int> peers;
    for (const auto& opponent : part.opponents) peers.push_back(job.first_rank(opponent.host));
    const auto wait = [&](std::size_t time, std::size_t k) -> float& {
        return timed.waits[time * part.rounds + part.opponents[k].round];
    };
    Messages empty(channel, 0);
    Messages full(channel, part.bytes);
    switch (part.way) {
        case Way::at_once:
        case Way::among_few: {
            const std::vector<double> passages = ping_at_once(channel, peers, part.times, wait);
            if (!part.by_clocks) break;
            timed.passages.resize(part.rounds);
            for (std::size_t k = 0; k < peers.size(); ++k)
                timed.passages[part.opponents[k].round] = passages[k];
            break;
        }
        case Way::in_rounds:
            for (std::size_t time = 0; time < part.times; ++time)
                for (std::size_t k = 0; k < peers.size(); ++k)
                    wait(time, k) = static_cast<float>(meet(empty, full, peers[k]));
            break;
        case Way::in_turn:
            for (std::size_t k = 0; k < peers.size(); ++k) {
                const auto& turn = part.turns[k];
                if (!turn.asks) {
                    answer(empty, full, peers[k], part.times);
                    continue;
                }
                if (turn.before != host)
                    empty.doze(empty.receive(job.first_rank(turn.before), turn_tag));
                ask(empty, full, peers[k], part.times,
                    [&](std::size_t time) -> float& { return wait(time, k); });
                if (turn.after != host)
                    empty.wait(empty.send(job.first_rank(turn.after), turn_tag));
            }
            break;
    }
    return timed;
}

}  // namespace espalier::measure
