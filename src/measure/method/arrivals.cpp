#include "measure/method/arrivals.hpp"

#include <algorithm>

namespace espalier::measure {

double rate(const std::vector<Arrival>& arrivals, double from, double to) {
    if (to <= from) return 0;
    double bytes = 0;
    for (std::size_t k = 0; k < arrivals.size();) {
        const double ended = arrivals[k].time;
        double size = 0;
        const std::size_t first = k;
        for (; k < arrivals.size() && arrivals[k].time == ended; ++k)
            size += static_cast<double>(arrivals[k].bytes);
        if (first == 0) continue;  // nobody knows since when it was coming
        const double began = arrivals[first - 1].time;
        const double inside = std::min(ended, to) - std::max(began, from);
        if (inside > 0) bytes += size * inside / (ended - began);
    }
    return bytes / (to - from);
}

}  // namespace espalier::measure
