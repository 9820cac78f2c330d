#include "simulate/ring_step.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::simulate {

namespace {
/// Moments nearer to each other than this, relative, are one: rounding must not break ties.
constexpr double same_moment = 1e-12;

}  // namespace

bool RingSimulator::is_measured(std::size_t step) const {
    return step >= horizon_.settling && step < horizon_.settling + horizon_.measured;
}

void RingSimulator::prepare(const RingTraffic& traffic, schedule::RingSharing sharing) {
    const std::size_t n = computing_.size();
    sharing_ = sharing;
    exchange_ = traffic.exchange;
    hosts_.assign(n, {});
    flights_.assign(n > 1 ? 2 * n : 0, {});
    for (std::size_t f = 0; f < flights_.size(); ++f) {
        Flight& flight = flights_[f];
        const bool forward = f % 2 == 0;
        flight.sender = f / 2;
        flight.receiver = forward ? (flight.sender + 1) % n : (flight.sender + n - 1) % n;
        flight.message = &traffic.message(flight.sender, forward);
    }
    links_.reset(flights_.size());
    step_ends_.assign(horizon_.settling + horizon_.measured, 0);
    finished_.assign(step_ends_.size(), 0);
    events_.clear();
}

RingSteps RingSimulator::run(const RingTraffic& traffic, std::span<const double> computing,
                             schedule::RingSharing sharing, const RingHorizon& horizon) {
    computing_ = computing;
    horizon_ = horizon;
    prepare(traffic, sharing);
    const std::size_t n = hosts_.size();
    for (std::size_t host = 0; host < n; ++host)
        begin_step(host, traffic.begins.empty() ? 0 : traffic.begins[host]);
    // Hosts that are ahead go on computing until the last one is done.
    while (finished_.back() < n) {
        const double event = events_.empty() ? infinity : events_.front().time;
        const double now = std::min(event, links_.next_end());
        assert(std::isfinite(now) && "no ring deadlocks");
        handle(now);
        links_.share(now);
    }

    RingSteps result;
    const auto steps = static_cast<double>(horizon.measured);
    const double before = horizon.settling == 0 ? 0 : step_ends_[horizon.settling - 1];
    result.step_time = (step_ends_.back() - before) / steps;
    for (const Host& host : hosts_) {
        result.communication.push_back(host.communication / steps);
        result.sending.push_back(host.sending / steps);
    }
    for (std::size_t f = 0; f < flights_.size(); ++f) {
        auto& rates = f % 2 == 0 ? result.to_successor : result.to_predecessor;
        const double flowed = flights_[f].flowed / steps;
        rates.push_back(flowed > 0 ? exchange_ / flowed : infinity);
    }
    return result;
}

void RingSimulator::push(double time, std::size_t what) {
    const auto later = [](const Event& a, const Event& b) { return a.time > b.time; };
    events_.push_back({time, what});
    std::push_heap(events_.begin(), events_.end(), later);
}

/// All that happens now; what it brings about at once happens, too.
void RingSimulator::handle(double now) {
    const double limit = now * (1 + same_moment);
    const auto later = [](const Event& a, const Event& b) { return a.time > b.time; };
    for (auto f = links_.take_ended(limit); f != FairLinks::none; f = links_.take_ended(limit))
        arrive(f, now);
    while (!events_.empty() && events_.front().time <= limit) {
        std::pop_heap(events_.begin(), events_.end(), later);
        const Event event = events_.back();
        events_.pop_back();
        if (event.what < hosts_.size())
            end_computing(event.what, event.time);
        else
            begin_to_flow(event.what - hosts_.size(), event.time);
    }
}

void RingSimulator::begin_step(std::size_t host, double now) {
    hosts_[host].sends = 0;
    hosts_[host].outstanding = flights_.empty() ? 0 : 4;
    // Its receives are there: what its neighbours have sent already sets out.
    const std::size_t n = hosts_.size();
    if (!flights_.empty()) {
        const std::size_t from_predecessor = 2 * ((host + n - 1) % n);
        const std::size_t from_successor = 2 * ((host + 1) % n) + 1;
        for (const std::size_t f : {from_predecessor, from_successor})
            if (flights_[f].posted) set_out(f, now);
    }
    push(now + computing_[host], host);
}

