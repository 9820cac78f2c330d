#include "core/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace espalier {

namespace {

/// The two values of a sorted sequence at place `nth` and after it; `nth` may be the last place.
struct Around {
    double at;
    double next;  ///< the least of those behind it; `at` if there are none
};
Around around(std::span<const double> samples, std::size_t nth) {
    assert(nth < samples.size());
    std::vector<double> values(samples.begin(), samples.end());
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(nth);
    std::nth_element(values.begin(), place, values.end());
    const auto next = std::min_element(place + 1, values.end());
    return {*place, next == values.end() ? *place : *next};
}

}  // namespace

double median(std::span<const double> samples) {
    const auto [low, high] = around(samples, (samples.size() - 1) / 2);
    return samples.size() % 2 == 1 ? low : (low + high) / 2;
}

double percentile(std::span<const double> samples, double percent) {
    const double place = percent / 100 * static_cast<double>(samples.size() - 1);
    const double below = std::floor(place);
    const auto [low, high] = around(samples, static_cast<std::size_t>(below));
    return low + (place - below) * (high - low);
}

double normal_quantile(double probability) {
    // The distribution rises everywhere, and outside of this range there is nothing of it.
    double low = -40;
    double high = 40;
    for (;;) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) return middle;
        (std::erfc(-middle / std::numbers::sqrt2) / 2 < probability ? low : high) = middle;
    }
}

namespace {

/// The value that a variable of Student's distribution is below with a probability of 97.5%.
/// From three degrees of freedom on the expansion of Fisher and Cornish by powers of 1 / freedom,
/// which is within 0.1%.
double student_quantile(double freedom) {
    constexpr double probability = 0.975;
    constexpr double both = 2 * probability - 1;
    if (freedom == 1) return std::tan(std::numbers::pi * both / 2);
    if (freedom == 2) return both * std::sqrt(2 / (1 - both * both));
    const double z = normal_quantile(probability);
    const double s = z * z;
    const double first = (s + 1) * z / 4;
    const double second = ((5 * s + 16) * s + 3) * z / 96;
    const double third = (((3 * s + 19) * s + 17) * s - 15) * z / 384;
    const double fourth = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) * z / 92160;
    return z + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom;
}

}  // namespace

double confidence_of_mean(std::span<const double> samples) {
    assert(samples.size() > 1);
    const auto count = static_cast<double>(samples.size());
    double mean = 0;
    for (const double sample : samples) mean += sample / count;
    double squares = 0;
    for (const double sample : samples) squares += (sample - mean) * (sample - mean);
    return student_quantile(count - 1) * std::sqrt(squares / (count - 1) / count);
}

double lower_quartile(std::span<const double> samples) {
    return around(samples, (samples.size() - 1) / 4).at;
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

}  // namespace espalier
