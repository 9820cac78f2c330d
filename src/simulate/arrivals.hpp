#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace espalier::simulate {

/// The spans in which a port takes in the beginnings of messages, one at a time.
class Arrivals {
public:
    /// The earliest start, not before `start`, at which [start + latency, start + latency + gap] is
    /// clear.
    [[nodiscard]] double clear_start(double start, double latency, double gap) const {
        for (bool moved = true; moved;) {
            moved = false;
            for (const auto& [begin, end] : spans_) {
                if (start + latency >= end || start + latency + gap <= begin) continue;
                // Rounding must not leave it in place for ever.
                const double later = std::max(end - latency, std::nextafter(start, start + 1));
                moved = moved || later > start;
                start = later;
            }
        }
        return start;
    }
    void add(double begin, double end) { spans_.emplace_back(begin, end); }

private:
    std::vector<std::pair<double, double>> spans_;
};

}  // namespace espalier::simulate
