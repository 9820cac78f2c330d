#include "simulate/transposed.hpp"

namespace espalier::simulate {

namespace {

class Transposed final : public Fabric {
public:
    explicit Transposed(const Fabric& fabric) : fabric_(fabric) {}

    [[nodiscard]] std::size_t nodes() const override { return fabric_.nodes(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        return fabric_.cost(to, from, size);
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return fabric_.floor(to, from, size);
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override {
        return fabric_.capacities();
    }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        return fabric_.draws(to, from);
    }
    [[nodiscard]] Sharing sharing(std::size_t from, std::size_t to) const override {
        return fabric_.sharing(to, from);
    }
    [[nodiscard]] Window window(std::size_t from, std::size_t to) const override {
        return fabric_.window(to, from);
    }
    [[nodiscard]] Seconds least_restart() const override { return fabric_.least_restart(); }
    [[nodiscard]] Seconds message_time() const override { return fabric_.message_time(); }
    [[nodiscard]] schedule::Ports ports() const override { return fabric_.ports(); }

private:
    const Fabric& fabric_;
};

}  // namespace

std::unique_ptr<const Fabric> transposed(const Fabric& fabric) {
    return std::make_unique<Transposed>(fabric);
}

}  // namespace espalier::simulate
