#pragma once

#include "network/network.hpp"

#include <string>
#include <vector>

namespace espalier::importers {

/// The network made of a foreign file and, in lines, what it did not say or what was left out.
struct Imported {
    network::LinksNetwork network;
    std::vector<std::string> warnings;
};

}  // namespace espalier::importers
