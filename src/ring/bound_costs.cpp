#include "ring/bound_costs.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::ring {
namespace {
/// The relative rounding error of times that are compared with the step time.
constexpr double slack = 1e-9;

}  // namespace

PathCosts::PathCosts(const Problem& problem, schedule::RingSharing sharing)
    : problem_(problem),
      platform_(problem.platform),
      fair_(sharing == schedule::RingSharing::fair),
      routed_(fair_ || platform_.has_routes()),
      longest_(infinity),
      extremes_(platform_.hosts(), platform_.hosts()),
      price_(platform_.hosts(), platform_.hosts(), 0) {
    find_extremes();
    const std::size_t hosts = platform_.hosts();
    steps_ =
        routed_ ? 8 * hosts * hosts : 8 * hosts * (platform_.vertices() + 2 * platform_.links());
}

void PathCosts::find_extremes() {
    const auto hosts = static_cast<Host>(platform_.hosts());
    if (routed_) {
        for (Host from = 0; from < hosts; ++from)
            for (Host to = 0; to < hosts; ++to)
                if (from != to)
                    extremes_(from, to) = {problem_.delay(from, to, problem_.routes(from, to)),
                                           problem_.width(problem_.routes(from, to))};
        return;
    }
    search_.emplace(platform_, nullptr);
    trees_.resize(hosts);
    std::vector<Host> all(hosts);
    std::iota(all.begin(), all.end(), Host{0});
    std::vector<double> widths(hosts);
    const Matrix<double> latencies = search_->least_latencies();
    for (const Host from : all) {
        search_->find_widths(platform_.bandwidths(), from, PathSearch::Direction::from, all,
                             widths);
        for (const Host to : all)
            extremes_(from, to) = {
                platform_.startup(from) + platform_.startup(to) + latencies(from, to), widths[to]};
    }
}

void PathCosts::find_prices(std::span<const double> prices) {
    const auto hosts = static_cast<Host>(platform_.hosts());
    prices_.assign(prices.begin(), prices.end());
    for (LinkId link = 0; link < prices_.size(); ++link)
        if (!platform_.link(link).shared) prices_[link] = 0;
    for (Host from = 0; from < hosts; ++from) {
        if (!routed_) search_->find_shortest(prices_, from, trees_[from]);
        for (Host to = 0; to < hosts; ++to) {
            if (from == to) continue;
            double sum = 0;
            if (routed_)
                for (const LinkId link : problem_.routes(from, to)) sum += prices_[link];
            else
                sum = search_->length_to(trees_[from], to);
            price_(from, to) = sum;
        }
    }
}

void PathCosts::add_along(Host from, Host to, double amount, std::vector<double>& links) const {
    const auto add = [&](LinkId link) { links[link] += amount; };
    if (routed_)
        for (const LinkId link : problem_.routes(from, to)) add(link);
    else
        search_->for_each_link(trees_[from], to, add);
}

PathCosts::Cost PathCosts::cost(Host from, Host to, double speed, double price) const {
    const Extremes& path = extremes_(from, to);
    return fair_ ? fair_cost(path, speed, price) : reserved_cost(path, speed, price);
}

PathCosts::Cost PathCosts::reserved_cost(const Extremes& path, double speed, double price) const {
    const double time_left = longest_ * (1 + slack) - path.delay;
    if (!(time_left > 0) || problem_.exchange / time_left > path.width) return {infinity, 0, 0};
    double rate = price > 0 ? std::sqrt(problem_.exchange * speed / price) : infinity;
    rate = std::min(std::max(rate, problem_.exchange / time_left), path.width);
    if (std::isinf(rate)) return {speed * path.delay, 0, path.delay};
    const double time = path.delay + problem_.exchange / rate;
    return {speed * time + rate * price, rate, time};
}

PathCosts::Cost PathCosts::fair_cost(const Extremes& path, double speed, double price) const {
    const double time = path.delay + problem_.exchange / path.width;
    if (!(time <= longest_ * (1 + slack))) return {infinity, 0, 0};
    return {speed * time / 2 + problem_.exchange * price, problem_.exchange, time / 2};
}

}  // namespace espalier::ring
