#pragma once

#include "ring/platform.hpp"

#include <array>
#include <span>
#include <vector>

namespace espalier::ring {

/// A number for each of four paths.
using FourRates = std::array<double, 4>;

/// Divides what is left of the links among the four paths that a host brings into a ring, when some
/// of them share links (legrand-2003, 4.2): the bandwidths r that minimise Equation 4, which is the
/// sum of weight / r over the paths. A convex program with at most one condition for each way of
/// choosing some of the four paths; bandwidths that each link would divide equally cost at least
/// as much.
class FourPaths {
public:
    explicit FourPaths(const Platform& platform)
        : platform_(platform), crossed_by_(platform.links(), 0) {}

    /// `left` (indexed by link) >= 0 is what each link has for the four together; a backbone gives
    /// each that much. `weights` > 0: 1 / cycle time of each path's sender. All bandwidths are 0
    /// where some path's would be; that of an empty path is infinite.
    [[nodiscard]] FourRates divide(std::span<const double> left,
                                   const std::array<const Path*, 4>& paths,
                                   const FourRates& weights);

private:
    /// Sum of times[p] * r[p] <= capacity.
    struct Condition {
        std::uint32_t key = 0;  ///< the four times, a byte each
        double capacity = 0;

        [[nodiscard]] std::uint32_t times(std::size_t path) const { return key >> 8 * path & 255U; }
    };

    void collect(std::span<const double> left, const std::array<const Path*, 4>& paths);
    void require(std::uint32_t key, double capacity);
    /// Leaves out what others imply.
    void keep_essential(const FourRates& widths);
    [[nodiscard]] bool is_implied(std::size_t condition, const FourRates& widths) const;
    void fill_up(FourRates& rates, const FourRates& widths) const;

    const Platform& platform_;
    std::vector<std::uint32_t> crossed_by_;  ///< a key for each link; 0 between two calls
    std::vector<LinkId> crossed_;
    std::vector<Condition> conditions_;
    std::vector<FourRates> rows_;  ///< the conditions, as least_weighted_inverses() takes them
    std::vector<double> capacities_;
};

/// Minimises the sum of weights[p] / r[p] where r[p] <= widths[p] and, for each row, the sum of
/// rows[c][p] * r[p] <= capacities[c]. All are > 0 except for entries of rows, and finite except
/// for the widths of paths that are in no row.
[[nodiscard]] FourRates least_weighted_inverses(const FourRates& weights, const FourRates& widths,
                                                std::span<const FourRates> rows,
                                                std::span<const double> capacities);

}  // namespace espalier::ring
