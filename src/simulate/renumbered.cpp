#include "simulate/renumbered.hpp"

#include <utility>

namespace espalier::simulate {

namespace {

class Renumbered final : public Fabric {
public:
    Renumbered(const Fabric& fabric, std::vector<std::size_t> nodes)
        : fabric_(fabric), nodes_(std::move(nodes)) {}

    [[nodiscard]] std::size_t nodes() const override { return nodes_.size(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        return fabric_.cost(nodes_[from], nodes_[to], size);
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return fabric_.floor(nodes_[from], nodes_[to], size);
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override {
        return fabric_.capacities();
    }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        return fabric_.draws(nodes_[from], nodes_[to]);
    }
    [[nodiscard]] Sharing sharing(std::size_t from, std::size_t to) const override {
        return fabric_.sharing(nodes_[from], nodes_[to]);
    }
    [[nodiscard]] Window window(std::size_t from, std::size_t to) const override {
        return fabric_.window(nodes_[from], nodes_[to]);
    }
    [[nodiscard]] Seconds least_restart() const override { return fabric_.least_restart(); }
    [[nodiscard]] Seconds message_time() const override { return fabric_.message_time(); }
    [[nodiscard]] schedule::Ports ports() const override { return fabric_.ports(); }

private:
    const Fabric& fabric_;
    std::vector<std::size_t> nodes_;
};

}  // namespace

std::unique_ptr<const Fabric> renumbered(const Fabric& fabric, std::vector<std::size_t> nodes) {
    return std::make_unique<Renumbered>(fabric, std::move(nodes));
}

}  // namespace espalier::simulate