void RingSimulator::end_computing(std::size_t host, double now) {
    Host& state = hosts_[host];
    state.computed = now;
    if (flights_.empty()) {
        state.outstanding = 1;
        complete_one(host, now);
        return;
    }
    post(2 * host, now);
    if (sharing_ == schedule::RingSharing::fair) post(2 * host + 1, now);
}

void RingSimulator::post(std::size_t f, double now) {
    Flight& flight = flights_[f];
    flight.posted = true;
    // The receive of this very step is there unless the receiver is a step behind.
    if (hosts_[flight.receiver].step == hosts_[flight.sender].step) set_out(f, now);
}

void RingSimulator::set_out(std::size_t f, double now) {
    flights_[f].posted = false;
    flights_[f].began = now;
    push(now + flights_[f].message->delay, hosts_.size() + f);
}

void RingSimulator::begin_to_flow(std::size_t f, double now) {
    Flight& flight = flights_[f];
    flight.began_to_flow = now;
    if (sharing_ == schedule::RingSharing::fair)
        links_.begin(f, flight.message->links, exchange_, now, flight.message->weight);
    else
        links_.begin_apart(f, flight.message->reserved, exchange_, now);
}

void RingSimulator::arrive(std::size_t f, double now) {
    const Flight& flight = flights_[f];
    if (is_measured(hosts_[flight.sender].step)) flights_[f].flowed += now - flight.began_to_flow;
    double& sends = hosts_[flight.sender].sends;
    const double took = now - flight.began;
    const bool in_turn = sharing_ == schedule::RingSharing::reserved;
    sends = in_turn ? sends + took : std::max(sends, took);
    const std::size_t sender = flight.sender;
    const std::size_t receiver = flight.receiver;
    if (in_turn && f % 2 == 0) post(f + 1, now);
    complete_one(receiver, now);
    complete_one(sender, now);
}

void RingSimulator::complete_one(std::size_t host, double now) {
    Host& state = hosts_[host];
    assert(state.outstanding > 0);
    if (--state.outstanding > 0) return;
    if (state.step < step_ends_.size()) {
        step_ends_[state.step] = std::max(step_ends_[state.step], now);
        ++finished_[state.step];
        if (is_measured(state.step)) {
            state.communication += now - state.computed;
            state.sending += state.sends;
        }
    }
    ++state.step;
    begin_step(host, now);
}

std::vector<FairLinks::Link> ring_links(const network::LinksNetwork& network) {
    std::vector<FairLinks::Link> links;
    for (const auto& link : network.links)
        links.push_back({link.bandwidth.value, link.kind != network::LinksNetwork::Kind::backbone});
    return links;
}

RingTraffic ring_traffic(const network::LinksNetwork& network, const schedule::Ring& ring) {
    RingTraffic traffic;
    traffic.exchange = ring.exchange;
    for (std::size_t i = 0; i < ring.paths.size(); ++i) {
        const schedule::RingPath& path = ring.paths[i];
        RingTraffic::Message message;
        message.delay = network.nodes[path.from].startup + network.nodes[path.to].startup;
        for (const std::size_t link : path.links) {
            message.delay += network.links[link].latency.value;
            message.links.push_back(static_cast<std::uint32_t>(link));
        }
        message.reserved = path.bandwidth;
        (i % 2 == 0 ? traffic.to_successor : traffic.to_predecessor).push_back(std::move(message));
    }
    return traffic;
}

RingSteps simulate_ring(const network::LinksNetwork& network, const schedule::Ring& ring) {
    std::vector<double> computing;
    for (std::size_t i = 0; i < ring.order.size(); ++i)
        computing.push_back(ring.shares[i] * ring.work * *network.nodes[ring.order[i]].cycle_time);
    return RingSimulator(ring_links(network))
        .run(ring_traffic(network, ring), computing, ring.sharing,
             RingHorizon::steady(ring.order.size()));
}

}  // namespace espalier::simulate
