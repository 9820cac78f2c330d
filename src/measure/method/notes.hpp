#pragma once

#include "measure/method/hosts.hpp"
#include "measure/method/sampling.hpp"
#include "measure/method/sharing_plan.hpp"
#include "measure/method/survey_record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// What a measurement of some hosts knows of its samples when its time is over, so that another one
/// can go on: all but what follows from these.
struct Notes {
    std::vector<std::string> hosts;                  ///< in the order in which they have numbers
    LatencyMatrix latencies;                         ///< between hosts, seconds one way
    std::vector<std::vector<std::size_t>> clusters;  ///< of hosts
    std::vector<SurveyRecord> surveys;
    std::optional<std::uint64_t> eager;
    double message_time = 0;  ///< seconds, of processors that all hosts share
    bool noisy = false;       ///< the clock
    std::vector<PlayedRound> rounds;
    double taken = 0;       ///< seconds, of all measurements so far
    std::size_t times = 0;  ///< how many there were
};

/// As bytes, for a file that the same program reads on the same kind of machine.
[[nodiscard]] std::string pack(const Notes& notes);
/// The notes, if they are whole and of these hosts, in this order.
[[nodiscard]] std::optional<Notes> unpack_notes(const std::string& bytes,
                                                const std::vector<std::string>& hosts);

}  // namespace espalier::measure
