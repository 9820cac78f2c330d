#pragma once

#include "core/expectations.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace espalier::bench {

/// Of the latencies of ordered pairs that were not measured at `now` that which is worth most (a
/// pair is from * nodes + to): by how much earlier than `arrivals`, those of the plan for what is
/// expected, a message over the pair would reach its receiver, on average over what the latency may
/// be; of equal ones that which was measured longest ago. `sending`: a message's time but its
/// latency. nullopt: all were measured.
[[nodiscard]] std::optional<std::size_t> worth_most(const Expectations& known,
                                                    std::span<const Seconds> arrivals, Seconds now,
                                                    Seconds sending);

/// The same pairs, those measured longest ago first.
[[nodiscard]] std::vector<std::size_t> by_age(const Expectations& known, std::size_t nodes,
                                              Seconds now);

}  // namespace espalier::bench
