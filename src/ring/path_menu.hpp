#pragma once

#include "core/matrix.hpp"
#include "ring/routes.hpp"
#include "ring/sharing_bound.hpp"

#include <vector>

namespace espalier::ring {

/// The paths that `optimal` may choose for each ordered pair of hosts, and what is sure of them.
class PathMenu {
public:
    /// Throws InputError where all simple paths are asked for and there are more than `most`.
    PathMenu(const Problem& problem, PathChoice choice, std::size_t most = 20000);

    struct Item {
        Path path;
        PathOutline outline;
    };
    /// The one that is fastest alone first. No other one is at least as good in all respects.
    [[nodiscard]] const std::vector<Item>& between(Host from, Host to) const {
        return items_(from, to);
    }
    /// What is sure of whichever path is chosen.
    [[nodiscard]] const PathOutline& any(Host from, Host to) const { return any_(from, to); }
    /// What a message takes alone on the fastest of them.
    [[nodiscard]] double least_time(Host from, Host to) const { return least_times_(from, to); }

private:
    Matrix<std::vector<Item>> items_;
    Matrix<PathOutline> any_;
    Matrix<double> least_times_;
};

/// How many rings so many hosts make: cyclic orders of all subsets, a ring and its mirror being
/// one.
[[nodiscard]] double count_rings(std::size_t hosts);

}  // namespace espalier::ring
