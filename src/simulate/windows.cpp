#include "simulate/windows.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace espalier::simulate {

int restarts(const Window& window, double idle) {
    constexpr double most = 60;  // no window outlasts more
    return static_cast<int>(std::clamp(idle / window.restart.value, 0.0, most));
}

double first_window(const Window& window, double bytes, double full, int idle) {
    double size = full;
    if (idle > 0) size = std::min(full / std::exp2(idle), bytes / (std::exp2(idle) - 1));
    return std::max(size, static_cast<double>(window.first.value));
}

double Connection::leave(double start, double gap, double bytes) {
    if (const int halvings = restarts(window_, start - last_); halvings > 0 && last_ > 0) {
        acknowledge(start);
        const double least = std::min(size_, static_cast<double>(window_.first.value));
        size_ = std::max(least, size_ / std::exp2(halvings));
        most_ = 0;
    }
    double sent = start + gap;
    if (size_ < full_) {
        free_ = std::max(start, free_);
        const double of_a_byte = bytes > 0 ? gap / bytes : 0;
        for (double left = bytes; left > 0;) {
            acknowledge(free_);
            const bool is_open = size_ * of_a_byte >= window_.round_trip.value;
            const double piece = is_open ? left : std::min(left, size_ - in_flight_);
            if (piece <= 0) {
                free_ = pieces_[acknowledged_].answered;
                continue;
            }
            pieces_.push_back({free_ + window_.round_trip.value, piece});
            in_flight_ += piece;
            most_ = std::max(most_, in_flight_);
            free_ += piece * of_a_byte;
            left -= piece;
        }
        sent = std::max(sent, free_);
    } else if (free_ > start) {
        sent = free_ += gap;
    }
    last_ = std::max(last_, sent);
    return sent;
}

/// A window that was not needed does not grow beyond twice what was (RFC 7661).
void Connection::acknowledge(double now) {
    for (; acknowledged_ < pieces_.size() && pieces_[acknowledged_].answered <= now;
         ++acknowledged_) {
        const double bytes = pieces_[acknowledged_].bytes;
        in_flight_ -= bytes;
        size_ = std::max(size_, std::min({size_ + bytes, 2 * most_, full_}));
    }
    if (acknowledged_ < pieces_.size()) return;
    pieces_.clear();
    acknowledged_ = 0;
    in_flight_ = 0;
}

void Connection::left(double time) { last_ = std::max(last_, time); }

Windows::Windows(const schedule::Schedule& schedule, const Fabric& fabric) {
    if (fabric.least_restart() == Seconds(infinity) ||
        schedule.reception.mode != schedule::Reception::Mode::serial)
        return;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const auto& transfer = schedule.transfers[t];
        const Window window = fabric.window(transfer.from, transfer.to);
        if (window.first == Bytes(0)) continue;
        if (of_.empty()) of_.assign(schedule.transfers.size(), none);
        const auto [found, is_new] =
            numbers.try_emplace(transfer.from * schedule.nodes.size() + transfer.to, uses_.size());
        of_[t] = found->second;
        if (is_new) uses_.push_back({.window = window});
        Use& use = uses_[of_[t]];
        const Bytes bytes = schedule.bytes_of(transfer);
        const Bytes longest = schedule::segment_bytes(bytes, schedule.segments_of(transfer), 0);
        const Seconds gap = fabric.cost(transfer.from, transfer.to, longest).gap;
        use.bytes += static_cast<double>(bytes.value);
        if (gap > Seconds(0)) use.pace = std::max(use.pace, (longest / gap).value);
    }
    for (std::uint32_t& number : of_) {
        if (number == none) continue;
        const Use& use = uses_[number];
        const double in_flight = std::min(use.pace * use.window.round_trip.value, use.bytes);
        if (in_flight > static_cast<double>(use.window.first.value))
            least_restart_ = std::min(least_restart_, use.window.restart);
        else
            number = none;
    }
    if (least_restart_ < Seconds(infinity)) begin();
}

void Windows::begin() {
    connections_.clear();
    for (Use& use : uses_) {
        connections_.emplace_back(use.window, use.begins_with(), use.full());
        use.first = -1;
        use.last = 0;
    }
}

double Windows::leave(std::size_t transfer, double start, Seconds gap, Bytes bytes) {
    if (of_[transfer] == none) return start + gap.value;
    Use& use = uses_[of_[transfer]];
    if (use.first < 0) use.first = start;
    const double sent =
        connections_[of_[transfer]].leave(start, gap.value, static_cast<double>(bytes.value));
    use.last = std::max(use.last, sent);
    return sent;
}

void Windows::left(std::size_t transfer, double time) {
    if (of_[transfer] == none) return;
    connections_[of_[transfer]].left(time);
    uses_[of_[transfer]].last = std::max(uses_[of_[transfer]].last, time);
}

bool Windows::narrow(Seconds makespan) {
    if (!matter()) return false;
    bool narrower = false;
    for (Use& use : uses_) {
        if (use.first < 0) continue;
        const double before = use.begins_with();
        use.idle =
            std::max(use.idle, restarts(use.window, makespan.value - (use.last - use.first)));
        narrower = narrower || use.begins_with() < before;
    }
    if (narrower) begin();
    return narrower;
}

}  // namespace espalier::simulate
