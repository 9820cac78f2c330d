#pragma once

#include "simulate/fabric.hpp"

#include <cstddef>
#include <span>

namespace espalier::simulate {

/// A network made of another one, which must outlive it: all is as between the two nodes there that
/// origin() names.
class Derived : public Fabric {
public:
    explicit Derived(const Fabric& fabric) : fabric_(fabric) {}

    [[nodiscard]] std::size_t nodes() const override { return fabric_.nodes(); }
    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        const Way way = origin(from, to);
        return fabric_.cost(way.from, way.to, size);
    }
    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        const Way way = origin(from, to);
        return fabric_.floor(way.from, way.to, size);
    }
    [[nodiscard]] std::span<const Capacity> capacities() const override {
        return fabric_.capacities();
    }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        const Way way = origin(from, to);
        return fabric_.draws(way.from, way.to);
    }
    [[nodiscard]] Sharing sharing(std::size_t from, std::size_t to) const override {
        const Way way = origin(from, to);
        return fabric_.sharing(way.from, way.to);
    }
    [[nodiscard]] Window window(std::size_t from, std::size_t to) const override {
        const Way way = origin(from, to);
        return fabric_.window(way.from, way.to);
    }
    [[nodiscard]] Seconds least_restart() const override { return fabric_.least_restart(); }
    [[nodiscard]] Seconds message_time() const override { return fabric_.message_time(); }
    [[nodiscard]] schedule::Ports ports() const override { return fabric_.ports(); }

protected:
    struct Way {
        std::size_t from;
        std::size_t to;
    };
    [[nodiscard]] virtual Way origin(std::size_t from, std::size_t to) const = 0;

private:
    const Fabric& fabric_;
};

}  // namespace espalier::simulate
