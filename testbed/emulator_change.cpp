#include "testbed/emulator.hpp"
#include "testbed/wire.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::testbed {

namespace {

/// Of a longer pause, no more frames of others are made up: queues have forgotten what was before.
constexpr double most_made_up = 20'000;

/// Nanoseconds from one frame of others to the next.
double mean_between(const Queue& queue) { return full_frame / queue.cross.value * 1e9; }

}  // namespace

void Emulator::change(const std::vector<Change>& changes, const Topology& described,
                      Nanoseconds now) {
    const auto time = static_cast<double>(now);
    for (const Change& change : changes) {
        for (const std::uint32_t queue : change.queues) add_cross_traffic(queue, time);
        apply(change, described, topology_);
        for (const std::uint32_t queue : change.queues) {
            change_rate(queue, time);
            start_draws(queue, time);
        }
        for (const HostPair& pair : change.paths)
            paths_(pair.from, pair.to).draws = Draws(pair.from * topology_.hosts.size() + pair.to);
    }
    set_pieces();
    reschedule(time);
}

void Emulator::change_rate(std::uint32_t number, double now) {
    QueueState& queue = queues_[number];
    const double ns_per_byte = 1e9 / topology_.queues[number].rate.value;
    const double ratio = ns_per_byte / queue.ns_per_byte;
    queue.ns_per_byte = ns_per_byte;
    if (ratio == 1) return;
    const auto follow = [&](double& time) {
        if (time > now) time = now + (time - now) * ratio;
    };
    follow(queue.free);
    for (std::uint32_t host = 0; host < cards_.size(); ++host)
        if (cards_[host] == number) set_ready(host);
    for (Transit& transit : transits_) {
        if (!is_under_way(transit) || transit.stage == 0) continue;
        const Path& path = topology_.paths(transit.from, transit.to);
        const std::size_t passed = transit.stage - 1;
        const std::size_t before = path.before.size();
        if (number != (passed < before ? path.before[passed] : path.after[passed - before]))
            continue;
        follow(transit.first);
        follow(transit.last);
    }
}

void Emulator::reschedule(double now) {
    events_ = {};
    wakes_ = {};
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 0; number < transits_.size(); ++number) {
        const Transit& transit = transits_[number];
        if (!is_under_way(transit)) continue;
        numbers.push_back(number);
        paths_(transit.from, transit.to).end = 0;
    }
    std::ranges::sort(numbers, {}, [&](std::uint32_t number) { return transits_[number].order; });
    for (const std::uint32_t number : numbers) {
        Transit& transit = transits_[number];
        if (is_at_latency(transit) && transit.first > now)
            transit.latency = draw_latency(transit.from, transit.to);
        schedule(number);
    }
}

void Emulator::start_draws(std::uint32_t number, double now) {
    queues_[number].draws = Draws(~std::uint64_t{number});
    queues_[number].next_cross = now;
    if (topology_.queues[number].cross.value > 0) draw_next_cross(number);
}

void Emulator::draw_next_cross(std::uint32_t number) {
    QueueState& queue = queues_[number];
    queue.next_cross -=
        std::log(1 - queue.draws.uniform()) * mean_between(topology_.queues[number]);
}

void Emulator::add_cross_traffic(std::uint32_t number, double until) {
    if (topology_.queues[number].cross.value == 0) return;
    QueueState& queue = queues_[number];
    queue.next_cross =
        std::max(queue.next_cross, until - most_made_up * mean_between(topology_.queues[number]));
    const double frame_ns = full_frame * queue.ns_per_byte;
    for (; queue.next_cross <= until; draw_next_cross(number)) {
        const double end = std::max(queue.free, queue.next_cross) + frame_ns;
        if (end - queue.next_cross <= queue.buffer * queue.ns_per_byte) queue.free = end;
    }
}

}  // namespace espalier::testbed
