#include "plan/composed/bookings.hpp"

#include <algorithm>

namespace espalier::plan::composed {

Bookings::Message Bookings::look(std::size_t from, std::size_t to, Bytes bytes,
                                 double ready) const {
    const auto cost = fabric_.cost(from, to, bytes);
    const double latency = cost.latency.value;
    Message message;
    message.start = std::max({ready, out_[from].earliest(), in_[to].earliest() - latency});
    double gap = cost.gap.value;
    for (const std::uint32_t c : fabric_.draws(from, to)) {
        message.start = std::max(message.start, shared_[c]);
        gap = std::max(gap, static_cast<double>(bytes.value) / fabric_.capacities()[c].limit);
    }
    message.sent = message.start + gap;
    message.end = message.sent + latency;
    return message;
}

Bookings::Message Bookings::book(std::size_t from, std::size_t to, Bytes bytes, double ready) {
    const Message message = look(from, to, bytes, ready);
    out_[from].occupy_until(message.sent);
    in_[to].occupy_until(message.end);
    // What asks for less than all of a capacity leaves the rest to others meanwhile.
    for (const std::uint32_t c : fabric_.draws(from, to))
        shared_[c] =
            message.start + static_cast<double>(bytes.value) / fabric_.capacities()[c].limit;
    return message;
}

}  // namespace espalier::plan::composed
