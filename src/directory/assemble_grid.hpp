#pragma once

#include "directory/known_costs.hpp"
#include "directory/shared_links.hpp"
#include "network/network.hpp"

#include <string>
#include <vector>

namespace espalier::directory {

/// The model `grid` as assemble() describes it; adds lines on what could not be used.
[[nodiscard]] network::GridNetwork assemble_grid(const KnownCosts& known, const SharedLinks& shared,
                                                 double tolerance,
                                                 std::vector<std::string>& warnings);

}  // namespace espalier::directory
