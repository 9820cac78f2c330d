#pragma once

#include "core/meter.hpp"
#include "sender/sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace espalier::sender {

/// Improves a sequence of few nodes by exchanging two of them or moving one, as long as that makes
/// it no worse; kicked from time to time. `time` is that of each class. The same seed does the
/// same.
[[nodiscard]] Sequence exchange_orders(const Problem& problem, std::span<const Ticks> time,
                                       const Sequence& start, std::size_t rounds,
                                       std::uint64_t seed, const Meter& meter);

}  // namespace espalier::sender
