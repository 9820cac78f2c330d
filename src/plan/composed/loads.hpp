#pragma once

#include "simulate/fabric.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// How long each port and shared capacity is busy with the messages that were put on it, whenever
/// those are sent; in seconds.
class Loads {
public:
    /// Each rank has so many ports, which take turns. The fabric must outlive it.
    explicit Loads(const simulate::Fabric& fabric, std::size_t ports = 1)
        : fabric_(&fabric),
          ports_(static_cast<double>(ports)),
          out_(fabric.nodes(), 0),
          in_(fabric.nodes(), 0),
          shared_(fabric.capacities().size(), 0) {}

    [[nodiscard]] double out(std::size_t rank) const { return out_[rank]; }
    [[nodiscard]] double in(std::size_t rank) const { return in_[rank]; }
    /// Of the busiest of all.
    [[nodiscard]] double most() const { return most_; }

    /// How long the busiest of what a message draws on would be, with so many more of them.
    [[nodiscard]] double most_with(std::size_t from, std::size_t to, Bytes bytes,
                                   double messages = 1) const {
        double most = std::max(out_[from], in_[to]) + messages * gap(from, to, bytes);
        for (const std::uint32_t c : fabric_->draws(from, to))
            most = std::max(most, shared_[c] + messages * crossing(c, bytes));
        return most;
    }
    void add(std::size_t from, std::size_t to, Bytes bytes, double messages = 1) {
        const double busy = messages * gap(from, to, bytes);
        most_ = std::max({most_, out_[from] += busy, in_[to] += busy});
        for (const std::uint32_t c : fabric_->draws(from, to))
            most_ = std::max(most_, shared_[c] += messages * crossing(c, bytes));
    }

private:
    [[nodiscard]] double gap(std::size_t from, std::size_t to, Bytes bytes) const {
        return fabric_->cost(from, to, bytes).gap.value / ports_;
    }
    [[nodiscard]] double crossing(std::uint32_t capacity, Bytes bytes) const {
        return static_cast<double>(bytes.value) / fabric_->capacities()[capacity].limit;
    }

    const simulate::Fabric* fabric_;
    double ports_;
    std::vector<double> out_;
    std::vector<double> in_;
    std::vector<double> shared_;
    double most_ = 0;
};

}  // namespace espalier::plan::composed
