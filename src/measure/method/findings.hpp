#pragma once

#include "core/units.hpp"
#include "measure/method/asymmetry.hpp"
#include "measure/method/bottlenecks.hpp"
#include "measure/method/compute.hpp"
#include "measure/method/hosts.hpp"
#include "measure/method/sampling.hpp"
#include "measure/method/survey_record.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace espalier::measure {

/// Everything that measuring a job's network found out, and how.
struct Findings {
    std::vector<Host> hosts;
    std::vector<std::vector<std::size_t>> clusters;  ///< of hosts
    LatencyMatrix latencies;                         ///< between hosts, half their round trips
    Asymmetry asymmetry;                             ///< of the same; empty: all are symmetric
    std::vector<SurveyRecord> surveys;
    std::vector<Bottleneck> bottlenecks;  ///< what clusters share
    std::size_t presumed_links = 0;       ///< nothing went over them but pings
    std::size_t presumed_insides = 0;     ///< of clusters; nothing is known of them but pings
    bool sharing_known = false;           ///< they share nothing else
    Seconds message_time;                 ///< of processors that all hosts share
    /// The eager threshold in bytes, the longest message that leaves at once; nullopt: not
    /// measured.
    std::optional<std::uint64_t> eager;
    /// The cycle time of each host while all its ranks compute at once; empty if nobody asked.
    std::vector<CycleTime> cycle_times;
    std::string kernel;  ///< what they computed
    /// Whether windows get smaller on connections that are idle; nullopt: the kernel does not say.
    std::optional<bool> windows_restart;
    bool noisy = false;      ///< the clock, as any real one is, and no simulator's
    bool symmetric = false;  ///< links stand for both directions
    std::size_t ranks = 0;
    double tolerance = 0;
    Seconds budget;
    Seconds taken;
    std::string at;   ///< date and time, ISO 8601, UTC
    std::string mpi;  ///< which MPI library
    std::vector<std::string> warnings;
};

/// The network of model `grid`: one cluster for each found, its nodes the hosts in rank order, its
/// coordinator the first. A link that nobody had time for stays unknown. `measured` says when, by
/// what, from how many samples, with what spread, and what was left out.
[[nodiscard]] network::Network to_network(const Findings& findings);

/// One line: how many clusters of how many hosts, and how long it took.
[[nodiscard]] std::string summary(const network::Network& network);

}  // namespace espalier::measure
