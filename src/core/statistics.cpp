#include "measure/method/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace espalier::measure {

double median(std::span<const double> samples) {
    assert(!samples.empty());
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double lower_quartile(std::span<const double> samples) {
    assert(!samples.empty());
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted[(sorted.size() - 1) / 4];
}

double minimum(std::span<const double> samples) {
    assert(!samples.empty());
    return *std::min_element(samples.begin(), samples.end());
}

double deviation(std::span<const double> samples) {
    const double middle = median(samples);
    std::vector<double> distances;
    for (const double sample : samples) distances.push_back(std::abs(sample - middle));
    return median(distances);
}

std::vector<double> without_noisy_falls(std::span<const double> values,
                                        std::span<const double> noise) {
    assert(values.size() == noise.size());
    struct Pool {
        double mean;
        double noise;
        std::size_t count;
    };
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < values.size(); ++i) {
        pools.push_back({values[i], noise[i], 1});
        while (pools.size() > 1) {
            const Pool last = pools.back();
            Pool& previous = pools[pools.size() - 2];
            const double fall = previous.mean - last.mean;
            if (fall <= 0 || fall > previous.noise + last.noise) break;
            const auto weight = static_cast<double>(previous.count);
            const auto more = static_cast<double>(last.count);
            previous.mean = (previous.mean * weight + last.mean * more) / (weight + more);
            previous.noise = std::max(previous.noise, last.noise);
            previous.count += last.count;
            pools.pop_back();
        }
    }
    std::vector<double> repaired;
    for (const Pool& pool : pools) repaired.insert(repaired.end(), pool.count, pool.mean);
    return repaired;
}

}  // namespace espalier::measure
