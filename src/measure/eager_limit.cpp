#include "measure/eager_limit.hpp"

#include "core/wire.hpp"

#include <bit>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace espalier::measure {

namespace {

constexpr int length_tag = 50;
constexpr int data_tag = 51;
constexpr int taken_tag = 52;

/// How long the receiver stays away, in seconds: longer than a sender on a busy machine may need to
/// see that its message has left.
constexpr double least_absence = 10e-3;
/// An eager message may be seen late, but a rendezvous never early; so a few tries decide.
constexpr int tries = 2;

double absence(double round_trip) { return least_absence + round_trip; }

/// Ascending.
std::vector<std::uint64_t> usual_limits() {
    constexpr std::uint64_t header = 256;
    constexpr std::uint64_t least = 1 << 10;
    constexpr std::uint64_t most = 4 << 20;
    std::vector<std::uint64_t> limits;
    for (std::uint64_t power = least; power <= most; power *= 2) {
        limits.push_back(power - header);
        limits.push_back(power);
    }
    return limits;
}

/// An upper bound, in seconds, on the time that finding the threshold takes.
double time_to_find(double round_trip) {
    const auto lengths = static_cast<double>(std::bit_width(usual_limits().size()));
    return lengths * tries * (absence(round_trip) + 2 * round_trip);
}

/// The sender's part.
class Asking {
public:
    Asking(const Channel& channel, const Pair& pair) : channel_(channel), pair_(pair) {}

    [[nodiscard]] std::uint64_t find() {
        const std::vector<std::uint64_t> limits = usual_limits();
        std::size_t low = 0;  // so many of them leave by themselves
        std::size_t high = limits.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (leaves_unasked(limits[middle]))
                low = middle + 1;
            else
                high = middle;
        }
        announce(0);
        return low == 0 ? 0 : limits[low - 1];
    }

private:
    [[nodiscard]] bool leaves_unasked(std::uint64_t bytes) {
        for (int attempt = 0; attempt < tries; ++attempt)
            if (time_to_leave(bytes) < absence(pair_.round_trip)) return true;
        return false;
    }
    [[nodiscard]] double time_to_leave(std::uint64_t bytes) {
        data_.resize(bytes);
        announce(bytes);
        const double began = channel_.now();
        MPI_Request request = MPI_REQUEST_NULL;
        channel_.check(PMPI_Isend(data_.data(), static_cast<int>(bytes), MPI_BYTE, pair_.receiver,
                                  data_tag, channel_.comm(), &request));
        channel_.wait(request);
        const double took = channel_.now() - began;
        channel_.receive_now(nullptr, 0, MPI_BYTE, pair_.receiver, taken_tag);
        return took;
    }
    void announce(std::uint64_t bytes) const {
        channel_.send_now(&bytes, 1, MPI_UINT64_T, pair_.receiver, length_tag);
    }

    const Channel& channel_;
    const Pair& pair_;
    std::vector<char> data_;
};

/// The receiver's part.
void answer(const Channel& channel, const Pair& pair) {
    std::vector<char> data;
    for (;;) {
        std::uint64_t bytes = 0;
        channel.receive_now(&bytes, 1, MPI_UINT64_T, pair.sender, length_tag);
        if (bytes == 0) return;
        // Not in the library, which would answer.
        std::this_thread::sleep_for(std::chrono::duration<double>(absence(pair.round_trip)));
        data.resize(bytes);
        channel.receive_now(data.data(), static_cast<int>(bytes), MPI_BYTE, pair.sender, data_tag);
        channel.send_now(nullptr, 0, MPI_BYTE, pair.sender, taken_tag);
    }
}

}  // namespace

std::optional<std::uint64_t> find_eager_limit(const Channel& channel, const Pair& pair,
                                              double seconds) {
    if (time_to_find(pair.round_trip) > seconds) return std::nullopt;
    WireWriter to;
    if (channel.rank() == pair.sender) to(Asking(channel, pair).find());
    if (channel.rank() == pair.receiver) answer(channel, pair);
    const std::vector<std::string> found = channel.gather(to.bytes());
    if (found.empty()) return std::nullopt;
    return WireReader(found[static_cast<std::size_t>(pair.sender)]).take<std::uint64_t>();
}

}  // namespace espalier::measure
