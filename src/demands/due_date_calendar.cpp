#include "demands/due_date_calendar.hpp"

#include <algorithm>
#include <limits>

namespace espalier::demands {

double Calendar::fit(const Lane& out, const Lane& in, double gap, double latency, double ready) {
    const auto open = [](const Lane& lane, double time) {
        return std::ranges::upper_bound(lane, time, {}, &Span::end);
    };
    double start = ready;
    auto sent = open(out, start);
    auto received = open(in, start + latency);
    while (true) {
        if (sent != out.end() && sent->begin < start + gap) {
            start = std::max(start, sent->end);
            ++sent;
            while (received != in.end() && received->end <= start + latency) ++received;
        } else if (received != in.end() && received->begin < start + latency + gap) {
            start = std::max(start, received->end - latency);
            ++received;
            while (sent != out.end() && sent->end <= start) ++sent;
        } else {
            return start;
        }
    }
}

Calendar::Place Calendar::find(std::size_t from, std::size_t to, double gap, double latency,
                               double ready) const {
    Place best{std::numeric_limits<double>::infinity(), 0, 0};
    for (std::size_t out = from * ports_; out < (from + 1) * ports_; ++out)
        for (std::size_t in = to * ports_; in < (to + 1) * ports_; ++in) {
            const double start = fit(sends_[out], receives_[in], gap, latency, ready);
            if (start < best.start) best = {start, out, in};
        }
    return best;
}

void Calendar::take(const Place& place, double gap, double latency) {
    insert(sends_[place.out], {place.start, place.start + gap});
    insert(receives_[place.in], {place.start + latency, place.start + latency + gap});
}

void Calendar::insert(Lane& lane, Span span) {
    lane.insert(std::ranges::upper_bound(lane, span.begin, {}, &Span::begin), span);
}

}  // namespace espalier::demands
