#pragma once

#include "core/units.hpp"
#include "simulate/slots.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace espalier::simulate {

/// The buffer through which one node receives (schedule::Reception::Mode::buffered; bhat-1998,
/// 6.1). Its application receives as many messages at once as it has ports, in the order in which
/// they start. A message that it does not receive as it arrives is in the buffer from its start
/// until the application has received it. Messages are let start in the order in which they ask.
/// Times are in seconds.
class Inbox {
public:
    /// The application is busy until `from`.
    Inbox(std::size_t ports, Bytes buffer, double from)
        : application_(ports, from), attended_(from), capacity_(buffer.value) {}

    struct Place {
        double start = 0;     ///< the sender may begin
        double arrival = 0;   ///< the application begins to receive it
        bool stored = false;  ///< it waits in the buffer
    };
    /// When a message is let in that its sender has ready at `ready`, after all that were let in
    /// before.
    [[nodiscard]] Place find_place(double ready, double latency, Bytes size) const {
        const double first = ready < last_start_ ? last_start_ : ready;
        if (attended_ <= first + latency) return {first, first + latency, false};
        return find_room(first, latency, size);
    }
    /// Lets it in; it takes `gap` to send, and to receive.
    void let_in(const Place& place, double gap, Bytes size);

private:
    struct Stored {
        double until = 0;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] Place find_room(double first, double latency, Bytes size) const;

    Slots application_;
    double attended_;  ///< from when on the application can receive one more
    std::uint64_t capacity_;
    std::uint64_t held_ = 0;
    std::deque<Stored> stored_;  ///< by the time at which they leave
    double last_start_ = 0;
};

}  // namespace espalier::simulate
