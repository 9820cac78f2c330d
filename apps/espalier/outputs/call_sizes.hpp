#pragma once

#include "network/network.hpp"
#include "runs/run.hpp"

#include <string>

namespace espalier::cli {

/// A part of a run's page: all algorithms against the lower bound over sizes, for the collectives,
/// three at most, that were planned in it and took rank 0 longest. Says why where a network is too
/// large to wait for that; empty where nothing was planned. `source` names the network.
[[nodiscard]] std::string call_sizes(const runs::Run& run, const network::Network& network,
                                     const std::string& source);

}  // namespace espalier::cli
