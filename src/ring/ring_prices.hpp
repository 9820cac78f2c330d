#pragma once

#include "core/infinity.hpp"
#include "ring/embedding.hpp"
#include "ring/path_pool.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::ring {

/// A ring whose paths are numbers in a PathPool.
struct PooledRing {
    /// The two paths between a host and its successor: there and back.
    struct Joint {
        PathId there = 0;
        PathId back = 0;
    };
    std::vector<Host> order;
    std::vector<Joint> joints;  ///< parallel to `order`; none for a single host

    [[nodiscard]] std::size_t size() const { return order.size(); }
    [[nodiscard]] std::size_t after(std::size_t place) const {
        return place + 1 == order.size() ? 0 : place + 1;
    }
};
[[nodiscard]] PooledRing pooled(PathPool& pool, const Embedding& embedding);
[[nodiscard]] Embedding unpooled(const PathPool& pool, const PooledRing& ring);

/// Prices, in work, of a unit of each link's bandwidth and of each host's time. With any prices, T
/// >= (W + sum over paths of cost - sum over links of price * bandwidth) / sum of speeds, where a
/// path from a host of speed s costs the least, over rates r up to its width, of s * (delay + H /
/// r) + r * (prices of its links): the Lagrangian dual of the program whose optimum is T
/// (allocation.hpp). A speed is 1 / w, or more for a host that communicates all along the step.
struct Prices {
    std::vector<double> links;   ///< >= 0
    std::vector<double> speeds;  ///< by host, >= 1 / w
};

/// Finds good prices and bandwidths of a ring within some per mille of T, fast: each round
/// multiplies every price by the square of its link's use over its bandwidth, which never worsens
/// the dual (it maximises a minorant that is separable by link), and is exact for links that share
/// no path. Rates that are scaled to fit give an upper bound on T at the same time.
class Pricer {
public:
    Pricer(const Problem& problem, const PathPool& pool);

    struct Estimate {
        double at_least = 0;          ///< no bandwidths give this ring a lower T
        double step_time = infinity;  ///< with some bandwidths
    };
    struct Effort {
        int rounds = 30;
        double precision = 1e-3;  ///< ends when step_time is that near to at_least (relative)
    };
    /// Improves `prices`; ends as soon as T is known to be over `enough`. Of links that no path
    /// crosses the prices become 0.
    Estimate price(const PooledRing& ring, Prices& prices, const Effort& effort,
                   double enough = infinity);

    /// The path's cost (above).
    [[nodiscard]] double cost(PathId path, Host from, const Prices& prices) const;
    /// 1 / w for each host, and no price for any link.
    [[nodiscard]] Prices no_prices() const;

    [[nodiscard]] std::uint64_t take_steps() { return std::exchange(steps_, 0); }

private:
    struct Flow {
        const LinkId* first = nullptr;
        const LinkId* last = nullptr;
        double width = 0;
        double rate = 0;
        std::uint32_t sender = 0;  ///< place in the ring
    };
    void list_flows(const PooledRing& ring, Prices& prices);
    [[nodiscard]] double dual(const PooledRing& ring, const Prices& prices);
    [[nodiscard]] double primal(const PooledRing& ring);
    void reprice(const PooledRing& ring, Prices& prices, double step_time) const;

    const Problem& problem_;
    const PathPool& pool_;
    std::vector<Flow> flows_;
    std::vector<LinkId> used_;
    std::vector<double> load_;  ///< by link: use over bandwidth
    std::vector<double> per_bandwidth_;
    std::vector<char> is_used_;
    std::vector<double> delays_;  ///< by place
    std::vector<double> times_;   ///< by place: communication
    std::uint64_t steps_ = 0;
};

}  // namespace espalier::ring
