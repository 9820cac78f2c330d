#pragma once

#include "core/matrix.hpp"
#include "plan/exchange/planner.hpp"
#include "plan/limits.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// What a total exchange has to bring where, and how it is to be planned.
struct ExchangeRequest {
    /// The row sends to the column; the diagonal stays where it is, whatever it says.
    std::shared_ptr<const Matrix<Bytes>> sizes;
    /// A name of the exchange family, or `auto`: of those that are tried the best by
    /// exchange::Score, as simulated.
    std::string algorithm = "auto";
    std::size_t ports = 1;
    schedule::Reception reception;
    Limits limits;
    /// An earlier schedule, to be adapted by exchange::refine() in place of planning anew.
    std::shared_ptr<const schedule::Schedule> refined;
    std::optional<std::size_t> critical;  ///< see exchange::Problem
    /// By when each message is due, in seconds, and what missing it costs; empty: no deadline, 1.
    Matrix<std::optional<Seconds>> deadlines;
    Matrix<double> priorities;
    bool relays = false;  ///< see exchange::Problem

    /// Blocks of one size.
    [[nodiscard]] static std::shared_ptr<const Matrix<Bytes>> uniform(std::size_t nodes,
                                                                      Bytes bytes);
};

/// In plain numbers. Throws InputError naming the pair where a cost is needed and not known.
[[nodiscard]] exchange::Problem make_exchange_problem(const simulate::Fabric& fabric,
                                                      const ExchangeRequest& request);

/// The schedule that was found: a chunk for each message, in the problem's order.
[[nodiscard]] schedule::Schedule make_exchange_schedule(const exchange::Problem& problem,
                                                        const exchange::Found& found,
                                                        const ExchangeRequest& request,
                                                        std::vector<std::string> names);

/// Plans and simulates a total exchange between the nodes of `fabric` (bhat-1998, section 4).
/// Throws InputError for an unknown algorithm, for sizes of another order than the fabric's, and
/// as make_exchange_problem() does.
[[nodiscard]] schedule::Plan plan_exchange(const simulate::Fabric& fabric,
                                           std::vector<std::string> names,
                                           const ExchangeRequest& request);

}  // namespace espalier::plan
