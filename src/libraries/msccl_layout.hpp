#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::libraries {

/// Where a schedule's chunks stand in MSCCL's buffers, counted in parts.
struct MscclLayout {
    struct Piece {
        std::size_t input = 0;   ///< offset in the input of those that begin with it
        std::size_t output = 0;  ///< offset in the output of those that end with it
        std::size_t parts = 1;
    };
    std::vector<Piece> pieces;  ///< of each chunk; of no parts if it only coordinates
    std::size_t inputs = 0;     ///< parts of a rank's input
    std::size_t outputs = 0;    ///< parts of a rank's output
    std::size_t all = 0;        ///< the parts that MSCCL counts of a call
};

/// Throws InputError naming `where` for blocks that differ.
[[nodiscard]] MscclLayout msccl_layout(const schedule::Schedule& schedule,
                                       const std::string& where);

}  // namespace espalier::libraries
