#pragma once

#include "network/network.hpp"

#include <string>

namespace espalier::frontend {

/// A SimGrid platform file as a network of model `links`, with the routes that SimGrid takes.
/// `hosts`: patterns as of a shell, separated by commas, of the hosts to be kept; empty: all.
/// Throws InputError, also where this installation has nothing that reads such files.
[[nodiscard]] network::Network read_simgrid_platform(const std::string& path,
                                                     const std::string& hosts);

}  // namespace espalier::frontend
