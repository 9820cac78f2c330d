#pragma once

#include "measure/method/probe.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace espalier::measure {

/// A probe and what to expect of it; seconds.
struct Expectation {
    std::uint64_t bytes = 1;
    std::uint64_t count = 1;
    double latency = 0;  ///< before its messages use the link
    double length = 0;   ///< for which they use it
    double answer = 0;   ///< until the answer is back
};

/// Orders probes by size and spaces them so that, as far as expected, no two use the link at the
/// same time. nullopt if that takes so long that an answer might be back before all are sent: it
/// would not be noticed in time.
[[nodiscard]] std::optional<std::vector<Probe>> schedule(std::vector<Expectation> probes);

/// The sizes whose messages did use the link at the same time as others, going by when they arrived
/// and by the gaps measured; increasing. `one_way` is the way of an answer.
[[nodiscard]] std::vector<std::uint64_t> sizes_that_met(std::span<const Probe> volley,
                                                        std::span<const ProbeLink::Answer> answers,
                                                        const std::map<std::uint64_t, double>& gaps,
                                                        double one_way);

}  // namespace espalier::measure
