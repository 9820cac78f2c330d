#pragma once

#include "core/matrix.hpp"
#include "ring/path_search.hpp"
#include "ring/problem.hpp"
#include "schedule/ring.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace espalier::ring {

/// The least that a message from one host to another can cost, where a unit of its sender's time is
/// worth the sender's speed and links' bandwidths have prices. The step is at most `longest`.
///
/// reserved: whatever path it takes, the least over rates r of speed * (delay + H / r) + r * price,
/// where the price is that of the cheapest path, and r is at most the widest path's width and lets
/// the message arrive within the step.
///
/// fair: along the problem's route, speed * (delay + H / width) / 2 + H * price: a price is for
/// what a link carries, and as the sender's other message is on its way at the same time, this one
/// counts half.
class PathCosts {
public:
    struct Extremes {
        double delay = 0;  ///< least of any path
        double width = 0;  ///< greatest of any path
    };
    struct Cost {
        double cost = 0;       ///< infinite where no message can arrive in the step
        double per_price = 0;  ///< derivative by the price: the rate, or the volume
        double time = 0;       ///< derivative by the speed
    };

    PathCosts(const Problem& problem, schedule::RingSharing sharing);

    [[nodiscard]] const Extremes& extremes(Host from, Host to) const { return extremes_(from, to); }
    /// The weight with which a link's price counts its bandwidth, in a step of that time.
    [[nodiscard]] double per_bandwidth(double step_time) const { return fair_ ? step_time : 1; }
    void set_longest(double step_time) { longest_ = step_time; }
    [[nodiscard]] Cost cost(Host from, Host to, double speed, double price) const;

    /// Looks for the cheapest path from each host to each; a link that is not shared is free.
    void find_prices(std::span<const double> prices);
    [[nodiscard]] double price(Host from, Host to) const { return price_(from, to); }
    /// Adds `amount` to each link of the cheapest path found.
    void add_along(Host from, Host to, double amount, std::vector<double>& links) const;

    [[nodiscard]] std::uint64_t steps_of_prices() const { return steps_; }

private:
    void find_extremes();
    [[nodiscard]] Cost reserved_cost(const Extremes& path, double speed, double price) const;
    [[nodiscard]] Cost fair_cost(const Extremes& path, double speed, double price) const;

    const Problem& problem_;
    const Platform& platform_;
    bool fair_;
    bool routed_;  ///< each message has its route
    double longest_;
    Matrix<Extremes> extremes_;
    Matrix<double> price_;
    std::vector<double> prices_;  ///< by link; 0 where it is not shared
    std::optional<PathSearch> search_;
    std::vector<PathSearch::Tree> trees_;  ///< of each host: the cheapest paths from it
    std::uint64_t steps_ = 0;
};

}  // namespace espalier::ring
