#pragma once

#include "core/random.hpp"
#include "memory_source.hpp"

#include <fmt/format.h>

namespace espalier::directory {

/// Few nodes, sizes and times, so that all kinds of coincidence happen.
inline std::vector<Measurement> random_measurements(Random& random, std::size_t count) {
    const auto node = [&] { return fmt::format("n{}", random.below(4)); };
    std::vector<Measurement> measurements;
    for (std::size_t m = 0; m < count; ++m) {
        Measurement measurement;
        measurement.at = second(static_cast<double>(random.below(40)));
        measurement.by = fmt::format("m{}", random.below(2));
        measurement.pair = {node(), node()};
        measurement.quantity = static_cast<Quantity>(random.below(3));
        measurement.value = random.uniform(1, 10);
        if (measurement.quantity == Quantity::gap || random.below(2) == 0)
            measurement.size = Bytes(1U << random.below(3));
        for (auto others = random.below(4); others > 1; --others)
            measurement.meanwhile.push_back({node(), node()});
        std::sort(measurement.meanwhile.begin(), measurement.meanwhile.end());
        measurements.push_back(std::move(measurement));
    }
    return measurements;
}

}  // namespace espalier::directory
