#pragma once

#include "directory/source.hpp"
#include "directory/time.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace espalier::directory {

/// The smallest source there can be: measurements in memory.
class MemorySource final : public Source {
public:
    explicit MemorySource(std::vector<Measurement> measurements)
        : measurements_(std::move(measurements)) {
        std::stable_sort(measurements_.begin(), measurements_.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
    }

    [[nodiscard]] std::vector<Measurement> read(const Period& period) const override {
        std::vector<Measurement> found;
        for (const Measurement& measurement : measurements_)
            if (period.begin <= measurement.at && measurement.at <= period.end)
                found.push_back(measurement);
        return found;
    }

private:
    std::vector<Measurement> measurements_;
};

/// So many seconds after the beginning of an arbitrary day.
inline Time second(double seconds) {
    return parse_date("2026-11-21", "test") +
           std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

struct Latency {
    double value;
};
struct Bandwidth {
    double value;
};
struct Gap {
    double value;
    std::uint64_t bytes;
};

inline Measurement measured(double at, Pair pair, Latency latency, std::vector<Pair> others = {}) {
    return {second(at),    "test", std::move(pair),  Quantity::latency,
            latency.value, {},     std::move(others)};
}
inline Measurement measured(double at, Pair pair, Bandwidth rate, std::vector<Pair> others = {}) {
    return {second(at), "test", std::move(pair),  Quantity::bandwidth,
            rate.value, {},     std::move(others)};
}
inline Measurement measured(double at, Pair pair, Gap gap, std::vector<Pair> others = {}) {
    return {second(at), "test",           std::move(pair),  Quantity::gap,
            gap.value,  Bytes(gap.bytes), std::move(others)};
}

}  // namespace espalier::directory
