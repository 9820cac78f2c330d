#pragma once

#include "network/network.hpp"
#include "runs/run.hpp"

#include <string>
#include <vector>

namespace espalier::cli {

/// A call of a program as pictures on one axis of time: by a plan, and by an MPI library that knows
/// nothing of the network.
struct CallDrawing {
    std::string call;     ///< `allreduce 1 MiB, 10 ranks`
    std::string caption;  ///< what takes how long
    std::string planned;  ///< SVG
    std::string library;  ///< SVG
};
struct CallDrawings {
    std::vector<CallDrawing> drawings;
    std::string left_out;  ///< why others are not there; empty: they are
};

/// The planned calls of all ranks of a run in which rank 0 was longest, three at most, as they are
/// planned and simulated now. `source` names the network.
[[nodiscard]] CallDrawings draw_calls(const runs::Run& run, const network::Network& network,
                                      const std::string& source);

}  // namespace espalier::cli
