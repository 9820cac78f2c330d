#pragma once

#include "ring/embedding.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::ring {

/// Dual values of a RateProgram, all >= 0.
struct RateDuals {
    std::vector<double> rows;   ///< of each row's bandwidth
    double sum = 0;             ///< of the constraint that all the work is done
    std::vector<double> hosts;  ///< of each host's having to communicate within the step
};

/// The convex program of bandwidths: each path that crosses anything is a flow with a bandwidth x,
/// and the excess t is how much the step is longer than if messages took no longer than their
/// delays. Minimise t subject to
///   t >= sum over flows of weight / x                        (the work is done)
///   t >= sum over the host's flows of time / x - slack       for each host (it communicates)
///   sum over the flows that cross a row of use * x <= 1      for each row.
/// A row is a shared link, or a backbone for one flow alone. Rows that others imply are left out.
class RateProgram {
public:
    /// A message that is sent along a path.
    struct Message {
        const Path* path = nullptr;
        std::size_t host = 0;  ///< its sender, as slacks are numbered
        double weight = 0;     ///< > 0
        double time = 0;
    };
    struct Flow {
        std::size_t message = 0;
        std::size_t host = 0;
        double weight = 0;
        double time = 0;
    };
    struct Use {
        std::uint32_t at = 0;  ///< a flow's row, or a row's flow
        double use = 0;        ///< how often the flow crosses the row over the row's bandwidth
    };
    struct Row {
        LinkId link = 0;
        double bandwidth = 0;
    };

    /// `bandwidths` > 0: what each link, or each path on a backbone, has for all of them.
    RateProgram(const Platform& platform, std::span<const double> bandwidths,
                std::span<const Message> messages, std::vector<double> slacks, double base = 0);
    /// The program of a ring; it has two messages for the host at each place, that to its successor
    /// first.
    [[nodiscard]] static RateProgram of_ring(const Problem& problem, const Embedding& embedding);

    /// Sets the units: from now on each x is in units of these bandwidths, which are > 0 and
    /// respect the rows, and the excess in units of what they need, so that all numbers are near 1.
    void set_units(const std::vector<double>& x);
    /// The time that is a unit of excess, in the problem's unit of time.
    [[nodiscard]] double time_unit() const { return time_unit_; }

    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] std::size_t hosts() const { return slacks_.size(); }
    [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
    [[nodiscard]] const std::vector<Use>& of_flow(std::size_t flow) const { return by_flow_[flow]; }
    [[nodiscard]] const std::vector<Use>& of_row(std::size_t row) const { return by_row_[row]; }
    /// The step without what messages take for their size.
    [[nodiscard]] double base() const { return base_; }

    /// The t that the constraints need: that of the work, and that of each host.
    [[nodiscard]] double needed(const std::vector<double>& x) const;
    [[nodiscard]] std::vector<double> needed_by_host(const std::vector<double>& x) const;
    [[nodiscard]] double excess(const std::vector<double>& x) const;

    /// Max-min fair bandwidths of the flows.
    [[nodiscard]] std::vector<double> max_min() const;
    /// Scales each flow up or down to what its most crowded row lets it have if all that cross the
    /// row scale alike: the result respects every row.
    void fit(std::vector<double>& x) const;

    /// A lower bound on t for any duals, which are scaled so that the bound is best.
    [[nodiscard]] double bound(const RateDuals& duals) const;

    /// The bandwidths of all messages, those of empty paths infinite; as a ring's.
    [[nodiscard]] std::vector<double> bandwidths(const std::vector<double>& x) const;
    [[nodiscard]] Rates rates(const std::vector<double>& x) const;
    /// The flows' bandwidths among a ring's.
    [[nodiscard]] std::vector<double> of_flows(const Rates& rates) const;

private:
    void drop_implied_rows();

    std::size_t messages_;
    std::vector<Flow> flows_;
    std::vector<Row> rows_;
    std::vector<std::vector<Use>> by_flow_;
    std::vector<std::vector<Use>> by_row_;
    std::vector<double> units_;  ///< of each flow's x
    std::vector<double> slacks_;
    double base_ = 0;
    double time_unit_ = 1;
};

/// The best point of a program in units of a first guess, and the duals of the best bound.
struct RateOptimum {
    std::vector<double> x;
    RateDuals duals;
};
/// Solves the program by a primal-dual interior-point method with Mehrotra's predictor and
/// corrector, until the excess is proven to be within a tolerance of the least: `of_step` relative
/// to the whole step, and `of_excess` relative to the excess.
[[nodiscard]] RateOptimum solve(const RateProgram& program, double of_step, double of_excess);

}  // namespace espalier::ring
