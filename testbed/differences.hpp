#pragma once

#include "testbed/topology.hpp"

#include <string>

namespace espalier::testbed {

/// What of a topology differs from its description, for people; paths by clusters where all between
/// two are alike. Empty where nothing does.
[[nodiscard]] std::string differences(const Topology& described, const Topology& topology);

}  // namespace espalier::testbed
