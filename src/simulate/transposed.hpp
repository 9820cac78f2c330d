#pragma once

#include "simulate/fabric.hpp"

#include <memory>

namespace espalier::simulate {

/// The transpose of a network: a message from a to b costs, and draws on, what a message from b to
/// a does on `fabric`, which must outlive the result.
[[nodiscard]] std::unique_ptr<const Fabric> transposed(const Fabric& fabric);

}  // namespace espalier::simulate
