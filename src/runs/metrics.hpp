#pragma once

#include "runs/run.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runs {

/// Runs tell of themselves so often.
inline constexpr Seconds metrics_period{30};

/// How much later than the first rank the last one came to calls, of those that tell it.
struct Lateness {
    std::string collective;
    std::uint64_t ranks = 1;  ///< of the communicator
    std::uint64_t calls = 0;  ///< that told it
    Seconds sum;
};

/// A run that goes on, as one of its processes sees it.
struct Live {
    Run run;
    std::string job;   ///< the batch system's, or what else names it
    std::string host;  ///< of the process
    std::uint64_t rank = 0;
    long process = 0;
    double written = 0;  ///< seconds since 1970
    bool ended = false;
    std::vector<Lateness> lateness;
    std::map<std::string, Seconds> waited_for;  ///< by the host whose rank came last
    /// The link between clusters of the job over which a message of `bytes` takes longest.
    struct Link {
        std::string from;
        std::string to;
        Bytes bytes;
        Seconds time;
    };
    std::optional<Link> slowest_link;
};

/// The names of what metrics() tells.
namespace metric {
inline constexpr const char* info = "espalier_job_info";
inline constexpr const char* running = "espalier_job_running";
inline constexpr const char* elapsed = "espalier_job_seconds";
inline constexpr const char* written = "espalier_written_timestamp_seconds";
inline constexpr const char* calls = "espalier_calls_total";
inline constexpr const char* seconds = "espalier_call_seconds_total";
inline constexpr const char* bytes = "espalier_call_bytes_total";
inline constexpr const char* untimed = "espalier_untimed_calls_total";
inline constexpr const char* saved = "espalier_saved_seconds";
inline constexpr const char* predicted = "espalier_predicted_seconds";
inline constexpr const char* taken = "espalier_taken_seconds";
inline constexpr const char* skew = "espalier_arrival_skew_seconds";
inline constexpr const char* waited_for = "espalier_waited_for_seconds_total";
inline constexpr const char* slowest_link = "espalier_slowest_link_seconds";
}  // namespace metric

/// All that it says, for Prometheus. What is known of the whole job, rank 0's process alone tells.
[[nodiscard]] std::string metrics(const Live& live);

}  // namespace espalier::runs
