#pragma once

#include "runs/run.hpp"

#include <string>
#include <vector>

namespace espalier::runs {

/// Calls of one collective and size, whoever was their root and by whatever they were done.
struct Group {
    std::string collective;
    std::uint64_t ranks = 1;
    Bytes bytes;
    std::uint64_t calls = 0;
    Seconds sum;  ///< rank 0's time in them
    Seconds saved;
    std::optional<Call::Gain> gain;    ///< the mean of the calls that have one
    std::optional<Seconds> predicted;  ///< likewise, of planned calls, until the last rank is done
    std::optional<Seconds> bound;      ///< the least of those that no such call beats
    std::vector<std::string> by;       ///< what did them, that which did most of them first
};

/// Those first in which rank 0 was longest.
[[nodiscard]] std::vector<Group> groups_of(const Run& run);

/// The time that plans saved, by how it is known; < 0 where they cost more.
struct Saved {
    Seconds measured;
    Seconds predicted;
    std::uint64_t unknown = 0;  ///< planned calls of which nothing is known

    [[nodiscard]] Seconds all() const { return measured + predicted; }
};
[[nodiscard]] Saved saved_by(const Run& run);

/// Calls that were left to MPI.
struct Left {
    std::string why;
    std::uint64_t calls = 0;
    Seconds sum;
};
/// Those first that took longest.
[[nodiscard]] std::vector<Left> left_to_mpi(const Run& run);

/// The one thing that is most worth doing next; empty: nothing stands out.
[[nodiscard]] std::string advice(const Run& run);

/// A run in at most ten lines of at most 80 columns, the first of at most 70, since it comes after
/// `espalier: `: how long rank 0 was in collectives, what plans saved and cost, the three calls
/// that took longest, what was left to MPI and why, and one advice.
[[nodiscard]] std::string summary(const Run& run);

}  // namespace espalier::runs
