#include "simulate/rendezvous.hpp"

#include "simulate/derived.hpp"

namespace espalier::simulate {

namespace {

class Rendezvous final : public Derived {
public:
    Rendezvous(const Fabric& fabric, Bytes eager) : Derived(fabric), eager_(eager) {}

    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        MessageCost cost = Derived::cost(from, to, size);
        if (size > eager_) cost.latency += way(from, to) + way(to, from);
        return cost;
    }

private:
    [[nodiscard]] Way origin(std::size_t from, std::size_t to) const override { return {from, to}; }
    [[nodiscard]] Seconds way(std::size_t from, std::size_t to) const {
        const MessageCost cost = Derived::cost(from, to, Bytes(0));
        return cost.latency + cost.gap;
    }

    Bytes eager_;
};

}  // namespace

std::unique_ptr<const Fabric> with_rendezvous(const Fabric& fabric, Bytes eager) {
    return std::make_unique<Rendezvous>(fabric, eager);
}

}  // namespace espalier::simulate
