#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace espalier::simulate {

/// When a sender's earlier messages are in flight, for schedules whose messages keep clear of each
/// other in flight (Schedule::spaced).
class Flights {
public:
    /// The earliest start, not before `start`, at which [start + latency, start + latency + gap] is
    /// clear.
    [[nodiscard]] double clear_start(double start, double latency, double gap) const {
        for (bool moved = true; moved;) {
            moved = false;
            for (const auto& [begin, end] : flights_) {
                if (start + latency >= end || start + latency + gap <= begin) continue;
                // Rounding must not leave it in place for ever.
                const double later = std::max(end - latency, std::nextafter(start, start + 1));
                moved = moved || later > start;
                start = later;
            }
        }
        return start;
    }
    void add(double begin, double end) { flights_.emplace_back(begin, end); }

private:
    std::vector<std::pair<double, double>> flights_;
};

}  // namespace espalier::simulate
