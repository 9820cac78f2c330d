#include "ring/ring_walk.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <utility>

namespace espalier::ring {

RingWalk::RingWalk(const Problem& problem, PathPool& pool, PooledRing start)
    : problem_(problem),
      pool_(pool),
      pricer_(problem, pool),
      ring_(std::move(start)),
      prices_(pricer_.no_prices()) {
    price({.rounds = 100, .precision = 1e-3});
}

RingWalk::Crossing RingWalk::cheapest(Host from, Host to) {
    Crossing best{0, infinity};
    for (const PathId path : pool_.between(from, to)) {
        const double cost = pricer_.cost(path, from, prices_);
        steps_ += 6;
        if (cost < best.cost) best = {path, cost};
    }
    return best;
}

std::size_t RingWalk::joint_between(Host one, Host other) const {
    for (const auto& [host, next] : {std::pair(one, other), std::pair(other, one)}) {
        const std::size_t place = place_[host];
        if (place != nowhere && ring_.order[ring_.after(place)] == next) return place;
    }
    return nowhere;
}

double RingWalk::at_least(const std::vector<Host>& order) {
    double cost = 0;
    double speed = 0;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const Host host = order[place];
        const Host next = order[place + 1 == order.size() ? 0 : place + 1];
        speed += prices_.speeds[host];
        if (next == host) break;  // a single one
        const std::size_t joint = joint_between(host, next);
        cost += joint != nowhere ? costs_[joint]
                                 : cheapest(host, next).cost + cheapest(next, host).cost;
    }
    steps_ += order.size() / 2;
    return (problem_.work + cost - paid_) / speed;
}

bool RingWalk::make(const std::vector<Host>& order, double enough, const Pricer::Effort& effort) {
    next_.order = order;
    next_.joints.clear();
    for (std::size_t place = 0; order.size() > 1 && place < order.size(); ++place) {
        const Host host = order[place];
        const Host next = order[next_.after(place)];
        const std::size_t joint = joint_between(host, next);
        if (joint == nowhere) {
            next_.joints.push_back({cheapest(host, next).path, cheapest(next, host).path});
            continue;
        }
        next_.joints.push_back(ring_.joints[joint]);
        auto& [there, back] = next_.joints.back();
        if (ring_.order[joint] != host) std::swap(there, back);
    }
    return go_on(enough, effort);
}

bool RingWalk::reroute(Random& random, double enough, const Pricer::Effort& effort) {
    if (ring_.size() < 2) return false;
    const std::size_t place = random.below(ring_.size());
    const bool there = random.below(2) == 0;
    Host from = ring_.order[place];
    Host to = ring_.order[ring_.after(place)];
    if (!there) std::swap(from, to);
    const auto& paths = pool_.between(from, to);
    const PathId path = paths[random.below(paths.size())];
    const PathId old = there ? ring_.joints[place].there : ring_.joints[place].back;
    const double more = pricer_.cost(path, from, prices_) - pricer_.cost(old, from, prices_);
    if (path == old || at_least(ring_.order) + more / speed_ > enough) return false;
    next_ = ring_;
    (there ? next_.joints[place].there : next_.joints[place].back) = path;
    return go_on(enough, effort);
}

/// Goes on to next_ if its step time is at most `enough`.
bool RingWalk::go_on(double enough, const Pricer::Effort& effort) {
    next_prices_ = prices_;
    steps_ += prices_.links.size() / 2 + next_.size();
    const Pricer::Estimate estimate = pricer_.price(next_, next_prices_, effort, enough);
    if (estimate.step_time > enough) return false;
    std::swap(ring_, next_);
    std::swap(prices_, next_prices_);
    step_time_ = estimate.step_time;
    settle();
    return true;
}

void RingWalk::adopt(const PooledRing& ring, const Prices& prices) {
    ring_ = ring;
    prices_ = prices;
    price({.rounds = 30, .precision = 1e-3});
}

void RingWalk::price(const Pricer::Effort& effort) {
    step_time_ = pricer_.price(ring_, prices_, effort).step_time;
    settle();
}

void RingWalk::settle() {
    place_.assign(problem_.platform.hosts(), nowhere);
    costs_.clear();
    speed_ = 0;
    for (std::size_t place = 0; place < ring_.size(); ++place) {
        const Host host = ring_.order[place];
        place_[host] = place;
        speed_ += prices_.speeds[host];
        if (ring_.size() == 1) continue;
        const auto& [there, back] = ring_.joints[place];
        costs_.push_back(pricer_.cost(there, host, prices_) +
                         pricer_.cost(back, ring_.order[ring_.after(place)], prices_));
    }
    paid_ = 0;
    for (LinkId link = 0; link < prices_.links.size(); ++link)
        paid_ += prices_.links[link] * problem_.platform.link(link).bandwidth;
    for (Host host = 0; host < place_.size(); ++host)
        if (place_[host] == nowhere) prices_.speeds[host] = 1 / problem_.platform.cycle_time(host);
    steps_ += ring_.size() * 12 + prices_.links.size() * 2 + place_.size();
}

void RingWalk::offer_paths(double part, bool all_pairs) {
    if (pool_.fixed()) return;
    std::vector<double> weights(prices_.links.size());
    const double volume = problem_.exchange * speed_ / static_cast<double>(ring_.size());
    for (LinkId link = 0; link < weights.size(); ++link) {
        const Platform::Link& about = problem_.platform.link(link);
        const double alone = volume / (about.bandwidth * about.bandwidth);
        weights[link] = part * alone + (about.shared ? prices_.links[link] : 0);
    }
    std::vector<Host> targets;
    for (Host from = 0; from < hosts(); ++from) {
        targets.clear();
        if (all_pairs) {
            for (Host to = 0; to < hosts(); ++to) targets.push_back(to);
        } else if (place_[from] != nowhere && ring_.size() > 1) {
            const std::size_t place = place_[from];
            targets.push_back(ring_.order[ring_.after(place)]);
            targets.push_back(ring_.order[(place + ring_.size() - 1) % ring_.size()]);
        }
        if (!targets.empty()) pool_.offer_cheapest(from, targets, weights);
    }
}

}  // namespace espalier::ring
