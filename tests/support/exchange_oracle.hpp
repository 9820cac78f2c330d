#pragma once

#include "plan/exchange/objective.hpp"
#include "plan/exchange/problem.hpp"

#include <functional>

namespace espalier::testing {

/// The best of all exchanges of whole messages straight to their receivers, by trying every order
/// on the simulator; `better` compares. For a few messages: M! simulations.
[[nodiscard]] plan::exchange::Score best_of_all_orders(
    const plan::exchange::Problem& problem,
    const std::function<bool(const plan::exchange::Score&, const plan::exchange::Score&)>& better);

/// The simulator's timeline of an order, as scored by what each message's arrival says.
[[nodiscard]] plan::exchange::Score simulated_score(const plan::exchange::Problem& problem,
                                                    const plan::exchange::Order& order);

}  // namespace espalier::testing
