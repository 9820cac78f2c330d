#pragma once

#include "core/units.hpp"
#include "simulate/fabric.hpp"

#include <memory>

namespace espalier::simulate {

/// A network on which messages of more than `eager` bytes leave only when their receiver has asked
/// for them: they come by a round trip of the shortest messages later, in which their sender may
/// send others. The receive is taken to be there when it is announced. `fabric` must outlive the
/// result.
[[nodiscard]] std::unique_ptr<const Fabric> with_rendezvous(const Fabric& fabric, Bytes eager);

}  // namespace espalier::simulate
