#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"
#include "schedule/collective.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// How a message is cut into segments.
struct Segmenting {
    enum class Mode {
        none,       ///< it is sent whole
        automatic,  ///< as the search finds best
        fixed,      ///< into pieces of `bytes`
        usual,      ///< automatic, but none for a named rule that is stated for whole messages
    };
    Mode mode = Mode::none;
    Bytes bytes;
};

/// A collective between the ranks of a job, and what limits the choice of its plan.
struct Request {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::size_t root = 0;  ///< a rank, where schedule::has_root(kind)
    Bytes bytes;           ///< of one rank's operand, see schedule::Collective
    /// A name of a family that serves the collective, or `auto`: the best of them, as simulated.
    std::string algorithm = "auto";
    /// A name of the local family for the inside of every cluster, or `auto`: the best prediction.
    std::string local = "auto";
    Segmenting segmenting{Segmenting::Mode::usual, Bytes(0)};
    /// Sends, and receives, that a rank takes part in at once; >= 1. None: what is the fastest of
    /// one and several.
    std::optional<std::size_t> ports = 1;
    /// The block of each rank, if blocks differ (scatter, gather, all-gather, reduce-scatter).
    std::shared_ptr<const std::vector<Bytes>> blocks;
    /// The row sends to the column, where those of a total exchange differ.
    std::shared_ptr<const Matrix<Bytes>> sizes;
    bool ordered = false;  ///< the operator is not commutative
    /// Whether no message may pass a rank that is neither its source nor its target: for blocks
    /// whose sizes only those two know.
    bool direct = false;
    /// The percentile of the makespan, over what costs may be, by which plans are compared
    /// (plan/scenarios.hpp); none: the makespan at the stated costs.
    std::optional<unsigned> robust = std::nullopt;
    /// Whether the lower bound is asked for, which can take longer than the plan; else it is 0.
    bool bounded = true;
};

}  // namespace espalier::plan
