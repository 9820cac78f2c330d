#pragma once

#include "core/infinity.hpp"
#include "core/random.hpp"
#include "plan/gather/problem.hpp"
#include "simulate/fabric.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace espalier::plan::gather::stated {

/// Gaps, latencies, and who shares what, as they are stated.
class StatedFabric final : public simulate::Fabric {
public:
    explicit StatedFabric(std::size_t nodes)
        : gaps(nodes, nodes, 1), latencies(nodes, nodes, 0), draws_(nodes, nodes) {}

    [[nodiscard]] std::size_t nodes() const override { return gaps.rows(); }
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to,
                                             Bytes) const override {
        return {Seconds(gaps(from, to)), Seconds(latencies(from, to))};
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t from, std::size_t to,
                                            Bytes) const override {
        // However short, a message occupies its ends for the whole gap, and no message is longer.
        return {Seconds(latencies(from, to)), 0, Seconds(gaps(from, to)), Seconds(0)};
    }
    [[nodiscard]] std::span<const simulate::Capacity> capacities() const override {
        return capacities_;
    }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        return draws_(from, to);
    }

    template <typename Draws>
    void share(double limit, Draws draws) {
        const auto id = static_cast<std::uint32_t>(capacities_.size());
        capacities_.push_back({"shared", limit});
        for (std::size_t from = 0; from < nodes(); ++from)
            for (std::size_t to = 0; to < nodes(); ++to)
                if (from != to && draws(from, to)) draws_(from, to).push_back(id);
    }

    Matrix<double> gaps;
    Matrix<double> latencies;

private:
    std::vector<simulate::Capacity> capacities_;
    Matrix<std::vector<std::uint32_t>> draws_;
};

inline constexpr Bytes block(60);

inline StatedFabric random_fabric(Random& random, std::size_t nodes) {
    StatedFabric fabric(nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j) {
            fabric.gaps(i, j) = static_cast<double>(1 + random.below(12));
            fabric.latencies(i, j) = random.uniform(0, 3);
        }
    return fabric;
}

inline void add_random_shares(StatedFabric& fabric, Random& random) {
    for (int c = 0; c < 3; ++c) {
        std::vector<char> side(fabric.nodes());
        for (char& left : side) left = random.below(2) == 0 ? 1 : 0;
        fabric.share(random.uniform(5, 60), [&](std::size_t from, std::size_t to) {
            return side[from] != 0 && side[to] == 0;
        });
    }
}

/// By the definition, in words of its own.
inline Value stated_value(const StatedFabric& fabric, const Order& order) {
    Value value;
    std::vector<double> bytes(fabric.capacities().size(), 0);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t from = order[place];
        const std::size_t to = order[place + 1 < order.size() ? place + 1 : 0];
        double gap = fabric.gaps(from, to);
        for (const std::uint32_t c : fabric.draws(from, to)) {
            bytes[c] += static_cast<double>(block.value);
            gap = std::max(gap, static_cast<double>(block.value) / fabric.capacities()[c].limit);
        }
        value.slowest = std::max(value.slowest, gap);
        value.sum += gap + fabric.latencies(from, to);
    }
    for (std::size_t c = 0; c < bytes.size(); ++c)
        value.slowest = std::max(value.slowest, bytes[c] / fabric.capacities()[c].limit);
    return value;
}

template <typename Look>
void for_all_rings(std::size_t nodes, Look look) {
    Order order(nodes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    do look(order);
    while (std::next_permutation(order.begin() + 1, order.end()));
}

struct Least {
    Value by_slowest{infinity, infinity};
    double sum = infinity;
};
inline Least least_of_all(const StatedFabric& fabric) {
    Least least;
    for_all_rings(fabric.nodes(), [&](const Order& order) {
        const Value value = stated_value(fabric, order);
        if (value.slowest < least.by_slowest.slowest - 1e-9 ||
            (value.slowest < least.by_slowest.slowest + 1e-9 && value.sum < least.by_slowest.sum))
            least.by_slowest = value;
        least.sum = std::min(least.sum, value.sum);
    });
    return least;
}

inline bool is_ring(Order order, std::size_t nodes) {
    std::ranges::sort(order);
    Order all(nodes);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return order == all;
}

}  // namespace espalier::plan::gather::stated
