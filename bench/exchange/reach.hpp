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

/// What the planners of total exchanges are to reach, each line with what they do reach.
void print_reach(const ReachSettings& settings);

}  // namespace espalier::bench
