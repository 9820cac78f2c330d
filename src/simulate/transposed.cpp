#include "simulate/transposed.hpp"

#include "simulate/derived.hpp"

namespace espalier::simulate {

namespace {

class Transposed final : public Derived {
public:
    using Derived::Derived;

private:
    [[nodiscard]] Way origin(std::size_t from, std::size_t to) const override { return {to, from}; }
};

}  // namespace

std::unique_ptr<const Fabric> transposed(const Fabric& fabric) {
    return std::make_unique<Transposed>(fabric);
}

}  // namespace espalier::simulate
