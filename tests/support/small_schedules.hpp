#pragma once

#include "core/random.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::test {

/// Schedules found by trying out who could tell whom something new, with no planner involved: for
/// any collective but scans, of a few nodes.
///
/// `pieces`: into how many chunks each item is cut (a message, a block).
[[nodiscard]] std::vector<schedule::Chunk> pieces_of(const schedule::Collective& collective,
                                                     std::size_t pieces);

/// Calls `use` for each schedule of at most `most` transfers, in every order, that has no transfer
/// after its collective is done.
void for_every_schedule(const schedule::Collective& collective,
                        const std::vector<schedule::Chunk>& chunks, schedule::Ports ports,
                        std::size_t most,
                        const std::function<void(const schedule::Schedule&)>& use);

/// One of them, of any length, drawn step by step.
[[nodiscard]] schedule::Schedule random_schedule(Random& random,
                                                 const schedule::Collective& collective,
                                                 const std::vector<schedule::Chunk>& chunks,
                                                 schedule::Ports ports);

}  // namespace espalier::test
