#pragma once

#include "ring/capacities.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace espalier::ring {

/// Dual values of a RateProgram, all >= 0.
struct RateDuals {
    std::vector<double> rows;   ///< of each row's bandwidth
    double sum = 0;             ///< of the constraint that all the work is done
    std::vector<double> hosts;  ///< of each host's having to communicate within the step
};

/// The convex program that optimal_rates() solves, in numbers near 1. Each flow's bandwidth x is in
/// units of a first guess, the excess t (how much the step is longer than if messages took no
/// longer than their delays) in units of what the first guess needs. Minimise t subject to
///   t >= sum over flows of weight / x                        (the work is done)
///   t >= sum over the host's flows of time / x - slack       for each host (it communicates)
///   sum over the flows that cross a row of use * x <= 1      for each row.
class RateProgram {
public:
    struct Flow {
        std::size_t host = 0;  ///< its place in the ring
        double weight = 0;
        double time = 0;
    };
    struct Use {
        std::uint32_t at = 0;  ///< a flow's row, or a row's flow
        double use = 0;
    };

    /// `guess`: a bandwidth > 0 for each flow, which respects the rows; at least one flow.
    RateProgram(const Problem& problem, const Embedding& embedding, const Capacities& capacities,
                const std::vector<double>& guess);

    [[nodiscard]] std::size_t rows() const { return first_of_row_.size() - 1; }
    [[nodiscard]] std::size_t hosts() const { return slacks_.size(); }
    [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
    [[nodiscard]] double slack(std::size_t host) const { return slacks_[host]; }
    [[nodiscard]] std::span<const Use> of_flow(std::size_t flow) const {
        return std::span(by_flow_).subspan(first_of_flow_[flow],
                                           first_of_flow_[flow + 1] - first_of_flow_[flow]);
    }
    [[nodiscard]] std::span<const Use> of_row(std::size_t row) const {
        return std::span(by_row_).subspan(first_of_row_[row],
                                          first_of_row_[row + 1] - first_of_row_[row]);
    }

    /// Flows of one host follow each other: the first of `host`'s, and of the next one's.
    [[nodiscard]] std::size_t first_flow(std::size_t host) const { return first_of_host_[host]; }

    /// The step without what messages take for their size, in units of the excess.
    [[nodiscard]] double base() const { return base_; }
    /// What a unit of excess is, in the problem's unit of time.
    [[nodiscard]] double time_unit() const { return time_unit_; }
    [[nodiscard]] double speed() const { return speed_; }

    /// What t each constraint needs: of the work, and of each host.
    [[nodiscard]] double needed(const std::vector<double>& x) const;
    [[nodiscard]] std::vector<double> needed_by_host(const std::vector<double>& x) const;
    [[nodiscard]] double excess(const std::vector<double>& x) const;

    /// Scales each flow as Capacities::fit() does.
    void fit(std::vector<double>& x) const;

    /// No t is less, whatever the duals: they are scaled so that the bound is best.
    [[nodiscard]] double bound(const RateDuals& duals) const;

private:
    std::vector<Flow> flows_;
    std::vector<std::size_t> first_of_host_;
    std::vector<double> slacks_;
    std::vector<Use> by_flow_;
    std::vector<Use> by_row_;
    std::vector<std::size_t> first_of_flow_;
    std::vector<std::size_t> first_of_row_;
    double base_ = 0;
    double time_unit_ = 1;
    double speed_ = 0;
};

/// The max-min fair bandwidths of flows.
[[nodiscard]] std::vector<double> max_min(const Capacities& capacities);

}  // namespace espalier::ring
