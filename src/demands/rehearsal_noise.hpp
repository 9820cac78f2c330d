#pragma once

#include "simulate/fabric.hpp"

#include <cstdint>
#include <memory>

namespace espalier::demands {

/// The same network on another day: every message from one node to another takes its pair's own
/// factor as long, drawn between 1 / (1 + noise) and 1 + noise, evenly by its logarithm, so that
/// slower is as likely as faster. `noise` >= 0; `fabric` must outlive it.
[[nodiscard]] std::unique_ptr<const simulate::Fabric> with_noise(const simulate::Fabric& fabric,
                                                                 double noise, std::uint64_t seed);

}  // namespace espalier::demands
