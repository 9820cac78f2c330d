#include "testbed/emulator.hpp"

#include "testbed/wire.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace espalier::testbed {

namespace {

/// A card takes the next packet when what it holds takes no longer than this to leave: enough to
/// stay busy while this process is woken, little enough to add no delay.
constexpr double card_backlog_ns = 100e3;

/// See OwnDelays.
constexpr Seconds idle_latency(1e-3);

/// A piece takes no longer than this, unless it is one frame.
constexpr double longest_piece_ns = 1e6;
constexpr std::uint32_t largest_piece = 64;

std::uint32_t piece_at(double ns_per_byte) {
    const double frames = longest_piece_ns / (ns_per_byte * static_cast<double>(full_frame));
    return static_cast<std::uint32_t>(std::clamp(frames, 1.0, 1.0 * largest_piece));
}

}  // namespace

bool is_idle_path(Seconds latency) { return latency >= idle_latency; }

std::optional<std::uint32_t> card_of(const Topology& topology, std::size_t host) {
    std::optional<std::uint32_t> card;
    for (std::size_t to = 0; to < topology.hosts.size(); ++to) {
        if (to == host) continue;
        const auto& before = topology.paths(host, to).before;
        if (before.empty() || (card && *card != before.front())) return std::nullopt;
        card = before.front();
    }
    return card;
}

Emulator::Emulator(const Topology& topology, OwnDelays own)
    : topology_(topology),
      own_(own),
      piece_(topology.hosts.size(), topology.hosts.size(), largest_piece),
      ready_(topology.hosts.size(), 0) {
    for (const Queue& queue : topology.queues) {
        queues_.push_back({.ns_per_byte = 1e9 / queue.rate.value,
                           .buffer = static_cast<double>(queue.buffer.value)});
    }
    for (std::size_t from = 0; from < topology.hosts.size(); ++from) {
        cards_.push_back(card_of(topology, from));
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            for (const auto* part :
                 {&topology.paths(from, to).before, &topology.paths(from, to).after})
                for (const std::uint32_t queue : *part)
                    piece_(from, to) =
                        std::min(piece_(from, to), piece_at(queues_[queue].ns_per_byte));
    }
}

void Emulator::send(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now) {
    if (packet.frames <= piece_(from, to)) return start(from, to, std::move(packet), now);
    for (Packet& piece : cut(std::move(packet), piece_(from, to)))
        start(from, to, std::move(piece), now);
}

void Emulator::start(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now) {
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
    if (cards_[from]) {
        QueueState& card = queues_[*cards_[from]];
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

Emulator::QueueState* Emulator::next_queue(const Transit& transit) {
    const Path& path = topology_.paths(transit.from, transit.to);
    const std::size_t before = path.before.size();
    if (transit.stage < before) return &queues_[path.before[transit.stage]];
    if (transit.stage < before + path.after.size())
        return &queues_[path.after[transit.stage - before]];
    return nullptr;
}

double Emulator::latency_of(const Path& path) const {
    const double asked = path.latency.value * 1e9;
    return std::max(
        0.0, asked - static_cast<double>(is_idle_path(path.latency) ? own_.idle : own_.busy));
}

double Emulator::earliest_arrival(const Transit& transit) {
    const QueueState* const queue = next_queue(transit);
    if (queue == nullptr) return transit.last;
    const Path& path = topology_.paths(transit.from, transit.to);
    const double leaves = std::max({transit.last, std::max(transit.first, queue->free) +
                                                      transit.packet.wire * queue->ns_per_byte});
    const bool before_latency = transit.stage < path.before.size();
    return leaves + (before_latency ? latency_of(path) : 0);
}

void Emulator::plan_next(std::uint32_t number) {
    Transit& transit = transits_[number];
    const Path& path = topology_.paths(transit.from, transit.to);
    if (transit.stage == path.before.size()) {
        const double latency = latency_of(path);
        transit.first += latency;
        transit.last += latency;
    }
    transit.order = order_++;
    const double at = next_queue(transit) == nullptr ? transit.last : transit.first;
    events_.push({static_cast<Nanoseconds>(std::ceil(at)), transit.order, number});
    wakes_.push(
        {static_cast<Nanoseconds>(std::ceil(earliest_arrival(transit))), transit.order, number});
}

Nanoseconds Emulator::next() {
    while (!wakes_.empty() && transits_[wakes_.top().transit].order != wakes_.top().order)
        wakes_.pop();
    return wakes_.empty() ? never : wakes_.top().at;
}

void Emulator::release(std::uint32_t number) {
    transits_[number].packet = {};
    transits_[number].order = order_++;
    unused_.push_back(number);
}

bool Emulator::advance(Nanoseconds now, Arrival& arrival) {
    while (!events_.empty() && events_.top().at <= now) {
        const std::uint32_t number = events_.top().transit;
        events_.pop();
        Transit& transit = transits_[number];
        QueueState* const queue = next_queue(transit);
        if (queue == nullptr) {
            arrival = {transit.to, std::move(transit.packet)};
            release(number);
            return true;
        }
        if (pass_queue(transit, *queue, true)) {
            plan_next(number);
        } else {
            ++dropped_;
            release(number);
        }
    }
    return false;
}

}  // namespace espalier::testbed
