#pragma once

#include "measure/method/findings.hpp"
#include "measure/method/sharing_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// What a measurement of some hosts knows of its samples when its time is over, so that another one
/// can go on: all but what follows from these.
struct Notes {
    /// Clusters, latencies, surveys, the eager threshold, message times, whether it is noisy, and
    /// what all measurements so far have taken.
    Findings found;
    std::vector<PlayedRound> rounds;
    std::size_t times = 0;  ///< how many there were
};

/// What is noted of these, as bytes, for a file that the same program reads on the same kind of
/// machine.
[[nodiscard]] std::string pack_notes(const Findings& found, const std::vector<PlayedRound>& rounds,
                                     std::size_t times);
/// The notes, if they are whole and of these hosts, in this order.
[[nodiscard]] std::optional<Notes> unpack_notes(const std::string& bytes,
                                                const std::vector<std::string>& hosts);

}  // namespace espalier::measure
