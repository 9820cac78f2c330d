#pragma once

#include "demands/objective.hpp"
#include "demands/problem.hpp"

#include <functional>

namespace espalier::test {

/// The best of all exchanges of whole messages straight to their receivers, by trying every order
/// on the simulator; `better` compares. For a few messages: M! simulations.
[[nodiscard]] demands::Score best_of_all_orders(
    const demands::Problem& problem,
    const std::function<bool(const demands::Score&, const demands::Score&)>& better);

/// The simulator's timeline of an order, as scored by what each message's arrival says.
[[nodiscard]] demands::Score simulated_score(const demands::Problem& problem,
                                             const demands::Order& order);

}  // namespace espalier::test
