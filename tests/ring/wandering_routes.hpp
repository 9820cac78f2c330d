#pragma once

#include "core/random.hpp"
#include "network/network.hpp"

namespace espalier::test {

/// With the routes that it would take by itself listed, and some that wander to and fro.
[[nodiscard]] network::LinksNetwork with_wandering_routes(Random& random,
                                                          network::LinksNetwork network);

}  // namespace espalier::test
