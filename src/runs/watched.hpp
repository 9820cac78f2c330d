#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::runs {

/// A run as its metrics() tell of it.
struct Watched {
    /// Calls of one collective on communicators of one size.
    struct Collective {
        std::string name;
        std::uint64_t ranks = 1;
        double calls = 0;
        double planned = 0;  ///< of them
        Seconds sum;         ///< this rank's time in them
        double bytes = 0;
        Seconds saved;
        Seconds predicted;      ///< planned calls of which it is known what they take
        Seconds taken;          ///< the same calls
        double late_calls = 0;  ///< of which it is known how late the last rank came
        Seconds late;           ///< in all of these
    };
    std::string job;
    std::string host;
    std::string program;
    std::string mpi;
    std::uint64_t ranks = 1;
    std::uint64_t rank = 0;  ///< the process that tells
    Seconds elapsed;
    double written = 0;  ///< seconds since 1970
    bool ended = false;
    std::vector<Collective> collectives;        ///< those first that took longest
    std::map<std::string, Seconds> waited_for;  ///< by host
    std::string slowest_link;                   ///< `lyon to nancy`; empty: not known
    Bytes link_bytes;
    Seconds link_time;  ///< of a message of so many bytes
};

/// Throws InputError naming `file`.
[[nodiscard]] Watched read_metrics(std::string_view text, const std::string& file);

/// Runs for people, each in a few lines with a row for each collective. `now`: seconds since 1970.
[[nodiscard]] std::string text(const std::vector<Watched>& runs, double now, std::size_t columns);

}  // namespace espalier::runs
