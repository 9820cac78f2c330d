#pragma once

#include "plan/grid/problem.hpp"
#include "plan/grow.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace espalier::plan::grid {

/// Look-ahead functions F_j: what it is worth that j of the waiting clusters B gets the message
/// (steffenel-2006, sections 5.4 to 5.6). All are in seconds, and 0 for the last receiver. Each
/// keeps its values up to date as clusters move from B to A: `moved(j, waiting)`, B without j. A
/// value may be too small until somebody settles it.

/// Looks at nothing but the arrival.
struct NoLookAhead {
    [[nodiscard]] double operator()(std::size_t) const { return 0; }
    void settle(std::size_t, std::span<const std::size_t>) {}
    void moved(std::size_t, std::span<const std::size_t>) {}
};

/// The least or the greatest, over the others k in B, of g(j, k) + L(j, k), or of that + T_k.
///
/// Remembers the few k that were the most extreme ones, and reads the costs of j again when all of
/// those are gone. A least value only grows, so it is looked after when somebody settles it; a
/// greatest one always is.
class ExtremeLookAhead {
public:
    enum class Extreme { least, greatest };
    enum class Counting { transfer, transfer_and_inner };

    ExtremeLookAhead(const Problem& problem, Extreme extreme, Counting counting);

    [[nodiscard]] double operator()(std::size_t j) const { return value_[j]; }
    void settle(std::size_t j, std::span<const std::size_t> waiting);
    void moved(std::size_t gone, std::span<const std::size_t> waiting);

private:
    /// Of greatest values all signs are turned.
    struct Few {
        std::array<double, remembered> value;
        std::array<std::size_t, remembered> at;
        std::size_t count = 0;
        std::size_t first = 0;  ///< those before it are gone
    };

    void look(std::size_t j, std::span<const std::size_t> waiting);

    const Problem* problem_;
    double sign_;
    std::vector<double> inner_;  ///< T_k where it counts, else 0
    std::vector<char> waits_;
    std::vector<double> value_;
    std::vector<Few> few_;
};

/// The average of g(j, k) + L(j, k) over the others k in B.
class AverageToWaiting {
public:
    explicit AverageToWaiting(const Problem& problem);

    [[nodiscard]] double operator()(std::size_t j) const {
        return others_ == 0 ? 0 : sum_[j] / static_cast<double>(others_);
    }
    void settle(std::size_t, std::span<const std::size_t>) {}
    void moved(std::size_t gone, std::span<const std::size_t> waiting);

private:
    const Problem* problem_;
    std::vector<double> sum_;
    std::size_t others_;  ///< how many k there are for each j
};

/// The average of g(i, k) + L(i, k) over i in A and j, and k in B without j: how well A would reach
/// what is left of B if j were moved.
class AverageAcross {
public:
    explicit AverageAcross(const Problem& problem);

    [[nodiscard]] double operator()(std::size_t j) const {
        if (others_ == 0) return 0;
        return (across_ - into_[j] + out_of_[j]) / static_cast<double>((holding_ + 1) * others_);
    }
    void settle(std::size_t, std::span<const std::size_t>) {}
    void moved(std::size_t gone, std::span<const std::size_t> waiting);

private:
    const Problem* problem_;
    double across_ = 0;           ///< sum over A x B
    std::vector<double> into_;    ///< sum from A to j
    std::vector<double> out_of_;  ///< sum from j to the others in B
    std::size_t holding_ = 1;
    std::size_t others_;
};

}  // namespace espalier::plan::grid
