#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace espalier::report {

/// How thick and strong a line is: by the logarithm of its rate.
class Strokes {
public:
    explicit Strokes(const std::vector<double>& rates) {
        for (const double rate : rates) {
            if (!(rate > 0)) continue;
            least = std::min(least, rate);
            greatest = std::max(greatest, rate);
        }
    }
    [[nodiscard]] double part(double rate) const {
        if (!(greatest > least)) return 0.5;
        return std::log(std::max(rate, least) / least) / std::log(greatest / least);
    }
    [[nodiscard]] double width(double rate) const { return 1.5 + 7 * part(rate); }
    [[nodiscard]] double opacity(double rate) const { return 0.4 + 0.4 * part(rate); }

    double least = infinity;
    double greatest = 0;
};

}  // namespace espalier::report
