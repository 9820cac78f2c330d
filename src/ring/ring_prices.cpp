#include "ring/ring_prices.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::ring {
namespace {

constexpr double begin = 0.01;
constexpr double least = 1e-200;  // far from where numbers lose their digits
/// Speeds go no further above 1 / w: whoever communicates for longer than the dual says, of many
/// rings one after the other, would otherwise drive them beyond what doubles hold.
constexpr double most_speed = 1e12;

/// The rate at which s * H / r + r * price is least, up to the path's width.
double best_rate(double volume, double price, double width) {
    return volume < width * width * price ? std::sqrt(volume / price) : width;
}

}  // namespace

PooledRing pooled(PathPool& pool, const Embedding& embedding) {
    PooledRing ring{embedding.order, {}};
    if (ring.size() < 2) return ring;
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const std::size_t next = ring.after(place);
        const Host host = ring.order[place];
        ring.joints.push_back({pool.add(host, ring.order[next], embedding.to_successor[place]),
                               pool.add(ring.order[next], host, embedding.to_predecessor[next])});
    }
    return ring;
}

Embedding unpooled(const PathPool& pool, const PooledRing& ring) {
    Embedding embedding{ring.order, {}, {}};
    if (ring.size() < 2) return embedding;
    embedding.to_successor.resize(ring.size());
    embedding.to_predecessor.resize(ring.size());
    for (std::size_t place = 0; place < ring.size(); ++place) {
        embedding.to_successor[place] = pool.path(ring.joints[place].there);
        embedding.to_predecessor[ring.after(place)] = pool.path(ring.joints[place].back);
    }
    return embedding;
}

Pricer::Pricer(const Problem& problem, const PathPool& pool) : problem_(problem), pool_(pool) {
    const std::size_t links = problem.platform.links();
    load_.resize(links);
    is_used_.resize(links);
    for (const double bandwidth : problem.platform.bandwidths())
        per_bandwidth_.push_back(1 / bandwidth);
}

Prices Pricer::no_prices() const {
    Prices prices{std::vector<double>(problem_.platform.links(), 0), {}};
    for (Host host = 0; host < problem_.platform.hosts(); ++host)
        prices.speeds.push_back(1 / problem_.platform.cycle_time(host));
    return prices;
}

double Pricer::cost(PathId path, Host from, const Prices& prices) const {
    double price = 0;
    for (const LinkId link : pool_.shared_links(path)) price += prices.links[link];
    const PathPool::Entry& entry = pool_.entry(path);
    const double speed = prices.speeds[from];
    const double volume = speed * problem_.exchange;
    const double flow = volume < entry.width * entry.width * price
                            ? 2 * std::sqrt(volume * price)
                            : volume / entry.width + price * entry.width;
    return speed * entry.delay + (std::isinf(entry.width) ? 0 : flow);
}

void Pricer::list_flows(const PooledRing& ring, Prices& prices) {
    flows_.clear();
    delays_.assign(ring.size(), 0);
    times_.assign(ring.size(), 0);
    for (const LinkId link : used_) is_used_[link] = 0;
    used_.clear();
    std::size_t length = 0;
    const auto add = [&](PathId id, std::size_t sender) {
        const PathPool::Entry& entry = pool_.entry(id);
        delays_[sender] += entry.delay;
        if (std::isinf(entry.width)) {
            flows_.push_back(
                {nullptr, nullptr, entry.width, entry.width, static_cast<std::uint32_t>(sender)});
            return;
        }
        const auto links = pool_.shared_links(id);
        length += links.size();
        flows_.push_back({links.data(), links.data() + links.size(), entry.width, 0,
                          static_cast<std::uint32_t>(sender)});
        const double volume = prices.speeds[ring.order[sender]] * problem_.exchange;
        for (const LinkId link : links) {
            if (is_used_[link] == 0) {
                is_used_[link] = 1;
                used_.push_back(link);
            }
            // From next to nothing factors lead away too slowly: begin at no less than some part of
            // what one path alone pays.
            const double alone = volume * per_bandwidth_[link] * per_bandwidth_[link];
            prices.links[link] = std::max(prices.links[link], begin * alone);
        }
    };
    for (std::size_t place = 0; place < ring.joints.size(); ++place) {
        add(ring.joints[place].there, place);
        add(ring.joints[place].back, ring.after(place));
    }
    for (std::size_t link = 0; link < is_used_.size(); ++link)
        if (is_used_[link] == 0) prices.links[link] = 0;
    steps_ += length * 2 + is_used_.size();
}

