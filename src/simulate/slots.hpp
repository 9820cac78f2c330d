#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::simulate {

/// The times at which each of a port's k slots is free again; `never` as long as that is not known.
class Slots {
public:
    Slots(std::size_t count, double from) : free_(count, from) {}
    [[nodiscard]] double earliest() const {
        return free_.size() == 1 ? free_[0] : *std::min_element(free_.begin(), free_.end());
    }
    [[nodiscard]] double latest() const { return *std::max_element(free_.begin(), free_.end()); }
    /// The one that is free first.
    void occupy_until(double time) { *std::min_element(free_.begin(), free_.end()) = time; }
    [[nodiscard]] const std::vector<double>& all() const { return free_; }
    /// One that was occupied until `never`.
    void release(double time) { *std::find(free_.begin(), free_.end(), never) = time; }

private:
    std::vector<double> free_;
};

}  // namespace espalier::simulate
