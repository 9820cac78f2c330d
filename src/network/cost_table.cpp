#include "network/cost_table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace espalier::network {

CostTable::CostTable(std::vector<Entry> entries) : entries_(std::move(entries)) {
    if (entries_.empty()) throw std::invalid_argument("a cost table has no entry");
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!std::isfinite(entries_[i].time.value) || entries_[i].time.value < 0)
            throw std::invalid_argument("a cost table has a negative or non-finite time");
        if (i > 0 && entries_[i].size <= entries_[i - 1].size)
            throw std::invalid_argument("a cost table's sizes do not increase");
    }
}

Seconds CostTable::operator()(Bytes size) const {
    if (entries_.size() == 1 || size <= entries_.front().size) return entries_.front().time;
    auto right = std::upper_bound(entries_.begin(), entries_.end(), size,
                                  [](Bytes s, const Entry& entry) { return s < entry.size; });
    if (right == entries_.end()) --right;
    const Entry& low = *(right - 1);
    const Entry& high = *right;
    const double slope =
        (high.time - low.time).value / static_cast<double>((high.size - low.size).value);
    // A last slope that falls, as noise can make it, must not lead below zero.
    return Seconds(
        std::max(0.0, low.time.value + slope * static_cast<double>((size - low.size).value)));
}

double CostTable::least_per_byte(Bytes size) const {
    if (size.value == 0) return 0;
    const auto per_byte = [&](Bytes s) { return (*this)(s).value / static_cast<double>(s.value); };
    double least = per_byte(size);
    for (const Entry& entry : entries_)
        if (entry.size.value > 0 && entry.size < size)
            least = std::min(least, per_byte(entry.size));
    return least;
}

}  // namespace espalier::network