double Pricer::dual(const PooledRing& ring, const Prices& prices) {
    for (const LinkId link : used_) load_[link] = 0;
    double work = problem_.work;
    double speed = 0;
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const double own = prices.speeds[ring.order[place]];
        speed += own;
        work += own * delays_[place];
        times_[place] = delays_[place];
    }
    for (Flow& flow : flows_) {
        if (flow.first == nullptr && std::isinf(flow.width)) continue;
        double price = 0;
        for (const LinkId* link = flow.first; link != flow.last; ++link)
            price += prices.links[*link];
        const double volume = prices.speeds[ring.order[flow.sender]] * problem_.exchange;
        flow.rate = best_rate(volume, price, flow.width);
        times_[flow.sender] += problem_.exchange / flow.rate;
        work += volume / flow.rate + price * flow.rate;
        for (const LinkId* link = flow.first; link != flow.last; ++link) load_[*link] += flow.rate;
    }
    for (const LinkId link : used_) {
        work -= prices.links[link] * problem_.platform.bandwidths()[link];
        load_[link] *= per_bandwidth_[link];
    }
    return work / speed;
}

double Pricer::primal(const PooledRing& ring) {
    times_ = delays_;
    for (const Flow& flow : flows_) {
        double load = flow.rate / flow.width;
        for (const LinkId* link = flow.first; link != flow.last; ++link)
            load = std::max(load, load_[*link]);
        const double rate = std::isinf(flow.width) ? flow.width : flow.rate / load;
        times_[flow.sender] += problem_.exchange / rate;
    }
    double speed = 0;
    double work = problem_.work;
    double longest = 0;
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const double own = 1 / problem_.platform.cycle_time(ring.order[place]);
        speed += own;
        work += own * times_[place];
        longest = std::max(longest, times_[place]);
    }
    return std::max(work / speed, longest);
}

void Pricer::reprice(const PooledRing& ring, Prices& prices, double step_time) const {
    for (const LinkId link : used_)
        prices.links[link] = std::max(prices.links[link] * load_[link] * load_[link], least);
    for (std::size_t place = 0; place < ring.size(); ++place) {
        const Host host = ring.order[place];
        const double part = std::min(times_[place] / step_time, 2.0);
        const double own = 1 / problem_.platform.cycle_time(host);
        prices.speeds[host] = std::clamp(prices.speeds[host] * part * part, own, most_speed * own);
    }
}

Pricer::Estimate Pricer::price(const PooledRing& ring, Prices& prices, const Effort& effort,
                               double enough) {
    Estimate estimate;
    list_flows(ring, prices);
    double speed = 0;
    for (const Host host : ring.order) speed += 1 / problem_.platform.cycle_time(host);
    estimate.at_least = problem_.work / speed;
    std::size_t length = 0;
    for (const Flow& flow : flows_) length += static_cast<std::size_t>(flow.last - flow.first) + 2;
    for (int round = 0;; ++round) {
        estimate.at_least = std::max(estimate.at_least, dual(ring, prices));
        steps_ += length * 2 + ring.size();
        if (estimate.at_least > enough) return estimate;
        const bool last = round + 1 >= effort.rounds;
        if (last || round % 3 == 2 || ring.size() < 3) {
            const std::vector<double> desired = times_;
            estimate.step_time = std::min(estimate.step_time, primal(ring));
            times_ = desired;
            steps_ += length;
            if (last || estimate.step_time <= estimate.at_least * (1 + effort.precision))
                return estimate;
        }
        reprice(ring, prices, estimate.at_least);
    }
}

}  // namespace espalier::ring
