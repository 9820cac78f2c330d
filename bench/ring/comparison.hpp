#pragma once

#include "common/samples.hpp"
#include "instance.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace espalier::bench {

struct CompareSettings {
    std::vector<double> ratios{0.03, 0.1, 0.3, 1, 3, 10};  ///< H/W
    /// The seconds for `auto` and for the bound: how `espalier ring` divides 5 s.
    double search_seconds = 4.25;
    double bound_seconds = 0.75;
    std::uint64_t seed = 1;  ///< of `auto`
};

/// The results of all planners on one platform at one H/W.
struct Cell {
    std::string instance;
    double ratio = 0;
    std::vector<Outcome> greedy;  ///< parallel to ring::refinements
    double divided = 0;           ///< T of the plain greedy ring with the best bandwidths
    Outcome automatic;
    double bound = 0;
    double bound_without_exchange = 0;

    [[nodiscard]] double plain() const { return greedy.front().step_time; }
    /// By how much a step is shorter than that of the plain greedy ring, relative to the latter.
    [[nodiscard]] double gain(double step_time) const { return 1 - step_time / plain(); }
    [[nodiscard]] std::string where() const;
};

/// A cell for each H/W; says on stderr what it found.
[[nodiscard]] std::vector<Cell> compare(const Instance& instance, const CompareSettings& settings);
/// Compares on platforms of that many hosts, with seeds from 1 on.
[[nodiscard]] std::vector<Cell> compare(std::size_t hosts, std::size_t seeds,
                                        const CompareSettings& settings);

}  // namespace espalier::bench
