#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace espalier::bench {

struct ReachSettings {
    std::size_t runs = 50;
    std::uint64_t seed = 1;
    std::string network;  ///< a file of a real one; empty: none
};

/// Prints the goals of the planners of total exchanges, each with what they reach.
void print_reach(const ReachSettings& settings);

}  // namespace espalier::bench
