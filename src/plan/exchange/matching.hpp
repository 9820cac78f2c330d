#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// A series of P complete matchings between senders and receivers, each of the greatest weight
/// that the edges of those before it leave (bhat-1998, 4.3): messages of like durations are
/// grouped. Weights are durations, 0 on the diagonal and where there is no message, rounded to
/// whole multiples of the longest by P / 2^59. No step waits for the one before it: a message
/// starts as soon as both its ends are ready. O(P^4) at worst; at most P/2 times the bound.
[[nodiscard]] Found matching_max(const Problem& problem, Meter& meter);
/// The same with matchings of the least weight.
[[nodiscard]] Found matching_min(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
