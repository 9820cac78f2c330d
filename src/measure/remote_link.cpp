#include "measure/remote_link.hpp"

#include <algorithm>
#include <cstdint>

namespace espalier::measure {

namespace {

constexpr int announcement_tag = 20;
constexpr int readiness_tag = 21;
constexpr int service_tag = 22;
constexpr int answer_tag = 100;
constexpr int probe_tag = 5000;
constexpr std::size_t most_probes = 1024;

/// What the other side may need to see an announcement, beyond the latency there.
constexpr double patience_s = 2e-3;

/// What is about to be sent: bytes and count of each probe.
std::vector<std::uint64_t> announcement(std::span<const Probe> volley) {
    std::vector<std::uint64_t> numbers;
    for (const Probe& probe : volley) numbers.insert(numbers.end(), {probe.bytes, probe.count});
    return numbers;
}

void grow(std::vector<char>& buffer, std::uint64_t bytes) {
    if (buffer.size() >= bytes) return;
    // What is in it means nothing, and both would be large.
    std::vector<char>().swap(buffer);
    buffer.resize(bytes);
}

}  // namespace

RemoteLink::RemoteLink(const Channel& channel, int peer, double round_trip)
    : channel_(channel),
      peer_(peer),
      round_trip_(round_trip),
      // On a long path, to hear that the other side is ready costs more than to assume it.
      wait_for_readiness_(round_trip <= long_round_trip_s) {}

RemoteLink::~RemoteLink() {
    std::uint64_t none = 0;
    channel_.send_now(&none, 0, MPI_UINT64_T, peer_, announcement_tag);
}

std::vector<ProbeLink::Answer> RemoteLink::fire(std::span<const Probe> volley) {
    std::vector<Answer> answers(volley.size());
    while (!try_fire(volley, answers)) wait_for_readiness_ = true;
    return answers;
}

/// Sends a volley; false if the other side was not ready in time, so that the answers tell nothing.
bool RemoteLink::try_fire(std::span<const Probe> volley, std::vector<Answer>& answers) {
    const MPI_Comm comm = channel_.comm();
    const auto numbers = announcement(volley);
    std::vector<char> small(volley.size() + 1);
    std::vector<MPI_Request> expected(volley.size() + 1, MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < volley.size(); ++i) {
        grow(buffer_, volley[i].bytes);
        channel_.check(PMPI_Irecv(&small[i], 1, MPI_BYTE, peer_, answer_tag + static_cast<int>(i),
                                  comm, &expected[i]));
    }
    MPI_Request& readiness = expected.back();
    channel_.check(PMPI_Irecv(&small.back(), 1, MPI_BYTE, peer_, readiness_tag, comm, &readiness));

    const double announced = channel_.now();
    channel_.send_now(numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, peer_,
                      announcement_tag);
    if (wait_for_readiness_)
        channel_.wait_idly(readiness);
    else
        channel_.pause_until(announced + 0.52 * round_trip_ + patience_s);

    std::vector<MPI_Request> sends;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        answers[i].started = channel_.now();
        for (std::uint64_t k = 0; k < volley[i].count; ++k)
            channel_.check(PMPI_Isend(buffer_.data(), static_cast<int>(volley[i].bytes), MPI_BYTE,
                                      peer_, probe_tag + static_cast<int>(i), comm,
                                      &sends.emplace_back(MPI_REQUEST_NULL)));
        if (i + 1 < volley.size()) channel_.pause_until(answers[i].started + volley[i].pause);
    }
    double ready = announced;
    while (const auto index = channel_.wait_any(expected)) {
        const double time = channel_.now();
        if (*index == volley.size())
            ready = time;
        else
            answers[*index].elapsed = time - answers[*index].started;
    }
    channel_.wait_all(sends);
    return ready - announced <= 1.5 * round_trip_ + patience_s || wait_for_readiness_;
}

MPI_Request expect_service(const Channel& channel, int peer) {
    MPI_Request begun = MPI_REQUEST_NULL;
    channel.check(PMPI_Irecv(nullptr, 0, MPI_BYTE, peer, service_tag, channel.comm(), &begun));
    return begun;
}

void serve(const Channel& channel, int peer) {
    const MPI_Comm comm = channel.comm();
    std::vector<char> buffer;
    channel.send_now(nullptr, 0, MPI_BYTE, peer, service_tag);
    for (;;) {
        std::vector<std::uint64_t> numbers(2 * most_probes);
        MPI_Request announced = MPI_REQUEST_NULL;
        channel.check(PMPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T,
                                 peer, announcement_tag, comm, &announced));
        MPI_Status status;
        channel.wait_idly(announced, &status);
        int count = 0;
        PMPI_Get_count(&status, MPI_UINT64_T, &count);
        if (count == 0) return;
        numbers.resize(static_cast<std::size_t>(count));

        const std::size_t probes = numbers.size() / 2;
        std::vector<MPI_Request> expected;
        std::vector<std::size_t> probe_of;
        for (std::size_t i = 0; i < probes; ++i) grow(buffer, numbers[2 * i]);
        // What arrives means nothing, so that all may arrive at one place.
        for (std::size_t i = 0; i < probes; ++i)
            for (std::uint64_t k = 0; k < numbers[2 * i + 1]; ++k) {
                channel.check(PMPI_Irecv(buffer.data(), static_cast<int>(numbers[2 * i]), MPI_BYTE,
                                         peer, probe_tag + static_cast<int>(i), comm,
                                         &expected.emplace_back(MPI_REQUEST_NULL)));
                probe_of.push_back(i);
            }
        char small = 0;
        std::vector<MPI_Request> sends;
        const auto send = [&](int tag) {
            channel.check(PMPI_Isend(&small, 1, MPI_BYTE, peer, tag, comm,
                                     &sends.emplace_back(MPI_REQUEST_NULL)));
        };
        send(readiness_tag);
        while (const auto which = channel.wait_any(expected)) {
            const std::size_t probe = probe_of[*which];
            if (--numbers[2 * probe + 1] == 0) send(answer_tag + static_cast<int>(probe));
        }
        channel.wait_all(sends);
    }
}

}  // namespace espalier::measure
