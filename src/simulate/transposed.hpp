#pragma once

#include "simulate/fabric.hpp"

#include <memory>

namespace espalier::simulate {

/// The same network with every link turned round: what a message from a to b costs and draws on is
/// what one from b to a did. `fabric` must outlive it.
[[nodiscard]] std::unique_ptr<const Fabric> transposed(const Fabric& fabric);

}  // namespace espalier::simulate
