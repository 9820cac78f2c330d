#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace espalier::bench {

/// Samples of one quantity.
class Samples {
public:
    void add(double value) { values_.push_back(value); }
    [[nodiscard]] bool empty() const { return values_.empty(); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] double mean() const {
        return std::accumulate(values_.begin(), values_.end(), 0.0) /
               static_cast<double>(values_.size());
    }
    [[nodiscard]] double least() const { return *std::ranges::min_element(values_); }
    [[nodiscard]] double greatest() const { return *std::ranges::max_element(values_); }
    /// The part of them that is at most so much.
    [[nodiscard]] double share_up_to(double value) const {
        return static_cast<double>(
                   std::ranges::count_if(values_, [&](double each) { return each <= value; })) /
               static_cast<double>(values_.size());
    }

private:
    std::vector<double> values_;
};

}  // namespace espalier::bench
