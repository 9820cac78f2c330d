#include "simulate/inbox.hpp"

#include <algorithm>

namespace espalier::simulate {

/// Finds when a message that the application can't receive as it arrives fits into the buffer.
Inbox::Place Inbox::find_room(double first, double latency, Bytes size) const {
    double roomy = first;
    std::uint64_t held = held_;
    const auto fits = [&] { return size.value <= capacity_ && held <= capacity_ - size.value; };
    for (const Stored& stored : stored_) {
        if (stored.until > roomy && fits()) break;
        roomy = std::max(roomy, stored.until);
        held -= stored.bytes;
    }
    const double direct = attended_ - latency;
    if (!fits() || direct <= roomy) return {direct, attended_, false};
    return {roomy, std::max(attended_, roomy + latency), true};
}

void Inbox::let_in(const Place& place, double gap, Bytes size) {
    last_start_ = place.start;
    for (; !stored_.empty() && stored_.front().until <= place.start; stored_.pop_front())
        held_ -= stored_.front().bytes;
    const double end = place.arrival + gap;
    application_.occupy_until(end);
    attended_ = application_.earliest();
    if (!place.stored) return;
    held_ += size.value;
    const auto after = std::ranges::upper_bound(stored_, end, {}, &Stored::until);
    stored_.insert(after, {end, size.value});
}

}  // namespace espalier::simulate
