#pragma once

#include <cstdint>
#include <vector>

namespace espalier::measure {

/// A message of a stream that has come.
struct Arrival {
    double time = 0;  ///< seconds
    std::uint64_t bytes = 0;
};

/// The bytes per second between two times. Messages that arrive at one time are taken to have
/// arrived evenly since the ones before. `arrivals` in order of time.
[[nodiscard]] double rate(const std::vector<Arrival>& arrivals, double from, double to);

}  // namespace espalier::measure
