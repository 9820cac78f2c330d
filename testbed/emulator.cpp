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

std::uint32_t piece_at(const Queue& queue) {
    if (queue.loss > 0) return 1;
    const double frames = longest_piece_ns * 1e-9 * queue.rate.value / full_frame;
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

Emulator::Emulator(Topology topology, OwnDelays own)
    : topology_(std::move(topology)),
      own_(own),
      paths_(topology_.hosts.size(), topology_.hosts.size(), {.draws = Draws(0)}),
      piece_(topology_.hosts.size(), topology_.hosts.size(), largest_piece),
      ready_(topology_.hosts.size(), 0) {
    for (std::uint32_t queue = 0; queue < topology_.queues.size(); ++queue) {
        queues_.push_back({.ns_per_byte = 1e9 / topology_.queues[queue].rate.value,
                           .buffer = static_cast<double>(topology_.queues[queue].buffer.value),
                           .draws = Draws(0)});
        start_draws(queue, 0);
    }
    for (std::size_t host = 0; host < topology_.hosts.size(); ++host)
        cards_.push_back(card_of(topology_, host));
    set_pieces();
}

void Emulator::set_pieces() {
    std::vector<std::uint32_t> largest;
    for (const Queue& queue : topology_.queues) largest.push_back(piece_at(queue));
    for (std::size_t from = 0; from < topology_.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology_.hosts.size(); ++to) {
            const Path& path = topology_.paths(from, to);
            std::uint32_t& piece = piece_(from, to);
            piece = path.loss > 0 || path.jitter > Seconds(0) ? 1 : largest_piece;
            for (const auto* part : {&path.before, &path.after})
                for (const std::uint32_t queue : *part) piece = std::min(piece, largest[queue]);
        }
}

void Emulator::set_ready(std::uint32_t host) {
    ready_[host] = static_cast<Nanoseconds>(queues_[*cards_[host]].free - card_backlog_ns);
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
    if (const auto card = cards_[from]) {
        const bool passed = pass_queue(transit, *card, false);
        set_ready(from);
        if (!passed) return lose(number);
    }
    plan_next(number);
}

bool Emulator::pass_queue(Transit& transit, std::uint32_t number, bool drops) {
    const Packet& packet = transit.packet;
    QueueState& queue = queues_[number];
    const double loss = topology_.queues[number].loss;
    if (loss > 0 && queue.draws.uniform() < loss) return false;
    add_cross_traffic(number, transit.first);
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

std::optional<std::uint32_t> Emulator::next_queue(const Transit& transit) const {
    const Path& path = topology_.paths(transit.from, transit.to);
    const std::size_t before = path.before.size();
    if (transit.stage < before) return path.before[transit.stage];
    if (transit.stage < before + path.after.size()) return path.after[transit.stage - before];
    return std::nullopt;
}

bool Emulator::is_at_latency(const Transit& transit) const {
    return transit.stage == topology_.paths(transit.from, transit.to).before.size();
}

double Emulator::latency_of(const Path& path) const {
    const double asked = path.latency.value * 1e9;
    return std::max(
        0.0, asked - static_cast<double>(is_idle_path(path.latency) ? own_.idle : own_.busy));
}

double Emulator::draw_latency(std::uint32_t from, std::uint32_t to) {
    const Path& path = topology_.paths(from, to);
    const double latency = latency_of(path);
    if (path.jitter == Seconds(0)) return latency;
    return latency + paths_(from, to).draws.uniform() * path.jitter.value * 1e9;
}

double Emulator::earliest_arrival(const Transit& transit) {
    const double first = transit.first + transit.held;
    const double last = transit.last + transit.held;
    const auto number = next_queue(transit);
    if (!number) return last;
    const QueueState& queue = queues_[*number];
    const Path& path = topology_.paths(transit.from, transit.to);
    const double leaves =
        std::max(last, std::max(first, queue.free) + transit.packet.wire * queue.ns_per_byte);
    const bool before_latency = transit.stage < path.before.size();
    return leaves + (before_latency ? latency_of(path) : 0);
}

void Emulator::plan_next(std::uint32_t number) {
    Transit& transit = transits_[number];
    transit.latency = is_at_latency(transit) ? draw_latency(transit.from, transit.to) : 0;
    transit.order = order_++;
    schedule(number);
}

void Emulator::schedule(std::uint32_t number) {
    Transit& transit = transits_[number];
    transit.held = transit.latency;
    if (is_at_latency(transit)) {
        double& end = paths_(transit.from, transit.to).end;
        transit.held = std::max(transit.held, end - transit.first);
        end = transit.last + transit.held;
    }
    const double at = (next_queue(transit) ? transit.first : transit.last) + transit.held;
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

void Emulator::lose(std::uint32_t number) {
    ++lost_;
    release(number);
}

bool Emulator::advance(Nanoseconds now, Arrival& arrival) {
    while (!events_.empty() && events_.top().at <= now) {
        const std::uint32_t number = events_.top().transit;
        events_.pop();
        Transit& transit = transits_[number];
        transit.first += transit.held;
        transit.last += transit.held;
        const double loss = topology_.paths(transit.from, transit.to).loss;
        if (loss > 0 && is_at_latency(transit) &&
            paths_(transit.from, transit.to).draws.uniform() < loss) {
            lose(number);
            continue;
        }
        const auto queue = next_queue(transit);
        if (!queue) {
            arrival = {transit.to, std::move(transit.packet)};
            release(number);
            return true;
        }
        if (pass_queue(transit, *queue, true))
            plan_next(number);
        else
            lose(number);
    }
    return false;
}

}  // namespace espalier::testbed
