#pragma once

#include "plan/request.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::runtime {

/// The algorithm with which a collective shall be planned.
struct AlgorithmChoice {
    /// A name of the table, `auto`, or `native` for the MPI library's own.
    std::string name = "auto";
    plan::Segmenting segmenting{plan::Segmenting::Mode::usual, Bytes(0)};
    /// The messages that a rank sends, and receives, at once. Unset: whatever is predicted to be
    /// best, but one for a named algorithm of a total exchange.
    std::optional<std::size_t> ports;
};

/// The settings that the environment states, as far as they make sense.
struct Settings {
    enum class Planning { automatic, always, never };
    enum class Log { quiet, info, debug };
    /// When the network is measured at the start: if none is given and none is kept, never, or
    /// always.
    enum class Measure { automatic, off, force };

    /// What moves nonblocking collectives on: MPI calls alone, or a thread as well.
    enum class Progress { calls, thread };

    bool on = true;
    std::string network;  ///< path; empty: none
    Planning planning = Planning::automatic;
    std::map<schedule::Kind, AlgorithmChoice> algorithms;  ///< those that are named
    Log log = Log::info;
    bool summary = false;  ///< a few lines about the run when it ends
    std::string report;    ///< of the run: a file, or a folder for files; empty: none
    std::string metrics;   ///< a folder for what is told of the run while it goes on; empty: none
    /// What decides how reductions are done that depend on the order of their operands: the network
    /// alone; calls, which later runs do likewise; calls, whatever they did in other runs.
    enum class Reproducible { by_network, by_record, never };
    Reproducible reproducible = Reproducible::by_record;
    static constexpr Bytes usual_memory{64 << 20};
    Bytes memory = usual_memory;  ///< the most that a rank may stage
    Measure measure = Measure::automatic;
    Seconds measure_budget{2};  ///< of measuring at the start; > 0
    /// The budget has so many of the largest round trips besides, unless somebody named a time.
    double measure_round_trips = 10;
    /// The percentile of the makespan by which plans are compared (plan::Request); none: the
    /// makespan at the costs as they were measured.
    std::optional<unsigned> robust;
    Progress progress = Progress::calls;
    std::string cache;  ///< a folder for networks that were measured; empty: the user's own

    [[nodiscard]] AlgorithmChoice algorithm_for(schedule::Kind kind) const;
};

/// A variable's value, or nothing; that of the process is environment().
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct ReadSettings {
    Settings settings;
    /// A line for each value that makes no sense and is replaced by its default.
    std::vector<std::string> complaints;
};

/// `settings`, but for those of how a communicator's calls are done that `words` name: `plan`,
/// `algorithm` and `robust`, with the values of ESPALIER_PLAN and so on. Throws InputError.
[[nodiscard]] Settings steered(const Settings& settings,
                               const std::map<std::string, std::string>& words);

/// Reads ESPALIER and ESPALIER_*; never throws for what they say.
[[nodiscard]] ReadSettings read_settings(const Environment& environment);

/// `a,a,b,b` of ESPALIER_TEST_HOSTS: the host that rank `rank` shall believe to be on. nullopt
/// where the list has no such entry.
[[nodiscard]] std::optional<std::string> test_host(const Environment& environment,
                                                   std::size_t rank);

}  // namespace espalier::runtime
