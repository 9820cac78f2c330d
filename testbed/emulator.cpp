#include "testbed/emulator.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace espalier::testbed {

namespace {

/// A card takes the next packet when what it holds takes no longer than this to leave: enough to
/// stay busy while this process is woken, little enough to add no delay.
constexpr double card_backlog_ns = 100e3;

}  // namespace

Emulator::Emulator(const Topology& topology, Nanoseconds own_delay)
    : topology_(topology),
      own_delay_(static_cast<double>(own_delay)),
      ready_(topology.hosts.size(), 0) {
    for (const Queue& queue : topology.queues) {
        queues_.push_back({.ns_per_byte = 1e9 / queue.rate.value,
                           .buffer = static_cast<double>(queue.buffer.value)});
    }
}

void Emulator::send(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now) {
    std::uint32_t number = 0;
    if (unused_.empty()) {
        number = static_cast<std::uint32_t>(transits_.size());
        transits_.emplace_back();
    } else {
        number = unused_.back();
        unused_.pop_back();
    }
    Transit& transit = transits_[number];
    transit = {.packet = std::move(packet),
               .from = from,
               .to = to,
               .stage = 0,
               .first = static_cast<double>(now),
               .last = static_cast<double>(now)};
    const Way& way = topology_.ways(from, to);
    if (!way.before.empty()) {
        QueueState& card = queues_[way.before.front()];
        pass_queue(transit, card, false);
        ready_[from] = static_cast<Nanoseconds>(card.free - card_backlog_ns);
    }
    plan_next(number);
}

bool Emulator::pass_queue(Transit& transit, QueueState& queue, bool drops) {
    const Packet& packet = transit.packet;
    const double start = std::max(transit.first, queue.free);
    const double end = start + packet.wire * queue.ns_per_byte;
    // What is still in the queue once the last frame is.
    if (drops && end - transit.last > queue.buffer * queue.ns_per_byte) return false;
    queue.free = end;
    const double frame = packet.frame * queue.ns_per_byte;
    transit.first = start + frame;
    transit.last = std::max(end, transit.last + (packet.frames > 1 ? frame : 0));
    ++transit.stage;
    return true;
}

void Emulator::plan_next(std::uint32_t number) {
    Transit& transit = transits_[number];
    const Way& way = topology_.ways(transit.from, transit.to);
    if (transit.stage == way.before.size()) {
        const double latency = std::max(0.0, way.latency.value * 1e9 - own_delay_);
        transit.first += latency;
        transit.last += latency;
    }
    const bool arrives = transit.stage == way.before.size() + way.after.size();
    schedule(number, arrives ? transit.last : transit.first);
}

void Emulator::schedule(std::uint32_t number, double at) {
    events_.push({static_cast<Nanoseconds>(std::ceil(at)), order_++, number});
}

void Emulator::release(std::uint32_t number) {
    transits_[number].packet = {};
    unused_.push_back(number);
}

bool Emulator::advance(Nanoseconds now, Arrival& arrival) {
    while (!events_.empty() && events_.top().at <= now) {
        const std::uint32_t number = events_.top().transit;
        events_.pop();
        Transit& transit = transits_[number];
        const Way& way = topology_.ways(transit.from, transit.to);
        const std::size_t before = way.before.size();
        if (transit.stage == before + way.after.size()) {
            arrival = {transit.to, std::move(transit.packet)};
            release(number);
            return true;
        }
        const std::uint32_t queue =
            transit.stage < before ? way.before[transit.stage] : way.after[transit.stage - before];
        if (pass_queue(transit, queues_[queue], true)) {
            plan_next(number);
        } else {
            ++dropped_;
            release(number);
        }
    }
    return false;
}

}  // namespace espalier::testbed
