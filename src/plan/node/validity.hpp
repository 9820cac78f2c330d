#pragma once

#include "plan/node/sequence.hpp"

#include <optional>

namespace espalier::plan::node {

/// Whether a reduction in which classes start at these times, in any order, can be performed
/// whoever receives: at every moment those that send, as many receivers, and those that have sent
/// are no more than there are (liu-2000, inequality 1: 2 A + C <= n; docs/sender.md for several
/// ports). That is necessary, and sufficient too: receivers can then be found for all.
/// Hands out the wave with which they are too many; nullopt: it is valid. `time` is the sending
/// time of each class.
[[nodiscard]] std::optional<std::size_t> find_crowded_wave(const Problem& problem,
                                                           const Course<double>& course,
                                                           std::span<const double> time);

}  // namespace espalier::plan::node
