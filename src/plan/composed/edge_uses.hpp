#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::plan::composed {

/// What a message of one size between each two nodes costs, and what it keeps busy: the ports at
/// its ends, the shared capacities that it draws on, and, where nodes have several ports, the way
/// from the one to the other, which gets no wider if several messages take it at once.
class EdgeUses {
public:
    struct Use {
        std::uint32_t resource = 0;
        double busy = 0;  ///< in seconds
    };

    /// The fabric is needed while it is made only.
    EdgeUses(const simulate::Fabric& fabric, Bytes message, std::size_t ports);

    [[nodiscard]] std::size_t nodes() const { return gap_.rows(); }
    [[nodiscard]] std::size_t resources() const { return resources_; }
    /// Whether the network knows what a message costs there.
    [[nodiscard]] bool is_known(std::size_t from, std::size_t to) const;
    /// In seconds.
    [[nodiscard]] double gap(std::size_t from, std::size_t to) const { return gap_(from, to); }
    [[nodiscard]] double latency(std::size_t from, std::size_t to) const {
        return latency_(from, to);
    }
    [[nodiscard]] std::span<const Use> uses(std::size_t from, std::size_t to) const {
        const std::size_t edge = from * nodes() + to;
        return {all_.data() + first_[edge], all_.data() + first_[edge + 1]};
    }

private:
    Matrix<double> gap_;
    Matrix<double> latency_;
    std::size_t resources_ = 0;
    std::vector<Use> all_;
    std::vector<std::size_t> first_{0};
};

}  // namespace espalier::plan::composed
