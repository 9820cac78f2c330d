#include "measure/eager_limit.hpp"

#include <chrono>
#include <thread>
#include <vector>

namespace espalier::measure {

namespace {

constexpr int length_tag = 50;
constexpr int data_tag = 51;
constexpr int taken_tag = 52;

/// How long the receiver is elsewhere: longer than a sender on a busy machine may need to see that
/// its message has left.
constexpr double least_absence = 10e-3;
/// What leaves by itself may be seen late, what waits never too early.
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

class Asking {
public:
    Asking(const Channel& channel, int receiver, double round_trip)
        : channel_(channel), receiver_(receiver), round_trip_(round_trip) {}

    [[nodiscard]] bool leaves_unasked(std::uint64_t bytes) {
        for (int attempt = 0; attempt < tries; ++attempt)
            if (time_to_leave(bytes) < absence(round_trip_)) return true;
        return false;
    }
    void end() const { announce(0); }

private:
    void announce(std::uint64_t bytes) const {
        PMPI_Send(&bytes, 1, MPI_UINT64_T, receiver_, length_tag, channel_.comm());
    }

    [[nodiscard]] double time_to_leave(std::uint64_t bytes) {
        data_.resize(bytes);
        announce(bytes);
        const double began = channel_.now();
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Isend(data_.data(), static_cast<int>(bytes), MPI_BYTE, receiver_, data_tag,
                   channel_.comm(), &request);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        const double took = channel_.now() - began;
        PMPI_Recv(nullptr, 0, MPI_BYTE, receiver_, taken_tag, channel_.comm(), MPI_STATUS_IGNORE);
        return took;
    }

    const Channel& channel_;
    int receiver_;
    double round_trip_;
    std::vector<char> data_;
};

}  // namespace

double eager_limit_time(double round_trip) {
    double lengths = 1;
    for (std::size_t count = usual_limits().size(); count > 0; count /= 2) ++lengths;
    return lengths * tries * (absence(round_trip) + 2 * round_trip);
}

std::uint64_t find_eager_limit(const Channel& channel, int receiver, double round_trip) {
    Asking asking(channel, receiver, round_trip);
    const std::vector<std::uint64_t> limits = usual_limits();
    std::size_t low = 0;  // so many of them leave by themselves
    std::size_t high = limits.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (asking.leaves_unasked(limits[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    asking.end();
    return low == 0 ? 0 : limits[low - 1];
}

void answer_eager_limit(const Channel& channel, int sender, double round_trip) {
    std::vector<char> data;
    for (;;) {
        std::uint64_t bytes = 0;
        PMPI_Recv(&bytes, 1, MPI_UINT64_T, sender, length_tag, channel.comm(), MPI_STATUS_IGNORE);
        if (bytes == 0) return;
        // Not in the library, which would answer.
        std::this_thread::sleep_for(std::chrono::duration<double>(absence(round_trip)));
        data.resize(bytes);
        PMPI_Recv(data.data(), static_cast<int>(bytes), MPI_BYTE, sender, data_tag, channel.comm(),
                  MPI_STATUS_IGNORE);
        PMPI_Send(nullptr, 0, MPI_BYTE, sender, taken_tag, channel.comm());
    }
}

}  // namespace espalier::measure
