#include "plan/ring/bound_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::plan::ring {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// What rounding may take from times that are compared with the step's.
constexpr double slack = 1e-9;

}  // namespace

PathCosts::PathCosts(const Problem& problem, schedule::RingSharing sharing)
    : problem_(problem),
      platform_(problem.platform),
      fair_(sharing == schedule::RingSharing::fair),
      routed_(fair_ || platform_.has_routes()),
      longest_(infinity),
      ways_(platform_.hosts(), platform_.hosts()),
      price_(platform_.hosts(), platform_.hosts(), 0) {
    list_ways();
    const std::size_t hosts = platform_.hosts();
    steps_ =
        routed_ ? 8 * hosts * hosts : 8 * hosts * (platform_.vertices() + 2 * platform_.links());
}

const Path& PathCosts::route(Host from, Host to) const {
    return platform_.has_routes() ? platform_.route(from, to) : problem_.routes(from, to);
}

void PathCosts::list_ways() {
    const auto hosts = static_cast<Host>(platform_.hosts());
    if (routed_) {
        for (Host from = 0; from < hosts; ++from)
            for (Host to = 0; to < hosts; ++to)
                if (from != to)
                    ways_(from, to) = {problem_.delay(from, to, route(from, to)),
                                       problem_.width(route(from, to))};
        return;
    }
    reached_.resize(platform_.vertices());
    by_.resize(platform_.vertices());
    from_arc_.resize(hosts * platform_.vertices());
    for (Host from = 0; from < hosts; ++from) {
        search(from, [&](LinkId link) { return platform_.link(link).latency; });
        for (Host to = 0; to < hosts; ++to)
            ways_(from, to).delay =
                platform_.startup(from) + platform_.startup(to) + reached_[platform_.vertex_of(to)];
        widen(from);
        for (Host to = 0; to < hosts; ++to)
            ways_(from, to).width = reached_[platform_.vertex_of(to)];
    }
}

/// Dijkstra's shortest paths to all vertices.
template <typename Length>
void PathCosts::search(Host from, const Length& length) {
    const auto later = [](const Open& one, const Open& other) { return one.key > other.key; };
    std::fill(reached_.begin(), reached_.end(), infinity);
    reached_[platform_.vertex_of(from)] = 0;
    heap_.assign(1, {0, platform_.vertex_of(from)});
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Open open = heap_.back();
        heap_.pop_back();
        if (open.key > reached_[open.vertex]) continue;
        for (const auto& arc : platform_.leaving(open.vertex)) {
            const double key = open.key + length(arc.link);
            if (!(key < reached_[arc.to])) continue;
            reached_[arc.to] = key;
            by_[arc.to] = {open.vertex, arc.link};
            const auto further = platform_.leaving(arc.to);
            if (further.size() == 1 && further.front().to == open.vertex) continue;  // a dead end
            heap_.push_back({key, arc.to});
            std::push_heap(heap_.begin(), heap_.end(), later);
        }
    }
}

/// Widest paths to all vertices.
void PathCosts::widen(Host from) {
    const auto narrower = [](const Open& one, const Open& other) { return one.key < other.key; };
    std::fill(reached_.begin(), reached_.end(), 0);
    reached_[platform_.vertex_of(from)] = infinity;
    heap_.assign(1, {infinity, platform_.vertex_of(from)});
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), narrower);
        const Open open = heap_.back();
        heap_.pop_back();
        if (open.key < reached_[open.vertex]) continue;
        for (const auto& arc : platform_.leaving(open.vertex)) {
            const double key = std::min(open.key, platform_.link(arc.link).bandwidth);
            if (!(key > reached_[arc.to])) continue;
            reached_[arc.to] = key;
            heap_.push_back({key, arc.to});
            std::push_heap(heap_.begin(), heap_.end(), narrower);
        }
    }
}

void PathCosts::find_prices(std::span<const double> prices) {
    const auto hosts = static_cast<Host>(platform_.hosts());
    const auto price = [&](LinkId link) { return platform_.link(link).shared ? prices[link] : 0; };
    if (routed_) {
        for (Host from = 0; from < hosts; ++from)
            for (Host to = 0; to < hosts; ++to) {
                if (from == to) continue;
                double sum = 0;
                for (const LinkId link : route(from, to)) sum += price(link);
                price_(from, to) = sum;
            }
        return;
    }
    for (Host from = 0; from < hosts; ++from) {
        search(from, price);
        for (Host to = 0; to < hosts; ++to) price_(from, to) = reached_[platform_.vertex_of(to)];
        std::copy(by_.begin(), by_.end(),
                  from_arc_.begin() + static_cast<std::ptrdiff_t>(from * platform_.vertices()));
    }
}

void PathCosts::add_along(Host from, Host to, double amount, std::vector<double>& links) const {
    if (routed_) {
        for (const LinkId link : route(from, to)) links[link] += amount;
        return;
    }
    const Platform::Arc* const arcs = &from_arc_[from * platform_.vertices()];
    for (Vertex vertex = platform_.vertex_of(to); vertex != platform_.vertex_of(from);) {
        links[arcs[vertex].link] += amount;
        vertex = arcs[vertex].to;
    }
}

PathCosts::Cost PathCosts::cost(Host from, Host to, double speed, double price) const {
    const Ways& ways = ways_(from, to);
    return fair_ ? fair_cost(ways, speed, price) : reserved_cost(ways, speed, price);
}

PathCosts::Cost PathCosts::reserved_cost(const Ways& ways, double speed, double price) const {
    const double time_left = longest_ * (1 + slack) - ways.delay;
    if (!(time_left > 0) || problem_.exchange / time_left > ways.width) return {infinity, 0, 0};
    double rate = price > 0 ? std::sqrt(problem_.exchange * speed / price) : infinity;
    rate = std::min(std::max(rate, problem_.exchange / time_left), ways.width);
    if (std::isinf(rate)) return {speed * ways.delay, 0, ways.delay};
    const double time = ways.delay + problem_.exchange / rate;
    return {speed * time + rate * price, rate, time};
}

PathCosts::Cost PathCosts::fair_cost(const Ways& ways, double speed, double price) const {
    const double time = ways.delay + problem_.exchange / ways.width;
    if (!(time <= longest_ * (1 + slack))) return {infinity, 0, 0};
    return {speed * time / 2 + problem_.exchange * price, problem_.exchange, time / 2};
}

}  // namespace espalier::plan::ring
