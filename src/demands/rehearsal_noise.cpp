#include "demands/rehearsal_noise.hpp"

#include "core/matrix.hpp"
#include "core/random.hpp"

#include <cassert>
#include <cmath>

namespace espalier::demands {

namespace {

class NoisyFabric final : public simulate::Fabric {
public:
    NoisyFabric(const Fabric& fabric, double noise, std::uint64_t seed)
        : fabric_(fabric), factors_(fabric.nodes(), fabric.nodes(), 1) {
        assert(noise >= 0);
        Random random(seed);
        for (std::size_t from = 0; from < fabric.nodes(); ++from)
            for (std::size_t to = 0; to < fabric.nodes(); ++to)
                factors_(from, to) = std::pow(1 + noise, random.uniform(-1, 1));
    }

    [[nodiscard]] std::size_t nodes() const override { return fabric_.nodes(); }
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to,
                                             Bytes size) const override {
        const auto cost = fabric_.cost(from, to, size);
        return {cost.gap * factors_(from, to), cost.latency * factors_(from, to)};
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t from, std::size_t to,
                                            Bytes size) const override {
        const double factor = factors_(from, to);
        const auto floor = fabric_.floor(from, to, size);
        return {floor.latency * factor, floor.seconds_per_byte * factor, floor.gap * factor,
                floor.startup * factor};
    }
    [[nodiscard]] std::span<const simulate::Capacity> capacities() const override {
        return fabric_.capacities();
    }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        return fabric_.draws(from, to);
    }
    [[nodiscard]] simulate::Sharing sharing(std::size_t from, std::size_t to) const override {
        return fabric_.sharing(from, to);
    }
    [[nodiscard]] schedule::Ports ports() const override { return fabric_.ports(); }

private:
    const Fabric& fabric_;
    Matrix<double> factors_;
};

}  // namespace

std::unique_ptr<const simulate::Fabric> with_noise(const simulate::Fabric& fabric, double noise,
                                                   std::uint64_t seed) {
    return std::make_unique<NoisyFabric>(fabric, noise, seed);
}

}  // namespace espalier::demands
