#include "network/spread.hpp"

#include "core/random.hpp"
#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::network {

namespace {

/// By scenario.
using Factors = std::array<double, scenario_count>;

/// The standard deviation of a cost's logarithm.
double deviation_of(std::optional<double> stated, double uncertainty) {
    return std::log1p(std::min(stated.value_or(uncertainty), most_spread));
}

class Draws {
public:
    Draws(double uncertainty, std::uint64_t seed) : uncertainty_(uncertainty), random_(seed) {
        for (std::size_t i = 0; i < pairs; ++i)
            upper_[i] = normal_quantile((static_cast<double>(pairs + i) + 0.5) / scenario_count);
    }

    Factors draw(std::optional<double> spread) {
        std::array<std::size_t, pairs> order{};
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = pairs; i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
        const double deviation = deviation_of(spread, uncertainty_);
        Factors factors{};
        for (std::size_t i = 0; i < pairs; ++i) {
            const double deviations = random_.below(2) == 0 ? upper_[order[i]] : -upper_[order[i]];
            factors[2 * i] = std::exp(deviation * deviations);
            factors[2 * i + 1] = std::exp(-deviation * deviations);
        }
        return factors;
    }

private:
    static constexpr std::size_t pairs = scenario_count / 2;

    double uncertainty_;
    std::array<double, pairs> upper_{};  ///< deviations in the upper half of the distribution
    Random random_;
};

CostTable scaled(const CostTable& table, double factor) {
    std::vector<CostTable::Entry> entries(table.entries().begin(), table.entries().end());
    for (auto& entry : entries) entry.time = entry.time * factor;
    return CostTable(std::move(entries));
}

PLogP scaled(const PLogP& link, double factor) {
    return {scaled(link.latency, factor), scaled(link.gap, factor), link.spread};
}

/// By a factor that follows from the standard deviation of each cost's logarithm.
template <typename Factor>
GridNetwork scaled(GridNetwork grid, double uncertainty, Factor factor) {
    const auto scale = [&](PLogP& link) {
        link = scaled(link, factor(deviation_of(link.spread, uncertainty)));
    };
    for (std::size_t i = 0; i < grid.size(); ++i)
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (grid.links(i, j)) scale(*grid.links(i, j));
    for (Cluster& cluster : grid.clusters) {
        if (auto* local = std::get_if<Cluster::Local>(&cluster.inside)) scale(local->link);
        if (cluster.within_node) scale(*cluster.within_node);
        if (const GridNetwork* inner = cluster.grid())
            cluster.inside =
                std::make_shared<const GridNetwork>(scaled(*inner, uncertainty, factor));
    }
    for (SharedCapacity& shared : grid.shared)
        shared.capacity = BytesPerSecond(shared.capacity.value /
                                         factor(deviation_of(shared.spread, uncertainty)));
    return grid;
}

}  // namespace

std::vector<Scenario> draw_scenarios(const GridView& view, std::uint64_t seed) {
    const std::size_t leaves = view.leaves().size();
    std::vector<Scenario> drawn(scenario_count,
                                {Matrix<double>(leaves, leaves, 1), std::vector<double>(leaves, 1),
                                 std::vector<double>(view.shared().size(), 1)});
    Draws draws(view.grid().uncertainty, seed);
    std::map<const PLogP*, Factors> of_links;
    const auto factors_of = [&](const PLogP& link) -> const Factors& {
        const auto found = of_links.find(&link);
        if (found != of_links.end()) return found->second;
        return of_links.emplace(&link, draws.draw(link.spread)).first->second;
    };
    for (std::size_t i = 0; i < leaves; ++i) {
        for (std::size_t j = 0; j < leaves; ++j)
            if (const PLogP* link = view.link(i, j)) {
                const Factors& factors = factors_of(*link);
                for (std::size_t s = 0; s < scenario_count; ++s) drawn[s].links(i, j) = factors[s];
            }
        if (const auto& link = view.leaves()[i].cluster->within_node) {
            const Factors& factors = factors_of(*link);
            for (std::size_t s = 0; s < scenario_count; ++s) drawn[s].within_node[i] = factors[s];
        }
    }
    for (std::size_t c = 0; c < view.shared().size(); ++c) {
        const Factors factors = draws.draw(view.shared()[c].spread);
        for (std::size_t s = 0; s < scenario_count; ++s) drawn[s].shared[c] = factors[s];
    }
    return drawn;
}

GridNetwork at_percentile(const GridNetwork& grid, double percentile) {
    return scaled(grid, grid.uncertainty,
                  [deviations = normal_quantile(percentile / 100)](double deviation) {
                      return std::exp(deviation * deviations);
                  });
}

GridNetwork at_mean(const GridNetwork& grid) {
    return scaled(grid, grid.uncertainty,
                  [](double deviation) { return std::exp(deviation * deviation / 2); });
}

}  // namespace espalier::network
