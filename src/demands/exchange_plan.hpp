#pragma once

#include "core/matrix.hpp"
#include "demands/problem.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::demands {

/// A total exchange, what is demanded of it, and how it is to be planned.
struct ExchangeRequest {
    schedule::Collective collective;
    /// A name that planners() knows, or `auto`: of those that are tried the best by Score, as
    /// simulated.
    std::string algorithm = "auto";
    std::size_t ports = 1;
    Limits limits;
    schedule::Reception reception;
    /// An earlier schedule, to be adapted by refine() in place of planning anew.
    std::shared_ptr<const schedule::Schedule> refined;
    std::optional<std::size_t> critical;  ///< see Problem
    Matrix<Due> dues;                     ///< of each pair; empty: there are no deadlines
    bool relays = false;                  ///< see Problem
};

/// The problem that a request poses, in plain numbers. Throws InputError naming the pair where a
/// cost is needed and not known.
[[nodiscard]] Problem make_exchange_problem(const simulate::Fabric& fabric,
                                            const ExchangeRequest& request);

/// Plans and simulates a total exchange between the nodes of `fabric` (bhat-1998, sections 4 and
/// 6). Throws InputError for an unknown algorithm, for sizes of another order than the fabric's,
/// and as make_exchange_problem() does.
[[nodiscard]] schedule::Plan plan_exchange(const simulate::Fabric& fabric,
                                           std::vector<std::string> names,
                                           const ExchangeRequest& request);

}  // namespace espalier::demands
