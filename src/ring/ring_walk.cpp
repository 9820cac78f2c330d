#include "ring/ring_walk.hpp"

#include "ring/nearness.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace espalier::ring {

using Change = RingWalk::Change;

RingWalk::RingWalk(const Problem& problem, PathPool& pool, PooledRing start)
    : problem_(problem),
      pool_(pool),
      pricer_(problem, pool),
      ring_(std::move(start)),
      prices_(pricer_.no_prices()) {
    find_neighbours();
    price({.rounds = 100, .precision = 1e-3});
}

void RingWalk::find_neighbours() {
    constexpr std::size_t most = 24;
    const std::size_t hosts = problem_.platform.hosts();
    const Matrix<double> distance = distances(problem_);
    near_.resize(hosts);
    std::vector<std::pair<double, Host>> others;
    for (Host host = 0; host < hosts; ++host) {
        others.clear();
        for (Host other = 0; other < hosts; ++other)
            if (other != host) others.emplace_back(distance(host, other), other);
        const std::size_t count = std::min(most, others.size());
        std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                          others.end());
        for (std::size_t rank = 0; rank < count; ++rank) near_[host].push_back(others[rank].second);
    }
    steps_ += hosts * hosts * 20;
}

Change RingWalk::insertion(std::span<const Host> chain, std::size_t place) const {
    assert(chain.size() <= longest_chain);
    Change change;
    change.keep(0, place + 1);
    for (const Host outsider : chain) change.add(outsider);
    change.keep(place + 1, ring_.size());
    return change;
}

Change RingWalk::removal(std::size_t first, std::size_t count) const {
    Change change;
    change.keep(0, first);
    change.keep(first + count, ring_.size());
    return change;
}

Change RingWalk::replacement(std::size_t place, Host outsider) const {
    Change change;
    change.keep(0, place);
    change.add(outsider);
    change.keep(place + 1, ring_.size());
    return change;
}

Change RingWalk::reversal(std::size_t first, std::size_t second) const {
    Change change;
    change.keep(0, first + 1);
    change.keep(first + 1, second + 1, true);
    change.keep(second + 1, ring_.size());
    return change;
}

Change RingWalk::relocation(std::size_t first, std::size_t count, std::size_t place,
                            bool reversed) const {
    Change change;
    const std::size_t end = first + count;
    if (place < first) {
        change.keep(0, place + 1);
        change.keep(first, end, reversed);
        change.keep(place + 1, first);
        change.keep(end, ring_.size());
    } else {
        change.keep(0, first);
        change.keep(end, place + 1);
        change.keep(first, end, reversed);
        change.keep(place + 1, ring_.size());
    }
    return change;
}

Change RingWalk::exchange(std::size_t first, std::size_t second) const {
    Change change;
    change.keep(0, first);
    change.keep(second, second + 1);
    change.keep(first + 1, second);
    change.keep(first, first + 1);
    change.keep(second + 1, ring_.size());
    return change;
}

Host RingWalk::head(const Piece& piece) const {
    if (piece.count == 0) return piece.outsider;
    return ring_.order[piece.reversed ? piece.first + piece.count - 1 : piece.first];
}

Host RingWalk::tail(const Piece& piece) const {
    if (piece.count == 0) return piece.outsider;
    return ring_.order[piece.reversed ? piece.first : piece.first + piece.count - 1];
}

bool RingWalk::joined(const Piece& left, const Piece& right, std::size_t& joint,
                      bool& reversed) const {
    if (left.count == 0 || right.count == 0 || ring_.size() < 2) return false;
    const std::size_t from = left.reversed ? left.first : left.first + left.count - 1;
    const std::size_t to = right.reversed ? right.first + right.count - 1 : right.first;
    reversed = ring_.after(from) != to;
    joint = reversed ? to : from;
    return !reversed || ring_.after(to) == from;
}

RingWalk::Crossing RingWalk::cheapest(Host from, Host to) {
    Crossing best{0, std::numeric_limits<double>::infinity()};
    for (const PathId path : pool_.between(from, to)) {
        const double cost = pricer_.cost(path, from, prices_);
        steps_ += 6;
        if (cost < best.cost) best = {path, cost};
    }
    return best;
}

double RingWalk::at_least(const Change& change) {
    double cost = 0;
    double speed = 0;
    std::size_t size = 0;
    for (std::size_t index = 0; index < change.count; ++index) {
        const Piece& piece = change.pieces[index];
        size += std::max<std::size_t>(piece.count, 1);
        if (piece.count == 0) {
            speed += prices_.speeds[piece.outsider];
        } else {
            cost += cost_before_[piece.first + piece.count - 1] - cost_before_[piece.first];
            speed += speed_before_[piece.first + piece.count] - speed_before_[piece.first];
        }
    }
    steps_ += 10;
    if (size == 0) return std::numeric_limits<double>::infinity();
    for (std::size_t index = 0; size > 1 && index < change.count; ++index) {
        const Piece& left = change.pieces[index];
        const Piece& right = change.pieces[index + 1 == change.count ? 0 : index + 1];
        std::size_t joint = 0;
        bool reversed = false;
        if (joined(left, right, joint, reversed)) {
            cost += cost_before_[joint + 1] - cost_before_[joint];
        } else {
            cost += cheapest(tail(left), head(right)).cost + cheapest(head(right), tail(left)).cost;
        }
    }
    return (problem_.work + cost - paid_) / speed;
}

