#pragma once

#include "simulate/fabric.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace espalier::simulate {

/// A network with the nodes of another one in another order, or with some of them: node i is
/// `fabric`'s nodes[i]. `fabric` must outlive it.
[[nodiscard]] std::unique_ptr<const Fabric> renumbered(const Fabric& fabric,
                                                       std::vector<std::size_t> nodes);

}  // namespace espalier::simulate
