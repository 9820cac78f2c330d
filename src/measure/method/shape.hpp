#pragma once

#include "measure/method/fit.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::measure {

/// The costs of another link of the same job, known in great detail. How costs bend with message
/// size is much the same on all links of one MPI library; how high they are is not. So a link is
/// measured at few sizes, and between these the ratios of its costs to those of the other link are
/// interpolated, not the costs.
class Shape {
public:
    Shape() = default;
    explicit Shape(std::vector<CostPoint> points) : points_(std::move(points)) {}

    [[nodiscard]] bool known() const { return points_.size() > 1; }
    [[nodiscard]] const std::vector<CostPoint>& points() const { return points_; }
    /// The other link's costs, linear between its sizes and extended by its last ones.
    [[nodiscard]] CostPoint at(std::uint64_t bytes) const;
    /// The costs of a link at a size of which nothing is known but `measured`, which is sorted and
    /// not empty.
    [[nodiscard]] CostPoint scaled(std::uint64_t bytes,
                                   const std::vector<CostPoint>& measured) const;

    /// Whether the ratios to this shape are the same at all sizes measured, to a `tolerance`.
    [[nodiscard]] bool holds(const std::vector<CostPoint>& measured, double tolerance) const;

    /// `measured` and, at sizes of this shape where nothing was measured, what it suggests; nothing
    /// is added between sizes whose ratios differ too much for that.
    [[nodiscard]] std::vector<CostPoint> completed(std::vector<CostPoint> measured) const;

private:
    std::vector<CostPoint> points_;
};

}  // namespace espalier::measure
