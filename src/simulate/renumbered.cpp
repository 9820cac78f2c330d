#include "simulate/renumbered.hpp"

#include "simulate/derived.hpp"

#include <utility>

namespace espalier::simulate {

namespace {

class Renumbered final : public Derived {
public:
    Renumbered(const Fabric& fabric, std::vector<std::size_t> nodes)
        : Derived(fabric), nodes_(std::move(nodes)) {}

    [[nodiscard]] std::size_t nodes() const override { return nodes_.size(); }

private:
    [[nodiscard]] Way origin(std::size_t from, std::size_t to) const override {
        return {nodes_[from], nodes_[to]};
    }

    std::vector<std::size_t> nodes_;
};

}  // namespace

std::unique_ptr<const Fabric> renumbered(const Fabric& fabric, std::vector<std::size_t> nodes) {
    return std::make_unique<Renumbered>(fabric, std::move(nodes));
}

}  // namespace espalier::simulate