void RingWalk::build(const Change& change) {
    next_.order.clear();
    next_.joints.clear();
    for (std::size_t index = 0; index < change.count; ++index) {
        const Piece& left = change.pieces[index];
        if (left.count == 0) {
            next_.order.push_back(left.outsider);
        } else if (left.reversed) {
            for (std::size_t place = left.first + left.count; place-- > left.first;) {
                next_.order.push_back(ring_.order[place]);
                if (place > left.first)
                    next_.joints.push_back(
                        {ring_.joints[place - 1].back, ring_.joints[place - 1].there});
            }
        } else {
            const auto first = static_cast<std::ptrdiff_t>(left.first);
            const auto count = static_cast<std::ptrdiff_t>(left.count);
            next_.order.insert(next_.order.end(), ring_.order.begin() + first,
                               ring_.order.begin() + first + count);
            next_.joints.insert(next_.joints.end(), ring_.joints.begin() + first,
                                ring_.joints.begin() + first + count - 1);
        }
        const Piece& right = change.pieces[index + 1 == change.count ? 0 : index + 1];
        std::size_t joint = 0;
        bool reversed = false;
        if (joined(left, right, joint, reversed)) {
            PooledRing::Joint kept = ring_.joints[joint];
            if (reversed) std::swap(kept.there, kept.back);
            next_.joints.push_back(kept);
        } else {
            const Host from = tail(left);
            const Host to = head(right);
            if (from == to) break;  // a single host
            next_.joints.push_back({cheapest(from, to).path, cheapest(to, from).path});
        }
    }
    if (next_.size() < 2) next_.joints.clear();
    steps_ += next_.size();
}

bool RingWalk::try_ring(double enough, const Pricer::Effort& effort) {
    next_prices_ = prices_;
    steps_ += prices_.links.size() / 2;
    const Pricer::Estimate estimate = pricer_.price(next_, next_prices_, effort, enough);
    if (estimate.step_time > enough) return false;
    std::swap(ring_, next_);
    std::swap(prices_, next_prices_);
    step_time_ = estimate.step_time;
    settle();
    return true;
}

bool RingWalk::make(const Change& change, double enough, const Pricer::Effort& effort) {
    build(change);
    return try_ring(enough, effort);
}

double RingWalk::at_least(std::size_t place, bool there, PathId path) const {
    const PooledRing::Joint& joint = ring_.joints[place];
    const Host sender = ring_.order[there ? place : ring_.after(place)];
    const double change = pricer_.cost(path, sender, prices_) -
                          pricer_.cost(there ? joint.there : joint.back, sender, prices_);
    return (problem_.work + cost_before_.back() + change - paid_) / speed_before_.back();
}

bool RingWalk::reroute(std::size_t place, bool there, PathId path, double enough,
                       const Pricer::Effort& effort) {
    next_ = ring_;
    (there ? next_.joints[place].there : next_.joints[place].back) = path;
    return try_ring(enough, effort);
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
    for (std::size_t place = 0; place < ring_.size(); ++place) place_[ring_.order[place]] = place;
    outsiders_.clear();
    for (Host host = 0; host < problem_.platform.hosts(); ++host)
        if (!has(host)) {
            outsiders_.push_back(host);
            prices_.speeds[host] = 1 / problem_.platform.cycle_time(host);
        }
    cost_before_.assign(1, 0);
    speed_before_.assign(1, 0);
    for (std::size_t place = 0; place < ring_.size(); ++place) {
        const Host host = ring_.order[place];
        double cost = 0;
        if (ring_.size() > 1)
            cost = pricer_.cost(ring_.joints[place].there, host, prices_) +
                   pricer_.cost(ring_.joints[place].back, ring_.order[ring_.after(place)], prices_);
        cost_before_.push_back(cost_before_.back() + cost);
        speed_before_.push_back(speed_before_.back() + prices_.speeds[host]);
    }
    paid_ = 0;
    for (LinkId link = 0; link < prices_.links.size(); ++link)
        paid_ += prices_.links[link] * problem_.platform.link(link).bandwidth;
    steps_ += ring_.size() * 12 + prices_.links.size() * 2 + place_.size();
}

void RingWalk::offer_paths(double part, bool all_pairs) {
    if (pool_.fixed()) return;
    std::vector<double> weights(prices_.links.size());
    const double volume = problem_.exchange * speed_before_.back() /
                          static_cast<double>(std::max<std::size_t>(ring_.size(), 1));
    for (LinkId link = 0; link < weights.size(); ++link) {
        const Platform::Link& about = problem_.platform.link(link);
        const double alone = volume / (about.bandwidth * about.bandwidth);
        weights[link] = part * alone + (about.shared ? prices_.links[link] : 0);
    }
    std::vector<Host> targets;
    for (Host from = 0; from < problem_.platform.hosts(); ++from) {
        targets.clear();
        if (all_pairs) {
            for (Host to = 0; to < problem_.platform.hosts(); ++to) targets.push_back(to);
        } else if (has(from) && ring_.size() > 1) {
            const std::size_t place = place_[from];
            targets.push_back(ring_.order[ring_.after(place)]);
            targets.push_back(ring_.order[(place + ring_.size() - 1) % ring_.size()]);
        }
        if (!targets.empty()) pool_.offer_cheapest(from, targets, weights);
    }
}

}  // namespace espalier::ring
