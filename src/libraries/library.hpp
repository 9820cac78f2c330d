#pragma once

#include "libraries/call.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::libraries {

/// One of a library's ways to perform a collective.
struct Algorithm {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::string_view name;  ///< the library's own
    int number = 0;         ///< Open MPI's, in its rules
    Pattern pattern = nullptr;
    /// Whether a rule may say the size of its segments.
    bool has_segments = false;
    /// Whether it is only a model of what the library chooses, and nothing to choose: its messages
    /// are not quite these.
    bool is_roughly = false;
};

/// A communication library: what it can do, and what it does if nobody tells it otherwise.
struct Library {
    std::string_view name;   ///< as options say it
    std::string_view title;  ///< as people do, with the versions that choose so
    std::span<const Algorithm> algorithms;
    /// The algorithm that it takes for a call of this kind, which is one of `algorithms`.
    const Algorithm& (*usual)(const Call& call);

    [[nodiscard]] bool performs(schedule::Kind kind) const;
};

/// Open MPI's component `tuned`, 4.1 and 5.0 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c).
[[nodiscard]] const Library& openmpi();
/// MPICH 4.0 (src/mpi/coll/coll_selection.json), between nodes of one rank each.
[[nodiscard]] const Library& mpich();
/// Gloo, as PyTorch calls it.
[[nodiscard]] const Library& gloo();

/// The library with this name. Throws InputError naming `where` for one that is not known.
[[nodiscard]] const Library& find_library(std::string_view name, const std::string& where);

/// The algorithm of this kind that the library calls so, which has to be there.
[[nodiscard]] const Algorithm& named(const Library& library, schedule::Kind kind,
                                     std::string_view name);

}  // namespace espalier::libraries
